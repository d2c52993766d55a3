"""The command: one module a verb. Arguments, exit codes and printing; no compiler logic."""
