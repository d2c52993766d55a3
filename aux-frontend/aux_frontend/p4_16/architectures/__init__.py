"""The architectures of P4-16 programs, a folder each: rules.py has what it asks of a program beyond the language, plug.py (see
elaborate/architecture.py) how programs for it become HLIR, where they can be run. `find.py` knows the folders."""
