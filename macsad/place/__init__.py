"""`macsad place`: which cores run which stages, ranked by the model and written to P.place.toml."""
