"""Elaboration: from a checked P4-16 program to HLIR. `program.elaborate` is the way in.

program.py      the main package, its architecture, the finished Program
unit.py         the program under construction
scope.py        names, and objects, which they can be bound to; values.py: what else; frames.py: calls and loops under way
layout.py       types to storage; places.py: reading, writing, comparing it; convert.py: casts and initializers
expressions.py, operators.py, choices.py, calls.py, effects.py, fold.py
statements.py, switches.py, loops.py, inline.py (frames), bind.py (parameters), stacks.py
controls.py, tables.py, table_actions.py, parsers.py, sets.py, instances.py, names.py
core.py         core.p4; architecture.py: the plug of an architecture; passed_on.py: externs that only pass on arguments
"""
