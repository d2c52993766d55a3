"""`macsad testgen`: generated tests as STF, and what they cover."""
