"""`macsad explain`: what a program costs, line by line, and why: measured and predicted, as one page for people."""
