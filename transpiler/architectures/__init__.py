"""P4 architectures, a folder each: what an architecture is, to all who look at programs of it. `facts.py` finds its parts."""
