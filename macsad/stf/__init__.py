"""STF, the packet tests that P4 people know: what goes in, what entries there are, what must come out.

`parser` reads a file, `plan` finds the names in it in a program, `runner` carries it out on a `device`.
"""
