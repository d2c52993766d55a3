"""Placement of a program's stages on cores: what each placement is predicted to forward, in plain Python, each term with its
source."""
