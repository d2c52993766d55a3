"""Targets: what a machine that programs are compiled for can do, declared as data."""
