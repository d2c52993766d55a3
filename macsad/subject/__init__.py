"""A program that is measured before it is tuned or placed."""
