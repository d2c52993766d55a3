"""PNA, whose programs can be checked, not run."""
