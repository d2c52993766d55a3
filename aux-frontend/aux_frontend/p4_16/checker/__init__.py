"""The P4-16 checker: names, types, overloads, constants and every other static rule of the P4-16 spec 1.2.5.

`check` walks the program once, in order, since a name is visible from its declaration on (errors are everywhere), and fills the
side tables of `Checked`. Rules report what is wrong and go on with the type Unknown, about which no rule complains.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checked import Checked
from aux_frontend.p4_16.checker import architecture, declarations, runtime_annotations, uses
from aux_frontend.p4_16.checker.rules import RULES
from aux_frontend.p4_16.checker.state import State
from transpiler.diagnostics import Diagnostics
from transpiler.recursion import deep_recursion


def check(program: ast.Program, diagnostics: Diagnostics) -> Checked:
    """Check a whole program, include files too. Raises: Rejected when an error was reported."""
    st = State(diagnostics, Checked(program), RULES)
    try:
        with deep_recursion():
            declarations.program(st, program)
    except RecursionError:
        st.error(st.last_span, "the program is nested too deeply here")
    runtime_annotations.check(st, program)
    diagnostics.raise_if_errors()
    with deep_recursion():
        uses.check_program(st, program)
        architecture.check(st, program)
    diagnostics.raise_if_errors()
    return st.checked
