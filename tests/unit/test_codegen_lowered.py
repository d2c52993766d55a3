"""What a program becomes before its C is made: locals that begin anew."""

from __future__ import annotations

import pytest
from hlir_builder import Builder, apply, emit, extract, goto, if_, state

from transpiler.codegen.renew import renew_locals
from transpiler.hlir.printer import print_body
from transpiler.hlir.program import Control, Role, Storage
from transpiler.hlir.statements import Statement
from transpiler.hlir.types import Bool

B = Builder()
B.header("h", "h_t", a=8, b=8)
B.variable("exited", Bool(), Storage.LOCAL)
ASKED = if_(B.get("exited"), [B.set("h.a", 7)])
B.action("leave", B.set("exited", 1))
B.action("ask", B.set("exited", 1), ASKED)
for table, action in (("t", "leave"), ("u", "leave"), ("asks", "ask")):
    B.table(table, [("h.a", "exact")], [action])


@pytest.mark.parametrize(
    ("body", "begins"),
    [
        ([apply("u"), ASKED], True),
        ([apply("asks")], True),
        ([apply("u")], False),  # nobody asks there
        ([ASKED], False),  # and nobody else writes it here
    ],
)
def test_a_local_that_two_controls_share_begins_anew_in_each_that_reads_it(body: list[Statement], begins: bool) -> None:
    """Also where actions write or read it."""
    program = B.build(
        [state("start", [extract("h")], goto("accept"))], [apply("t"), ASKED], egress=body, deparser=[emit("h")]
    )
    controls = {pipe.role: print_body(pipe.body) for pipe in renew_locals(program).pipes if isinstance(pipe, Control)}
    written = body != [ASKED]
    assert controls[Role.INGRESS].startswith("exited = false;") == written
    assert controls[Role.EGRESS].startswith("exited = false;") == begins
