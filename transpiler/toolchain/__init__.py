"""From C to a binary: which compiler, which flags, the backend compiled once and kept."""
