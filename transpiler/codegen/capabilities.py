"""Reports what a target does not support, before C is generated, at the place in the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from transpiler.analysis.locations import actions_of
from transpiler.codegen.kernels import Choice, Chooser
from transpiler.codegen.packing import flattened, varies
from transpiler.codegen.tables import key_bytes, members_key
from transpiler.diagnostics import Diagnostics, Span
from transpiler.externs.table import METHODS, is_direct
from transpiler.hlir.expressions import ElementRef, FieldRef, Place, Text, VariableRef
from transpiler.hlir.program import Control, MatchKind, Parser, Program, Select, Table, TableKey, ValueSet
from transpiler.hlir.statements import ApplyTable, CallExtern, Emit, Statement
from transpiler.hlir.traverse import program_statements, walk
from transpiler.hlir.types import Bits, Varbit, width_of
from transpiler.schedule.architectures import preserved_lists
from transpiler.targets.target import Kernel, Target

MAX_LISTS = 256  # of preserved fields: their numbers stand in one byte of struct macs_packet


class Located(Protocol):
    """Any HLIR node."""

    @property
    def span(self) -> Span: ...


def check(
    program: Program,
    target: Target,
    diagnostics: Diagnostics,
    requested: Mapping[str, str] | None = None,
) -> dict[str, Choice]:
    """Report everything that the target lacks; the kernel of each table with a key, `requested` or chosen. Raises: Rejected."""
    checker = _Checker(program, target, diagnostics, Chooser(program, target, diagnostics, requested or {}))
    kernels = checker.run()
    diagnostics.raise_if_errors()
    _without_figures(kernels, diagnostics)
    return kernels


def _without_figures(choices: Mapping[str, Choice], diagnostics: Diagnostics) -> None:
    """Warn of kernels without `memory` figures, at their descriptions."""
    tables: dict[Kernel, list[str]] = {}
    for name, choice in choices.items():
        if not choice.has_figures:
            tables.setdefault(choice.kernel, []).append(name)
    for kernel, names in tables.items():
        file, _, line = kernel.place.rpartition(":")
        what = (
            f"the kernel '{kernel.name}' has no `memory` figures: however small it is, a stage of its own is made for"
        )
        diagnostics.warning(
            Span(file, int(line), 1), "kernel", f"{what} {', '.join(names)} (see docs/extend/kernel.md)"
        )


class _Checker:
    def __init__(self, program: Program, target: Target, diagnostics: Diagnostics, chooser: Chooser) -> None:
        self.program = program
        self.target = target
        self.diagnostics = diagnostics
        self.chooser = chooser

    def run(self) -> dict[str, Choice]:
        if self.program.architecture.value not in self.target.architectures:
            message = f"target '{self.target.name}' does not run architecture '{self.program.architecture.value}'"
            self.diagnostics.error(self.program.span, message)
        self._header_layouts()
        self._bridges()
        for statement in program_statements(self.program):
            self._statement(statement)
        # lists can be told apart where all that they have has a name
        if not self.diagnostics.error_count and len(preserved_lists(self.program)) > MAX_LISTS:
            self._lacks(self.program, f"more than {MAX_LISTS} lists of preserved fields")
        for pipe in self.program.pipes:
            for statement in walk(pipe.body) if isinstance(pipe, Control) else ():
                if isinstance(statement, CallExtern) and is_direct(statement.method):
                    self._lacks(statement, f"'{statement.method}' outside of the actions of its table")
        self._parsers()
        kernels: dict[str, Choice] = {}
        for table in self.program.tables:
            if (kernel := self._table(table)) is not None:
                kernels[table.name] = kernel
        for value_set in self.program.value_sets:
            if (kernel := self._key_kernel(value_set, members_key(value_set))) is not None:
                kernels[value_set.name] = kernel
        return kernels

    def _bridges(self) -> None:
        for bridge in self.program.bridges:
            variables = [self.program.variable[name].type for name in bridge.variables]
            layouts = [self.program.header_type_of[name] for name in bridge.headers]
            if any(isinstance(t, Varbit) for t in (*variables, *(f.type for layout in layouts for f in layout.fields))):
                self._lacks(bridge, "a varbit in metadata that go along with a packet")

    def _lacks(self, node: Located, what: str) -> None:
        self.diagnostics.error(node.span, f"target '{self.target.name}' does not support {what}")

    def _header_layouts(self) -> None:
        for layout in self.program.header_types:
            if layout.fixed_bits % 8:
                self._lacks(layout, f"headers that are not whole bytes: '{layout.name}' has {layout.fixed_bits} bits")
            at = 0
            for field in layout.fields:
                if isinstance(field.type, Varbit) and at % 8:
                    self._lacks(field, f"a varbit field that does not begin at a byte ('{field.name}')")
                at += width_of(field.type) if not isinstance(field.type, Varbit) else 0

    def _statement(self, statement: Statement) -> None:
        match statement:
            case CallExtern():
                self._call(statement)
            case Emit(header=ElementRef()):
                self._lacks(statement, "emitting a stack element whose index is known at run time only")

    def _is_varbit(self, place: Place) -> bool:
        if isinstance(place, VariableRef):
            return isinstance(self.program.variable[place.name].type, Varbit)
        name = place.header.stack if isinstance(place.header, ElementRef) else place.header.name
        return isinstance(self.program.header_type_of[name].field(place.field).type, Varbit)

    def _call(self, call: CallExtern) -> None:
        if call.method not in self.target.externs:
            self._lacks(call, f"the extern method '{call.method}' ({METHODS[call.method].doc})")
        for place in call.fields if METHODS[call.method].keeps else ():
            if isinstance(place, FieldRef) and isinstance(place.header, ElementRef):
                self._lacks(call, f"preserving '{place.field}' of a stack element chosen at run time")
            if self._is_varbit(place):
                self._lacks(call, "preserving a varbit")
        values = [value for expression in call.inputs for value in flattened(expression)]
        if not call.method.startswith("hash."):
            if varies(tuple(values)):
                self._lacks(call, "a varbit in a list other than a hash's or checksum's")
        else:
            algorithm = call.inputs[0]
            if isinstance(algorithm, Text) and algorithm.value not in self.target.hash_algorithms:
                known = ", ".join(sorted(self.target.hash_algorithms))
                self._lacks(call, f"the hash algorithm '{algorithm.value}' (it has {known})")

    def _parsers(self) -> None:
        for pipe in self.program.pipes:
            for state in pipe.states if isinstance(pipe, Parser) else ():
                if isinstance(state.transition, Select):
                    for subject in state.transition.subjects:
                        if isinstance(subject.type, Varbit):
                            self._lacks(subject, "selecting on a varbit")

    def _table(self, table: Table) -> Choice | None:
        if table.implementation is not None:
            self._profile(table, table.implementation)
        return self._key_kernel(table, table.keys)

    def _profile(self, table: Table, name: str) -> None:
        """Members have one number in all tables that share the profile, which is no table's action_run where these differ."""
        run = {s.table for s in program_statements(self.program) if isinstance(s, ApplyTable) and s.action is not None}
        own = dict.fromkeys([*(use.action for use in table.actions), table.default_action.action])
        if table.name in run and tuple(own) != tuple(action.name for action in actions_of(self.program, table.name)):
            self._lacks(table, f"action_run of a table that shares '{name}' with tables of other actions")
        extern = self.program.extern[name]
        if extern.kind == "action_selector" and extern.attribute("algorithm") not in self.target.hash_algorithms:
            self._lacks(extern, f"the hash algorithm '{extern.attribute('algorithm')}'")

    def _key_kernel(self, node: Table | ValueSet, keys: tuple[TableKey, ...]) -> Choice | None:
        for key in keys:
            if isinstance(key.expression.type, Varbit):
                self._lacks(key, "matching on a varbit")
                return None
            if key.match_kind is MatchKind.RANGE and isinstance(type_ := key.expression.type, Bits) and type_.signed:
                self._lacks(key, "a range of signed numbers; cast the key to bit<W>")
                return None
        size = key_bytes(keys)
        if size > self.target.max_key_bytes:
            self._lacks(node, f"a key of {size} bytes ('{node.name}'; at most {self.target.max_key_bytes})")
        return self.chooser.choose(node, keys)
