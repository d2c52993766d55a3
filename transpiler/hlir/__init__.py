"""HLIR: the one representation of a P4 program, whichever language it came from.

`types`, `expressions`, `statements` and `program` are the nodes; `externs` the vocabulary of extern calls;
`verifier` says whether a program is well-formed; `printer` writes it as text for people and golden tests.
"""
