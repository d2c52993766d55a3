"""What a program will cost on a machine: throughput as a function of B and b, in plain Python, each term with its source."""
