"""The interpreter: what a P4 program means, over HLIR, one packet at a time.

`Switch` is its face. It is slow and plain on purpose: compiled switches are compared with it.
"""

from transpiler.interpreter.switch import Switch
from transpiler.interpreter.tables import ControlError

__all__ = ["ControlError", "Switch"]
