"""Splits a pipeline into stages at the points that may miss the cache.

`pipeline` says what runs in which order; `tree` numbers it; `split` cuts it at table lookups into stages; `order` undoes
cuts that would let one packet overtake another at a register; `numbering` makes the result of it; `live` and `live_values` find
what lives across stages; `scheduler` puts them together.
"""
