"""HLIR and its schedule → view-models → C. What is computed is computed here; templates loop, choose and substitute."""
