"""Extern calls: what each means stands in `transpiler.externs`, here is what it works with."""

from __future__ import annotations

from typing import TypeVar

from transpiler.externs.requests import Requests
from transpiler.externs.row import DEFAULT_ENTRY, NUMBER, Method
from transpiler.externs.table import KINDS, METHODS
from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import number, ones
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.types import width_of
from transpiler.interpreter.evaluate import evaluate, pack, place_type, to_bytes, write
from transpiler.interpreter.run import Run
from transpiler.interpreter.store import Digest
from transpiler.interpreter.tables import Call as Chosen
from transpiler.interpreter.trace import Event

_T = TypeVar("_T")


def call_extern(run: Run, call: CallExtern) -> None:
    """Carry out one call."""
    method, made = METHODS[call.method], Call(run, call)
    if _has_index(method):
        name, index = made.instance, made.input(0)
        run.trace(Event("cell", f"{call.method} {name}[{index:#x}]", call.span, (name, (index,))))
    method.run(made)


def _has_index(method: Method) -> bool:
    """Whether the first input is the index of a cell of its instance."""
    kind = KINDS[method.instance_kind] if method.instance_kind is not None else None
    return kind is not None and kind.cell_bytes is not None and not kind.direct and method.inputs[:1] == (NUMBER,)


class Call:
    """See `externs.row.Interpreted`."""

    def __init__(self, run: Run, call: CallExtern) -> None:
        self.run, self.call = run, call
        self.span, self.fields = call.span, call.fields

    @property
    def instance(self) -> str:
        assert self.call.instance is not None, self.call.method
        return self.call.instance

    @property
    def length(self) -> int:
        return self.run.transit.length

    @property
    def now_us(self) -> int:
        return self.run.transit.now_us

    @property
    def payload(self) -> bytes:
        return self.run.transit.payload

    @property
    def requests(self) -> Requests:
        return self.run.transit.requests

    @property
    def entry(self) -> int:
        return self.run.direct_index.get(self.instance, DEFAULT_ENTRY)

    @property
    def colour(self) -> int | None:
        return self.run.direct_colour.get(self.instance)

    def state(self, type_: type[_T]) -> _T:
        return self.run.store.state(self.instance, type_)

    def input(self, position: int) -> int:
        return evaluate(self.call.inputs[position], self.run.state)

    def text(self, position: int) -> str:
        given = self.call.inputs[position]
        return given.value if isinstance(given, ex.Text) else ""

    def values(self, position: int, signed: bool = False) -> tuple[int, ...]:
        values = ((evaluate(item, self.run.state), item.type) for item in self._list(position))
        return tuple(number(value, type_) if signed else value for value, type_ in values)

    def packed(self, position: int) -> bytes:
        return to_bytes(*pack(self._list(position), self.run.state))

    def _list(self, position: int) -> tuple[ex.Expression, ...]:
        given = self.call.inputs[position]
        return given.items if isinstance(given, ex.ListExpression) else (given,)

    def output(self, value: int) -> None:
        place = self.call.outputs[0]
        write(place, value & ones(width_of(place_type(place, self.run.state))), self.run.state)

    def random(self, low: int, high: int) -> int:
        return self.run.store.random.between(low, high)

    def send_digest(self, values: tuple[int, ...]) -> None:
        self.run.store.digests.append(Digest(self.instance, values))
        self._trace("extern", f"digest {self.instance}{values}")

    def add_entry(self, action: str, data: tuple[int, ...], profile: int) -> bool:
        table, key = self.run.applied, self.run.missed
        if table is None or key is None:
            return False
        added = table.learn(key, Chosen(action, data), profile, self.now_us)
        self._trace("extern", f"add_entry {table.declared.name}: {action}, {'added' if added else 'not added'}")
        return added

    def restart_timer(self, profile: int | None) -> None:
        table, handle = self.run.applied, self.run.hit
        if table is not None and handle is not None:
            table.restart(handle, profile, self.now_us)

    def log(self, text: str) -> None:
        self.run.store.log.append(text)
        self._trace("extern", f"log: {text}")

    def fail(self) -> None:
        self.run.store.failed_asserts.append(self.span)
        self._trace("error", "assertion failed")

    def _trace(self, kind: str, text: str) -> None:
        self.run.trace(Event(kind, text, self.span))
