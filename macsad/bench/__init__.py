"""Measurements: contestants (programs that run one at a time), rounds that measure each once, statistics, tables, plots."""
