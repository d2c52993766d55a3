"""Measuring: contestants that run one at a time, rounds in which each has its turn, figures, tables, plots."""
