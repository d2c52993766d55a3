"""Traffic and table entries made from a program: frames that reach its tables, entries that they hit or miss.

`parser_paths` finds the frames that the parser takes, `probe` and `search` those among them that reach tables, `sources`
where in the frame each bit of a key comes from. `plan` puts this together; `entries` and `frames` write millions from it.
"""
