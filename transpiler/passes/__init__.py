"""Rewrites of HLIR: one file, one rewrite, a verb for a name, `run(program) -> program`."""
