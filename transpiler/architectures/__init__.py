"""P4 architectures, a folder each. `facts.py` has their properties and finds their parts."""
