"""Actions: their primitives, with jumps between them as `if`s and blocks.

An action becomes an HLIR action for a table that may run it with data; one that a table without keys always runs becomes a
part of its control (`inlined`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from aux_frontend.bmv2_json.expressions import Expressions
from aux_frontend.bmv2_json.externs import Externs
from aux_frontend.bmv2_json.numbers import Number, ranged
from aux_frontend.bmv2_json.primitives import EXITED, Primitives
from aux_frontend.bmv2_json.storage import MAX_WIDTH, Storage
from aux_frontend.bmv2_json.structure import Cycle, Go, Structured
from aux_frontend.bmv2_json.text import Invalid, Node
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.traverse import walk
from transpiler.hlir.types import Bits

_JUMPS = {"_jump": 1, "_jump_if_zero": 2}


@dataclass
class Actions:
    """`made`: the HLIR actions, in the order of first use."""

    storage: Storage
    externs: Externs
    made: dict[str, pr.Action] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.ids: dict[str, int] = {}
        self._labels = count(1)
        self.storage.each("actions", self._action)

    def _action(self, node: Node) -> None:
        number, name = node.get("id"), node.get("name").text()
        if number.integer() in self.nodes:
            raise number.fail("another action has this id")
        self.nodes[number.integer()] = node
        self.ids.setdefault(name, number.integer())

    def check_rest(self, used: set[int]) -> None:
        """Those that nothing runs, so that their mistakes are told too."""
        for number, node in self.nodes.items():
            if number not in used:
                try:
                    self._body(node, self._parameters(node, node.get("name").text()))
                except Invalid:
                    continue

    def node(self, number: Node) -> Node:
        """The action of an id. Raises: Invalid."""
        found = self.nodes.get(number.integer())
        if found is None:
            raise number.fail("no action has this id")
        return found

    def name(self, number: int) -> str:
        return self.nodes[number].get("name").text()

    def takes_data(self, number: int) -> bool:
        return bool(self.nodes[number].listed("runtime_data"))

    # --- as actions of tables ----------------------------------------------------------------------------------------

    def make(self, number: int, prologue: st.Body = ()) -> pr.Action:
        """A new HLIR action of an id; of another name where that is taken. Raises: Invalid."""
        node = self.nodes[number]
        name = node.get("name").text()
        unique, annotations = name, ()  # type: str, tuple[pr.Annotation, ...]
        if name in self.made:
            unique = next(made for i in count(1) if (made := f"{name}_{i}") not in self.made)
            annotations = (pr.Annotation("name", f'"{name}"', node.span),)
        parameters = self._parameters(node, unique)
        names = tuple(read.place.name for read in parameters if isinstance(read.place, ex.VariableRef))
        body = (*prologue, *self._body(node, parameters))
        self.made[unique] = pr.Action(unique, names, body, node.span, annotations)
        return self.made[unique]

    def _parameters(self, node: Node, name: str) -> list[ex.Read]:
        found = []
        for item in node.listed("runtime_data"):
            type_ = Bits(item.get("bitwidth").integer(1, MAX_WIDTH))
            place = self.storage.variable(f"{name}.{item.get('name').text()}", type_, pr.Storage.ACTION_DATA, item.span)
            found.append(ex.Read(place, type_, item.span))
        return found

    def inlined(self, number: int) -> st.Body:
        """The statements of an action that takes no data. Raises: Invalid."""
        return self._body(self.nodes[number], [])

    @staticmethod
    def exits(body: st.Body) -> bool:
        """Whether it may end the pipeline."""
        return any(isinstance(s, st.Assign) and _is_exited(s.target) for s in walk(body))

    # --- bodies ------------------------------------------------------------------------------------------------------

    def _body(self, node: Node, parameters: list[ex.Read]) -> st.Body:
        def local(index: Node) -> Number:
            if not parameters:
                raise index.fail("the action takes no runtime data")
            return ranged(parameters[index.integer(0, len(parameters) - 1)])

        values = Expressions(self.storage, self.externs.register, local)
        return _Flow(node, Primitives(self.storage, self.externs, values), self._labels).body()


def _is_exited(place: ex.Place) -> bool:
    return isinstance(place, ex.VariableRef) and place.name == EXITED


class _Flow:
    """The primitives of an action by their numbers, behind which is the end; those that something jumps to begin a stretch."""

    def __init__(self, node: Node, primitives: Primitives, labels: Iterator[int]) -> None:
        self.node = node
        self.primitives = primitives
        self.calls = node.listed("primitives")
        self.targets = {i: self._target(call) for i, call in enumerate(self.calls) if call.get("op").text() in _JUMPS}
        self.starts = {0, *self.targets.values(), *(i + 1 for i in self.targets)}
        self._numbers = labels
        self._named: dict[int, str] = {}

    def _target(self, call: Node) -> int:
        name = call.get("op").text()
        offset = call.get("parameters").tuple(_JUMPS[name])[-1]
        number = self.primitives.values.exact(offset)
        if not isinstance(number.value, ex.Const) or not 0 <= number.low <= len(self.calls):
            raise offset.fail("a jump must go to one of the action's primitives")
        return number.low

    def body(self) -> st.Body:
        if not self.targets:
            return self._code(0, lambda _: ())
        try:
            return Structured(0, self._after, self._code, self._label, self.node.span).body()
        except Cycle:
            raise self.node.fail("a jump back within an action is not supported") from None

    def _label(self, start: int) -> str:
        if start not in self._named:
            self._named[start] = f"jump_{next(self._numbers)}"
        return self._named[start]

    def _stretch(self, start: int) -> tuple[int, int | None]:
        """Where the stretch ends, and its jump, if it has one."""
        place = start
        while place < len(self.calls):
            if place in self.targets:
                return place, place
            place += 1
            if place in self.starts:
                break
        return place, None

    def _after(self, start: int) -> list[int]:
        end, jump = self._stretch(start)
        if start == len(self.calls):
            return []
        if jump is None:
            return [end]
        if self.calls[jump].get("op").value == "_jump":
            return [self.targets[jump]]
        return [jump + 1, self.targets[jump]]

    def _code(self, start: int, go: Go[int]) -> st.Body:
        end, jump = self._stretch(start)
        body: list[st.Statement] = []
        for call in self.calls[start:end]:
            try:
                body += self.primitives.call(call)
            except Invalid:
                continue
        if jump is None:
            return (*body, *(go(end) if end > start else ()))
        call = self.calls[jump]
        if call.get("op").value == "_jump":
            return (*body, *go(self.targets[jump]))
        condition, before = self._condition(call)
        then, otherwise = go(jump + 1), go(self.targets[jump])
        return (*body, *before, st.If(condition, then, otherwise, call.span))

    def _condition(self, call: Node) -> tuple[ex.Expression, st.Body]:
        values = self.primitives.values
        condition = values.truth(call.get("parameters").items()[0])
        before, values.before = tuple(values.before), []
        return condition, before
