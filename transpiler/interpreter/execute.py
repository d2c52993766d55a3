"""Runs statements over the state of one packet.

`run` gives the label that is being left, or None when the body ended by itself, so that `Leave` needs no exceptions.
Loops are bounded: a program that does not end is `Runaway`, and its packet is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transpiler.externs import algorithms
from transpiler.externs.counter import Counters
from transpiler.externs.meter import MeterArray
from transpiler.externs.row import DEFAULT_ENTRY
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.arithmetic import ones
from transpiler.interpreter.calls import call_extern
from transpiler.interpreter.evaluate import evaluate, evaluate_any, find_header, pack, to_bytes, write
from transpiler.interpreter.packet import ParserReject
from transpiler.interpreter.run import Run
from transpiler.interpreter.state import HeaderValue
from transpiler.interpreter.tables import Call, Entry, GroupRef, MemberRef, RuntimeTable
from transpiler.interpreter.trace import Event

LOOP_LIMIT = 100_000  # rounds of all loops of one parser or control


class Runaway(Exception):
    """A loop that did not end within `LOOP_LIMIT` rounds."""


class Execution(Run):
    """Runs statements."""

    def run(self, body: st.Body) -> str | None:
        """Run a body. Returns the label that is being left. Raises: ParserReject, Runaway."""
        for statement in body:
            left = self._step(statement)
            if left is not None:
                return left
        return None

    def tick(self) -> None:
        """Count a round of a loop. Raises: Runaway."""
        self.rounds += 1
        if self.rounds > LOOP_LIMIT:
            raise Runaway

    def _step(self, statement: st.Statement) -> str | None:
        self.watch.statement(statement)
        branch = _BRANCHES.get(type(statement))
        if branch is None:
            self._simple(statement)
            return None
        return branch(self, statement)

    def _if(self, statement: st.If) -> str | None:
        holds = bool(evaluate(statement.condition, self.state))
        self.watch.arm(statement, 0 if holds else 1)
        return self.run(statement.then if holds else statement.otherwise)

    def _switch(self, statement: st.Switch) -> str | None:
        value, cases = evaluate(statement.subject, self.state), statement.cases
        which = next((i for i, c in enumerate(cases) if value in c.values), len(cases))
        self.watch.arm(statement, which)
        return self.run(cases[which].body if which < len(cases) else statement.default)

    def _block(self, statement: st.Block) -> str | None:
        left = self.run(statement.body)
        return None if left == statement.label else left

    def _leave(self, statement: st.Leave) -> str | None:
        return statement.label

    def _loop(self, loop: st.While) -> str | None:
        while evaluate(loop.condition, self.state):
            self.watch.arm(loop, 0)
            self.tick()
            left = self.run(loop.body)
            if left is not None:
                return left
        self.watch.arm(loop, 1)
        return None

    def _simple(self, statement: st.Statement) -> None:
        _SIMPLE.get(type(statement), Execution._parse)(self, statement)

    def _assign(self, statement: st.Assign) -> None:
        target = statement.target
        write(target, evaluate_any(statement.value, self.state), self.state)
        if isinstance(target, ex.VariableRef):
            self.transit.written[target.name] = statement.span

    def _set_valid(self, statement: st.SetValid) -> None:
        header = find_header(statement.header, self.state)
        if header is not None:
            header.valid = statement.valid

    def _emit(self, statement: st.Emit) -> None:
        header = find_header(statement.header, self.state)
        if header is not None:
            self.writer.emit(header)

    def _copy(self, statement: st.CopyHeader) -> None:
        to, origin = find_header(statement.target, self.state), find_header(statement.source, self.state)
        if to is not None:
            to.copy_from(origin if origin is not None else HeaderValue.fresh(to.layout))

    # --- parsers -----------------------------------------------------------------------------------------------------

    def _parse(self, statement: st.Statement) -> None:
        match statement:
            case st.Extract(header=place, varbit_bits=bits, span=span):
                width = None if bits is None else evaluate(bits, self.state)
                header = find_header(place, self.state)
                if header is None:
                    raise ParserReject("StackOutOfBounds")
                self.reader.extract(header, width)
                self.trace(Event("extract", f"{_name(place)} up to byte {self.reader.cursor // 8}", span))
            case st.Lookahead(target=target, type=type_):
                self.state.variables[target.name] = self.reader.peek(type_.width)
            case st.Advance(bits=bits):
                self.reader.advance(evaluate(bits, self.state))
            case st.Verify(condition=condition, error=error):
                holds = bool(evaluate(condition, self.state))
                self.watch.arm(statement, 0 if holds else 1)
                if not holds:
                    members = self.state.program.errors.members
                    raise ParserReject(members[evaluate(error, self.state)])

    # --- tables ------------------------------------------------------------------------------------------------------

    def _apply(self, statement: st.ApplyTable) -> None:
        table = self.store.tables[statement.table]
        values = tuple(evaluate(k.expression, self.state) for k in table.keys)
        table.expire(self.transit.now_us)
        entry = table.lookup(values)
        call = self._chosen(table, entry)
        self._tell(table, values, entry, call, statement)
        if table.selector_keys and entry is not None:
            self._tell_selection(table, statement)
        self._account(table, entry)
        self._give_results(statement, table, entry, call)
        self.applied, self.missed = table, values if entry is None else None
        self.hit = entry.handle if entry is not None else None
        self.watch.outcome(table.declared, call.action, entry is not None)
        self.run_action(call)

    def run_action(self, call: Call) -> None:
        """Run an action with its data; a group without members has none to run."""
        action = self.state.program.action.get(call.action)
        if action is None:
            return
        self.trace(Event("action", lambda: _shown(call), action.span))
        self.state.variables.update(zip(action.parameters, call.arguments, strict=True))
        self.run(action.body)

    def _chosen(self, table: RuntimeTable, entry: Entry | None) -> Call:
        if entry is None:
            return table.default
        match entry.choice:
            case Call() as call:
                return call
            case MemberRef(member=member):
                return self.store.profiles[str(table.declared.implementation)].members.get(member, Call(""))
            case GroupRef(group=group):
                return self._member_of(table, group)

    def _member_of(self, table: RuntimeTable, group: int) -> Call:
        profile = self.store.profiles[str(table.declared.implementation)]
        members = profile.groups.get(group, [])
        if not members:
            return Call("")
        data = to_bytes(*pack(tuple(k.expression for k in table.selector_keys), self.state))
        value = algorithms.compute(profile.algorithm, data)
        value = self.store.random.next() if value is None else value
        return profile.members[members[(value & ones(profile.width)) % len(members)]]

    def _give_results(self, statement: st.ApplyTable, table: RuntimeTable, entry: Entry | None, call: Call) -> None:
        """Set the variables that say whether there was a hit, and which action is run."""
        if statement.hit is not None:
            self.state.variables[statement.hit.name] = int(entry is not None)
        if statement.action is not None:
            names = table.declared.action_enum.members
            self.state.variables[statement.action.name] = names.index(call.action) if call.action in names else 0

    def _account(self, table: RuntimeTable, entry: Entry | None) -> None:
        index = DEFAULT_ENTRY if entry is None else entry.handle
        for name in table.declared.direct:
            instance = self.state.program.extern[name]
            self.direct_index[name] = index
            if entry is None or not instance.attribute("automatic"):
                self.direct_colour.pop(name, None)
            elif instance.kind == "direct_counter":
                self.store.state(name, Counters).count(index, self.transit.length)
            else:
                meters = self.store.state(name, MeterArray)
                colour = meters.colour(index, self.transit.length, self.transit.now_us)
                self.direct_colour[name] = colour

    def _tell(
        self, table: RuntimeTable, values: tuple[int, ...], entry: Entry | None, call: Call, statement: st.ApplyTable
    ) -> None:
        def text() -> str:
            keys = ", ".join(f"{k.name}={v:#x}" for k, v in zip(table.keys, values, strict=True))
            outcome = "miss" if entry is None else f"hit entry {entry.handle}"
            return f"{table.declared.name}({keys}): {outcome} -> {_shown(call)}"

        self.trace(Event("table", text, statement.span))

    def _tell_selection(self, table: RuntimeTable, statement: st.ApplyTable) -> None:
        name, keys = table.declared.name, table.selector_keys
        values = tuple(evaluate(key.expression, self.state) for key in keys)
        hashed = ", ".join(f"{key.name}={value:#x}" for key, value in zip(keys, values, strict=True))
        self.trace(Event("select", f"{name} by {hashed}", statement.span, (name, values)))


_BRANCHES: dict[type, Callable[[Execution, Any], str | None]] = {
    st.If: Execution._if,
    st.Switch: Execution._switch,
    st.Block: Execution._block,
    st.Leave: Execution._leave,
    st.While: Execution._loop,
}
_SIMPLE: dict[type, Callable[[Execution, Any], None]] = {
    st.Assign: Execution._assign,
    st.SetValid: Execution._set_valid,
    st.CopyHeader: Execution._copy,
    st.ApplyTable: Execution._apply,
    st.CallExtern: call_extern,
    st.Emit: Execution._emit,
}


def _shown(call: Call) -> str:
    return f"{call.action or 'no action'}({', '.join(f'{a:#x}' for a in call.arguments)})"


def _name(place: ex.HeaderPlace) -> str:
    return place.name if isinstance(place, ex.HeaderRef) else f"{place.stack}[…]"
