"""`macsad trace`: packets of a running switch, told by the interpreter with the entries that the switch has."""
