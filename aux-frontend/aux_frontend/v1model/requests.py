"""What v1model can be asked for in one pipe only: its documentation allows a call of the kind nowhere else, and there nothing
would come of it.

    clone(CloneType.I2E, …), resubmit       in ingress
    clone(CloneType.E2E, …), recirculate    in egress
    standard metadata                       not in a checksum control behind egress nor in a deparser, where mark_to_drop and
                                            verify_checksum can be called, but nothing reads what they have set

Source: the comments of v1model.p4; p4c refuses the same. Of code that compile-time constants leave out nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.diagnostics import Diagnostics
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.traverse import walk

_ASKED = {
    "clone.ingress": (pr.Role.INGRESS, "only ingress can ask for an I2E clone"),
    "clone.egress": (pr.Role.EGRESS, "only egress can ask for an E2E clone"),
    "resubmit.request": (pr.Role.INGRESS, "only ingress can resubmit a packet"),
    "recirculate.request": (pr.Role.EGRESS, "only egress can recirculate a packet"),
}
_BEHIND_EGRESS = (pr.Role.COMPUTE_CHECKSUM, pr.Role.DEPARSER)
_PLACES = {
    pr.Role.PARSER: "the parser",
    pr.Role.VERIFY_CHECKSUM: "the control that verifies checksums",
    pr.Role.INGRESS: "ingress",
    pr.Role.EGRESS: "egress",
    pr.Role.COMPUTE_CHECKSUM: "the control that computes checksums",
    pr.Role.DEPARSER: "the deparser",
}


def check_requests(program: pr.Program, diagnostics: Diagnostics) -> None:
    """Report what is asked for where nothing comes of it."""
    for pipe in program.pipes:
        found = {(s.span, p): None for s in _run(program, pipe) if (p := _problem(program, pipe.role, s)) is not None}
        for span, problem in found:
            diagnostics.error(span, problem, (pipe.span, f"it is called in {_PLACES[pipe.role]}"))


def _problem(program: pr.Program, role: pr.Role, statement: st.Statement) -> str | None:
    match statement:
        case st.CallExtern(method=method) if method in _ASKED:
            where, problem = _ASKED[method]
            return problem if role is not where else None
        case st.Assign(target=ex.VariableRef(name=name)) if role in _BEHIND_EGRESS:
            if program.variable[name].storage is pr.Storage.INTRINSIC:
                return f"nothing reads '{name}' any more where this sets it"
    return None


def _run(program: pr.Program, pipe: pr.Pipe) -> Iterator[st.Statement]:
    """The statements of a pipe and of the actions of its tables."""
    bodies = (pipe.body,) if isinstance(pipe, pr.Control) else tuple(state.body for state in pipe.states)
    for body in bodies:
        for statement in walk(body):
            yield statement
            if isinstance(statement, st.ApplyTable):
                table = program.table[statement.table]
                for name in dict.fromkeys((*(use.action for use in table.actions), table.default_action.action)):
                    yield from walk(program.action[name].body)
