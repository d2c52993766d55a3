"""The verifier's half for what runs: statements, expressions and key sets are typed, in place, and name what exists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from transpiler.diagnostics import Span
from transpiler.externs.row import Method, Sort
from transpiler.externs.table import METHODS
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Bool, Enum, HeaderType, String, Type, Varbit

Problem = Callable[[Span, str], None]

_ONLY_IN = {
    st.Extract: ("parser",),
    st.Lookahead: ("parser",),
    st.Advance: ("parser",),
    st.Verify: ("parser",),
    st.Emit: ("deparser",),
    st.ApplyTable: ("control", "deparser"),
}
_SHIFTS = (ex.BinaryOp.SHL, ex.BinaryOp.SHR)
_EQUALITY = (ex.BinaryOp.EQ, ex.BinaryOp.NE)
_LOGIC = (ex.BinaryOp.LAND, ex.BinaryOp.LOR)


@dataclass
class BodyVerifier:
    """Checks bodies of one parser, control or action; labels are unique over all of them."""

    program: pr.Program
    problem: Problem
    labels: set[str] = field(default_factory=set)

    def check(self, body: st.Body, place: str) -> None:
        """`place`: parser, control, deparser or action."""
        self._body(body, place, frozenset())

    # --- statements --------------------------------------------------------------------------------------------------

    def _body(self, body: st.Body, place: str, enclosing: frozenset[str]) -> None:
        for statement in body:
            allowed = _ONLY_IN.get(type(statement))
            if allowed is not None and place not in allowed:
                self.problem(statement.span, f"{type(statement).__name__} in a {place}")
            self._structured(statement, place, enclosing)
            self._simple(statement, enclosing)

    def _structured(self, statement: st.Statement, place: str, enclosing: frozenset[str]) -> None:
        match statement:
            case st.If(condition=condition, then=then, otherwise=otherwise):
                self._expect(condition, Bool(), "condition")
                self._body(then, place, enclosing)
                self._body(otherwise, place, enclosing)
            case st.While(condition=condition, body=body):
                self._expect(condition, Bool(), "condition")
                self._body(body, place, enclosing)
            case st.Block(label=label, body=body, span=span):
                if label in self.labels:
                    self.problem(span, f"label {label} is used twice")
                self.labels.add(label)
                self._body(body, place, enclosing | {label})
            case st.Switch(subject=subject, cases=cases, default=default):
                self._switch(subject, cases)
                for case in cases:
                    self._body(case.body, place, enclosing)
                self._body(default, place, enclosing)

    def _switch(self, subject: ex.Expression, cases: tuple[st.SwitchCase, ...]) -> None:
        self.expression(subject)
        if not isinstance(subject.type, Bits | Enum | Bool):
            self.problem(subject.span, f"switch over {subject.type}")
            return
        seen: set[int] = set()
        for case in cases:
            for value in case.values:
                if not _fits(value, subject.type) or value in seen:
                    self.problem(case.span, f"case {value} is out of range or there twice")
                seen.add(value)

    def _simple(self, statement: st.Statement, enclosing: frozenset[str]) -> None:
        match statement:
            case st.Assign(target=target, value=value):
                self._expect(value, self._place_type(target), "assigned value")
            case st.SetValid(header=header) | st.Emit(header=header):
                self._header(header)
            case st.CopyHeader(target=target, source=source, span=span):
                if self._header(target) != self._header(source):
                    self.problem(span, "copy between different header types")
            case st.Leave(label=label, span=span) if label not in enclosing:
                self.problem(span, f"leaves {label}, which does not enclose it")
            case st.ApplyTable():
                self._apply(statement)
            case st.CallExtern():
                self._call(statement)
            case st.Extract(header=header, varbit_bits=bits, span=span):
                type_ = self._header(header)
                has_varbit = type_ is not None and any(isinstance(f.type, Varbit) for f in type_.fields)
                if has_varbit != (bits is not None):
                    self.problem(span, "a varbit width goes with a varbit field, and only with it")
                if bits is not None:
                    self._expect_bits(bits)
            case st.Lookahead(target=target, type=type_, span=span):
                if self._place_type(target) != type_:
                    self.problem(span, f"lookahead of {type_} into another type")
            case st.Advance(bits=bits):
                self._expect_bits(bits)
            case st.Verify(condition=condition, error=error):
                self._expect(condition, Bool(), "condition")
                self._expect(error, self.program.errors, "error")

    def _apply(self, statement: st.ApplyTable) -> None:
        table = self.program.table.get(statement.table)
        if table is None:
            self.problem(statement.span, f"applies the unknown table {statement.table}")
            return
        if statement.hit is not None and self._place_type(statement.hit) != Bool():
            self.problem(statement.span, "hit goes to a bool")
        if statement.action is not None and self._place_type(statement.action) != table.action_enum:
            self.problem(statement.span, "action goes to a variable of the table's action enum")

    def _call(self, call: st.CallExtern) -> None:
        for value in call.inputs:
            self.expression(value)
        outputs = [self._place_type(output) for output in call.outputs]
        for where in call.fields:
            self._place_type(where)
        method = METHODS.get(call.method)
        if method is None:
            self.problem(call.span, f"unknown extern method {call.method}")
            return
        self._signature(call, method, outputs)
        instance = self.program.extern.get(call.instance) if call.instance is not None else None
        if (instance.kind if instance else None) != method.instance_kind or (call.instance and not instance):
            self.problem(call.span, f"{call.method} does not fit the instance {call.instance}")
        elif instance is not None:
            self._elements(call, method, instance, outputs)

    def _signature(self, call: st.CallExtern, method: Method, outputs: list[Type | None]) -> None:
        wanted = (len(method.inputs), len(method.outputs))
        if (len(call.inputs), len(outputs)) != wanted:
            self.problem(call.span, f"{call.method} takes {wanted[0]} inputs and gives {wanted[1]} outputs")
            return
        given = (
            *((value.type, isinstance(value, ex.ListExpression)) for value in call.inputs),
            *((o, False) for o in outputs),
        )
        for (type_, is_list), sort in zip(given, (*method.inputs, *method.outputs), strict=True):
            if type_ is not None and not _is_of(type_, is_list, sort):
                shown = sort.value if isinstance(sort, Sort) else str(sort)
                self.problem(call.span, f"{call.method} has {'a list' if is_list else type_} where {shown} belongs")

    def _elements(
        self, call: st.CallExtern, method: Method, instance: pr.ExternInstance, outputs: list[Type | None]
    ) -> None:
        given = zip((*(v.type for v in call.inputs), *outputs), (*method.inputs, *method.outputs), strict=False)
        moved = {type_ for type_, sort in given if sort is Sort.ELEMENT}
        if moved and moved != {width := Bits(int(instance.attribute("width")))}:
            self.problem(call.span, f"elements of {instance.name} are {width}")

    # --- places and expressions --------------------------------------------------------------------------------------

    def _header(self, header: ex.HeaderPlace) -> HeaderType | None:
        """The layout at a header place, None (and a violation) when there is none."""
        match header:
            case ex.HeaderRef(name=name):
                known = name in self.program.header
            case ex.ElementRef(stack=name, index=index):
                known = name in self.program.stack
                self._expect_bits(index)
        if not known:
            self.problem(header.span, f"unknown header {name}")
            return None
        return self.program.header_type_of[name]

    def _place_type(self, where: ex.Place) -> Type | None:
        match where:
            case ex.VariableRef(name=name):
                variable = self.program.variable.get(name)
                if variable is None:
                    self.problem(where.span, f"unknown variable {name}")
                    return None
                return variable.type
            case ex.FieldRef(header=header, field=name):
                layout = self._header(header)
                if layout is None:
                    return None
                for candidate in layout.fields:
                    if candidate.name == name:
                        return candidate.type
                self.problem(where.span, f"{layout.name} has no field {name}")
                return None

    def _expect(self, value: ex.Expression, type_: Type | None, what: str) -> None:
        self.expression(value)
        if type_ is not None and value.type != type_:
            self.problem(value.span, f"{what} is {value.type}, not {type_}")

    def _expect_bits(self, value: ex.Expression) -> None:
        self.expression(value)
        if not isinstance(value.type, Bits):
            self.problem(value.span, f"a number is needed, this is {value.type}")

    def expression(self, value: ex.Expression) -> None:
        """Check an expression and all within it."""
        match value:
            case ex.Const(value=number, type=type_):
                if not _fits(number, type_):
                    self.problem(value.span, f"constant {number} does not fit {type_}")
            case ex.Read(place=where, type=type_):
                stored = self._place_type(where)
                if stored is not None and stored != type_:
                    self.problem(value.span, f"read as {type_}, stored as {stored}")
            case ex.IsValid(header=header):
                self._header(header)
            case ex.Unary(op=op, operand=operand, type=type_):
                self._expect(operand, type_, "operand")
                if isinstance(type_, Bool) != (op is ex.UnaryOp.NOT) or not isinstance(type_, Bits | Bool):
                    self.problem(value.span, f"{op.value} of {type_}")
            case ex.Binary():
                self._binary(value)
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise, type=type_):
                self._expect(condition, Bool(), "condition")
                self._expect(then, type_, "first choice")
                self._expect(otherwise, type_, "second choice")
            case ex.Slice(operand=operand) | ex.Cast(operand=operand):
                self.expression(operand)
                self._resize(value)
            case ex.ListExpression(items=items):
                for item in items:
                    self.expression(item)

    def _resize(self, value: ex.Slice | ex.Cast) -> None:
        operand = value.operand.type
        if isinstance(value, ex.Cast):
            if not isinstance(value.type, Bits | Bool) or not isinstance(operand, Bits | Bool):
                self.problem(value.span, f"cast of {operand} to {value.type}")
        elif not isinstance(operand, Bits) or not 0 <= value.low <= value.high < operand.width:
            self.problem(value.span, f"[{value.high}:{value.low}] of {operand}")

    def _binary(self, value: ex.Binary) -> None:
        op, left, right = value.op, value.left, value.right
        self.expression(left)
        self.expression(right)
        result = value.type
        if op is ex.BinaryOp.CONCAT:
            ok = (
                isinstance(left.type, Bits)
                and isinstance(right.type, Bits)
                and isinstance(result, Bits)
                and left.type.width + right.type.width == result.width
            )
        elif op in _SHIFTS:
            ok = isinstance(result, Bits) and left.type == result and isinstance(right.type, Bits)
        elif op in _LOGIC:
            ok = left.type == right.type == result == Bool()
        elif op in ex.COMPARISONS:
            numbers = isinstance(left.type, Bits) or op in _EQUALITY
            ok = left.type == right.type and result == Bool() and numbers
        else:
            ok = isinstance(result, Bits) and left.type == right.type == result
        if not ok:
            self.problem(value.span, f"{left.type} {op.value} {right.type} as {result}")

    # --- sets --------------------------------------------------------------------------------------------------------

    def key_sets(self, sets: tuple[ex.KeySet, ...], subjects: tuple[ex.Expression, ...], span: Span) -> None:
        """Sets cover the subjects in order, a value set as many as it has members."""
        position = 0
        for keys in sets:
            match keys:
                case ex.ValueSetRef(name=name):
                    value_set = self.program.value_set.get(name)
                    if value_set is None:
                        self.problem(keys.span, f"unknown value set {name}")
                        return
                    covered = subjects[position : position + len(value_set.types)]
                    if tuple(s.type for s in covered) != value_set.types:
                        self.problem(keys.span, f"{name} does not fit what is selected on")
                    position += len(value_set.types)
                    continue
                case ex.ExactSet(value=value):
                    parts: tuple[ex.Expression, ...] = (value,)
                case ex.MaskSet(value=value, mask=mask):
                    parts = (value, mask)
                case ex.RangeSet(low=low, high=high):
                    parts = (low, high)
                case ex.AnySet():
                    parts = ()
            for part in parts:
                self._expect(part, subjects[position].type if position < len(subjects) else None, "key")
            position += 1
        if position != len(subjects):
            self.problem(span, f"{position} keys for {len(subjects)} values")


def _is_of(type_: Type, is_list: bool, sort: Bits | Bool | Sort) -> bool:
    match sort:
        case Sort.LIST:
            return is_list
        case Sort.TEXT:
            return isinstance(type_, String)
        case Sort.NUMBER | Sort.ELEMENT:
            return isinstance(type_, Bits)
        case Sort.SCALAR:
            return isinstance(type_, Bits | Bool | Enum)
    return type_ == sort


def _fits(value: int, type_: Type) -> bool:
    match type_:
        case Bits(width=width):
            return 0 <= value < 1 << width
        case Bool():
            return value in (0, 1)
        case Enum(members=members):
            return 0 <= value < len(members)
        case Varbit():
            return value == 0
    return False
