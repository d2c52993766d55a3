"""`macsad tune`: candidates of the model are measured, and the fastest settings written to P.tune.toml."""
