"""Who wants to know which ways a packet takes through a program: each statement, and each arm of what branches."""

from __future__ import annotations

from transpiler.hlir.program import ParserState, Select, Table
from transpiler.hlir.statements import If, Statement, Switch, Verify, While

Branching = If | Switch | While | Verify | Select


class Watch:
    """Is told, and does nothing. `which` counts the arms of a node: of an If the condition is true (0) or false (1); of a
    Switch or a Select its cases, then none of them; a While goes round (0) or ends (1); a Verify holds (0) or not (1)."""

    def state(self, state: ParserState) -> None:
        """A parser's state begins."""

    def statement(self, statement: Statement) -> None:
        """A statement begins."""

    def arm(self, node: Branching, which: int) -> None:
        """A way is taken."""

    def outcome(self, table: Table, action: str, hit: bool) -> None:
        """A table was looked up; `action` is what runs, "" where a group has no members."""


NOBODY = Watch()
