"""`macsad metrics`: metrics of a running switch for Prometheus."""
