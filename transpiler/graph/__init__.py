"""Drawings of a program for people: its parser, its controls, the dependencies of its tables. DOT, JSON, SVG and PNG."""
