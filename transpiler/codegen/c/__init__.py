"""The C that is generated: nodes, the printer that alone makes text of them, and rewrites, a file each."""
