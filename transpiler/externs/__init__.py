"""What programs can call beyond the language: a file for each kind of extern, with its types, its effect, what it means
and what it is in C. `table.py` has them all, `row.py` what such a file is made of."""
