"""Action profiles and selectors: members that the entries of tables share. No method: a table has one, no call."""

from __future__ import annotations

from transpiler.externs.row import Kind

ROWS = (
    Kind(name="action_profile", attributes=("size",), c="MACS_ACTION_PROFILE"),
    Kind(name="action_selector", attributes=("size", "algorithm", "width"), c="MACS_ACTION_SELECTOR"),
)
