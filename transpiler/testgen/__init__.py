"""Packets and entries that together take every way through a program, found by symbolic execution.

The interpreter runs a packet on numbers that carry their terms (`terms`): what each was computed of, as bit vectors of z3. What
it decides on its way is a list of conditions (`record`); with one of them turned round, z3 gives a packet that goes another way
(`solve`). Tables answer as the search wants it (`choices`), and an entry for the key makes that true. `search` looks for what
no packet has done, `replay` counts what each did on the plain interpreter, `unreached` says why the rest was not. docs/testgen.md
"""
