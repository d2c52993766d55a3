"""Direct counters and meters that no table owns: there is no entry that they could have an element of, so a call counts nothing
and finds the colour that it had, green where it had none. That is what `direct_meter.read` does where its table has missed."""

from __future__ import annotations

from dataclasses import replace

from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.traverse import bodies, rebuild
from transpiler.hlir.types import Bits


def without_unowned(program: pr.Program) -> pr.Program:
    """The program without the direct objects that no table owns, and their calls as what they come to."""
    owned = {name for table in program.tables for name in table.direct}
    unowned = {e.name for e in program.externs if e.kind.startswith("direct_")} - owned
    if not unowned:
        return program

    def change(body: st.Body) -> st.Body:
        changed = (rebuild(s, change) if bodies(s) else s for s in body)
        return tuple(
            made
            for s in changed
            for made in (_comes_to(s) if isinstance(s, st.CallExtern) and s.instance in unowned else (s,))
        )

    return replace(
        program,
        externs=tuple(e for e in program.externs if e.name not in unowned),
        actions=tuple(replace(action, body=change(action.body)) for action in program.actions),
        pipes=tuple(replace(p, body=change(p.body)) if isinstance(p, pr.Control) else p for p in program.pipes),
    )


def _comes_to(call: st.CallExtern) -> st.Body:
    """Colours are numbers of one width: what `read` and `execute_aware` start from is their first input."""
    if not call.outputs:
        return ()
    (target,) = call.outputs
    before = call.inputs[0] if call.inputs else ex.Const(0, Bits(8), call.span)
    return (st.Assign(target, before, call.span),)
