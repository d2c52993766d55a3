"""What PSA and PNA have in common: their extern objects, and the table properties whose names differ in a prefix only."""
