"""One module a verb: its arguments and options, what it prints, its exit code."""
