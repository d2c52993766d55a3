"""Whether an HLIR program is well-formed: `program.py` looks at declarations, `bodies.py` at what runs."""

from transpiler.verifier.program import Malformed, verify

__all__ = ["Malformed", "verify"]
