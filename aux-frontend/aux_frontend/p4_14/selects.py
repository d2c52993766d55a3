"""`return select(…)` and parser value sets. Specification 1.0.5 sections 4.3 and 4.5."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.builder import number
from aux_frontend.p4_14.scope import fold
from aux_frontend.p4_14.values import Env, Invalid, Loose, Values
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr
from transpiler.hlir.types import Bits

VALUE_SET_SIZE = 4  # members, when no @pragma parser_value_set_size says otherwise


class Selects:
    """`value_sets` collects those that are used, typed by what they are compared with."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.scope = values.scope
        self.value_sets: dict[str, pr.ValueSet] = {}

    def elaborate(
        self, select: ast.Select, env: Env, target: Callable[[ast.Go], str], default: str | None
    ) -> pr.Select:
        """`target` names the state that a case leads to; `default` is for values without a case."""
        targets = [target(case.go) for case in select.cases]  # looked at even when the rest has no meaning
        subjects = tuple(self._subject(item, env) for item in select.subjects)
        if not subjects:
            raise self.values.fail(select.span, "select needs an expression")
        whole = all(len(case.values) == 1 for case in select.cases)
        if whole and any(isinstance(case.values[0].value, ast.Ref) for case in select.cases):
            subjects = (reduce(_joined, subjects),)  # a value set has whole values, wherever it is used
        types = tuple(s.type for s in subjects if isinstance(s.type, Bits))
        cases: list[pr.SelectCase] = []
        covered = False
        for case, state in zip(select.cases, targets, strict=True):
            try:
                for keys in self._keys(case, types):
                    cases.append(pr.SelectCase(keys, state, case.span))
                    covered = covered or all(isinstance(key, ex.AnySet) for key in keys)
            except Invalid:
                continue
        if default is not None and not covered:
            cases.append(pr.SelectCase(tuple(ex.AnySet(select.span) for _ in types), default, select.span))
        return pr.Select(subjects, tuple(cases), select.span)

    def _subject(self, expression: ast.Expression, env: Env) -> ex.Expression:
        value = self.values.operand(expression, env)
        if isinstance(value, Loose):
            return number(value.value, Bits(max(value.value.bit_length(), 1)), value.span)
        if not isinstance(value.type, Bits):
            raise self.values.fail(expression.span, f"cannot select on a value of type {value.type}")
        return value

    def _keys(self, case: ast.SelectCase, types: tuple[Bits, ...]) -> list[tuple[ex.KeySet, ...]]:
        """The key sets of a case: one for all its values together, or one for each when there is one subject."""
        values = case.values
        if len(values) == 1:
            return [self._whole(values[0], types)]
        if len(values) == len(types):
            return [tuple(self._key(value, type_) for value, type_ in zip(values, types, strict=True))]
        if len(types) == 1:
            return [self._whole(value, types) for value in values]
        raise self.values.fail(case.span, f"{len(values)} values for {len(types)} expressions of the select")

    def _whole(self, item: ast.CaseValue, types: tuple[Bits, ...]) -> tuple[ex.KeySet, ...]:
        """One value for all subjects: it is compared with them in a row, the first one in the highest bits."""
        if item.value is None:
            return tuple(ex.AnySet(item.span) for _ in types)
        if isinstance(item.value, ast.Ref):
            return (self._value_set(item, item.value, types),)
        total = sum(type_.width for type_ in types)
        value, mask = self._numbers(item, total)
        keys: list[ex.KeySet] = []
        for type_ in types:
            total -= type_.width
            part = number(value >> total, type_, item.span)
            keys.append(_key_of(part, None if mask is None else number(mask >> total, type_, item.span)))
        return tuple(keys)

    def _key(self, item: ast.CaseValue, type_: Bits) -> ex.KeySet:
        if item.value is None:
            return ex.AnySet(item.span)
        if isinstance(item.value, ast.Ref):
            raise self.values.fail(item.span, "a value set stands for all expressions of the select: it must be alone")
        value, mask = self._numbers(item, type_.width)
        return _key_of(number(value, type_, item.span), None if mask is None else number(mask, type_, item.span))

    def _numbers(self, item: ast.CaseValue, width: int) -> tuple[int, int | None]:
        assert item.value is not None
        value = fold(item.value)
        mask = fold(item.mask) if item.mask is not None else None
        for expression, result in ((item.value, value), (item.mask, mask)):
            if expression is None:
                continue
            if result is None:
                raise self.values.fail(expression.span, "the value of a case must be a constant or a parser value set")
            if result >= 1 << width or result < -(1 << (width - 1)):
                text = f"{result:#x} does not fit the {width} bits that are selected on"
                self.scope.diagnostics.warning(expression.span, "overflow", text)
        return value or 0, mask

    def _value_set(self, item: ast.CaseValue, ref: ast.Ref, types: tuple[Bits, ...]) -> ex.ValueSetRef:
        declaration = self.scope.value_sets.get(ref.name.text)
        if declaration is None or ref.index is not None:
            raise self.values.fail(ref.span, f"parser value set '{ref.name.text}' is not declared")
        if item.mask is not None:
            raise self.values.fail(item.mask.span, "a value set cannot have a mask")
        self._declare(declaration, types, ref.span)
        return ex.ValueSetRef(declaration.name.text, ref.span)

    def _declare(self, declaration: ast.ValueSet, types: tuple[Bits, ...], span: Span) -> None:
        name = declaration.name.text
        known = self.value_sets.get(name)
        if known is None:
            size = self._size(declaration)
            kinds = tuple(pr.MatchKind.EXACT for _ in types)
            self.value_sets[name] = pr.ValueSet(name, types, kinds, size, declaration.name.span)
        elif known.types != types:
            raise self.values.fail(span, f"value set '{name}' is used with values of other widths elsewhere")

    def _size(self, declaration: ast.ValueSet) -> int:
        """What `@pragma parser_value_set_size N` says."""
        for pragma in declaration.pragmas:
            if pragma.name == "parser_value_set_size":
                text = " ".join(pragma.operands)
                if not (text.isascii() and text.isdecimal()) or len(text) > 10 or int(text) > pr.MAX_SIZE:
                    raise self.values.fail(pragma.span, f"the size of a value set is a number in 0..{pr.MAX_SIZE}")
                return int(text)
        return VALUE_SET_SIZE


def _joined(left: ex.Expression, right: ex.Expression) -> ex.Expression:
    """Two subjects in a row, the first one in the higher bits."""
    assert isinstance(left.type, Bits) and isinstance(right.type, Bits)
    return ex.Binary(ex.BinaryOp.CONCAT, left, right, Bits(left.type.width + right.type.width), left.span)


def _key_of(value: ex.Const, mask: ex.Const | None) -> ex.KeySet:
    if mask is None:
        return ex.ExactSet(value, value.span)
    return ex.MaskSet(value, mask, value.span)
