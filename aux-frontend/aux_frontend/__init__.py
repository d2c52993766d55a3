"""Plug-in frontends: each reads one language and produces HLIR."""
