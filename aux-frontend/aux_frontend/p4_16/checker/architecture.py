"""What architectures ask of a program beyond the language, chosen by the package of `main`.

The rules look only at what `main` uses, since a file may hold more than one program's worth of controls.
"""

from __future__ import annotations

from collections.abc import Callable

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.architectures.find import part
from aux_frontend.p4_16.architectures.uses import Uses, gather
from aux_frontend.p4_16.checker import control_names
from aux_frontend.p4_16.checker.state import State


def check(st: State, program: ast.Program) -> None:
    """Check a program without other errors against its architecture; one without `main` or of another passes."""
    for main in program.declarations:
        if isinstance(main, ast.Instantiation) and main.name == "main":
            call = st.checked.calls.get(main)
            package = call.target if call is not None else None
            rules = part(package.name, "rules") if isinstance(package, ast.PackageDeclaration) else None
            found = gather(st, main)
            control_names.check(st, found)
            if rules is not None:
                rule: Callable[[State, Uses], None] = rules.check
                rule(st, found)
