"""What PSA and PNA have in common: their extern objects, their own structures, and the table
properties whose names differ in a prefix only."""
