"""What architectures ask of a program beyond the language: a file for each, chosen by the package of `main`.

The rules look only at what `main` uses, since a file may hold more than one program's worth of controls.
"""

from __future__ import annotations

from collections.abc import Callable

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker import control_names
from aux_frontend.p4_16.checker.architectures import pna, psa, v1model
from aux_frontend.p4_16.checker.architectures.uses import Uses, gather
from aux_frontend.p4_16.checker.state import State

_RULES: dict[str, Callable[[State, Uses], None]] = {
    "V1Switch": v1model.check,
    "PSA_Switch": psa.check,
    "PNA_NIC": pna.check,
}


def check(st: State, program: ast.Program) -> None:
    """Check a program without other errors against its architecture; one without `main` or of another passes."""
    for main in program.declarations:
        if isinstance(main, ast.Instantiation) and main.name == "main":
            call = st.checked.calls.get(main)
            package = call.target if call is not None else None
            rule = _RULES.get(package.name) if isinstance(package, ast.PackageDeclaration) else None
            found = gather(st, main)
            control_names.check(st, found)
            if rule is not None:
                rule(st, found)
