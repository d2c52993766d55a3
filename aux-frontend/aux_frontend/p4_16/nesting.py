"""How deep a program may nest: the parser rejects deeper ones with a message, so that every later walk is safe under
`deep_recursion`."""

MAX_NESTING = 400  # levels of the syntax tree: parentheses, operators in a row, statements, types
