"""What can be known of an HLIR program: locations read and written, liveness, the dependency graph."""
