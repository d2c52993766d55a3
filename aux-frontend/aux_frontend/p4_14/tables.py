"""Tables, action profiles and selectors. Specification 1.0.5 sections 10 and 11."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.actions import Actions
from aux_frontend.p4_14.builder import Slot, annotations_of, number
from aux_frontend.p4_14.field_lists import FieldLists
from aux_frontend.p4_14.stateful import Object, StatefulObjects
from aux_frontend.p4_14.values import Env, Invalid, Values
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.types import Bits, Bool, Varbit

DEFAULT_SIZE = 1024  # entries, when the table does not say
_BOOL = Bool()
NO_ACTION = "NoAction"
_KINDS = {
    "exact": pr.MatchKind.EXACT,
    "index": pr.MatchKind.EXACT,  # the key is an index into the table: matched exactly
    "lpm": pr.MatchKind.LPM,
    "ternary": pr.MatchKind.TERNARY,
    "range": pr.MatchKind.RANGE,
    "valid": pr.MatchKind.VALID,
}


@dataclass
class Tables:
    values: Values
    lists: FieldLists
    objects: StatefulObjects
    actions: Actions

    def __post_init__(self) -> None:
        self.scope = self.values.scope
        self.builder = self.values.builder
        self.tables: dict[str, pr.Table] = {}
        self._profiles: dict[str, tuple[str, tuple[pr.TableKey, ...]]] = {}

    def elaborate(self) -> None:
        """All tables; a table with mistakes is there too, as far as it has sense."""
        for name, declaration in self.scope.tables.items():
            self.tables[name] = self._table(declaration)
        self._execute_direct_meters()

    # --- one table ---------------------------------------------------------------------------------------------------

    def _table(self, declaration: ast.Table) -> pr.Table:
        name = declaration.name.text
        keys = [key for read in declaration.reads if (key := self._key(read)) is not None]
        implementation, names = None, declaration.actions
        if declaration.profile is not None:
            profile = self.scope.find(self.scope.profiles, declaration.profile, "action profile")
            if profile is not None:
                names += profile.actions
                implementation, selection = self._implementation(profile)
                keys += selection
        actions = self._actions(names, declaration)
        default, actions = self._default(declaration, actions)
        return pr.Table(
            name=name,
            keys=tuple(keys),
            actions=tuple(actions.values()),
            default_action=default,
            const_default=declaration.const_default,
            entries=(),
            const_entries=False,
            size=self._size(declaration),
            implementation=implementation,
            direct=tuple(item.extern for item in self.objects.direct(name) if item.declaration.kind != "register"),
            span=declaration.name.span,
            annotations=(*annotations_of(declaration.pragmas), *self._properties(declaration)),
        )

    def _properties(self, declaration: ast.Table) -> Iterator[pr.Annotation]:
        """support_timeout as P4-16 programs have it."""
        for word, value in declaration.properties:
            if word.text != pr.SUPPORT_TIMEOUT:
                self.scope.diagnostics.warning(word.span, "property", f"'{word.text}' of a table is not known")
            else:
                told = isinstance(value, ast.Truth) and value.value
                yield pr.Annotation(pr.SUPPORT_TIMEOUT, str(told).lower(), word.span)

    def _size(self, declaration: ast.Table) -> int:
        """`size`, or else the largest of the bounds that are given."""
        sizes: dict[str, int] = {}
        for word, expression in declaration.sizes:
            value = self.scope.constant(expression, f"'{word}'", 0, pr.MAX_SIZE)
            if value is not None:
                sizes[word] = value
        if sizes.get("min_size", 0) > sizes.get("max_size", pr.MAX_SIZE):
            message = f"min_size is {sizes['min_size']}, but max_size only {sizes['max_size']}"
            self.scope.error(declaration.name.span, message)
        return sizes.get("size") or max(sizes.values(), default=0) or DEFAULT_SIZE

    # --- keys --------------------------------------------------------------------------------------------------------

    def _key(self, read: ast.Read) -> pr.TableKey | None:
        kind = _KINDS.get(read.kind.text)
        if kind is None:
            self.scope.error(read.kind.span, f"'{read.kind.text}' is not a match kind: expected {', '.join(_KINDS)}")
            return None
        try:
            return self._valid_key(read) if kind is pr.MatchKind.VALID else self._field_key(read, kind)
        except Invalid:
            return None

    def _valid_key(self, read: ast.Read) -> pr.TableKey:
        if not isinstance(read.subject, ast.Ref | ast.FieldRef):
            raise self.values.fail(read.span, "expected a header")
        ref = read.subject.header if isinstance(read.subject, ast.FieldRef) else read.subject
        value = self.values.validity(ref, Env("control"))
        return pr.TableKey(value, pr.MatchKind.VALID, _spelling(ref), read.span)

    def _field_key(self, read: ast.Read, kind: pr.MatchKind) -> pr.TableKey:
        if not isinstance(read.subject, ast.FieldRef):
            raise self.values.fail(read.span, "expected a field: only match kind 'valid' takes a header")
        value = self.values.operand(read.subject, Env("control"))
        assert not isinstance(value, ex.Text | ex.ListExpression)
        type_ = getattr(value, "type", None)
        if not isinstance(type_, Bits):
            raise self.values.fail(read.span, "a field of variable width cannot be matched")
        assert isinstance(value, ex.Expression)
        if read.mask is not None:
            mask = self.scope.constant(read.mask, "a mask", 0, ones(type_.width))
            value = ex.Binary(ex.BinaryOp.AND, value, number(mask or 0, type_, read.span), type_, read.span)
        return pr.TableKey(value, kind, _spelling(read.subject), read.span)

    # --- actions -----------------------------------------------------------------------------------------------------

    def _actions(self, names: tuple[ast.Name, ...], declaration: ast.Table) -> dict[str, pr.ActionUse]:
        uses: dict[str, pr.ActionUse] = {}
        if not names and declaration.profile is None:
            self.scope.diagnostics.warning(
                declaration.name.span, "no-actions", f"table '{declaration.name.text}' has no actions"
            )
        for name in names:
            if name.text in uses:
                self.scope.error(
                    name.span, f"action '{name.text}' is there twice", (uses[name.text].span, "first here")
                )
            elif self.actions.use(name) is not None:
                uses[name.text] = pr.ActionUse(name.text, name.span)
        return uses

    def _default(
        self, declaration: ast.Table, uses: dict[str, pr.ActionUse]
    ) -> tuple[pr.ActionCall, dict[str, pr.ActionUse]]:
        name = declaration.default_action
        action = self.actions.use(name) if name is not None else None
        if name is None or action is None:
            return self._no_action(declaration.name.span, uses)
        if name.text not in uses:
            uses = {**uses, name.text: pr.ActionUse(name.text, name.span, default_only=True)}
        given = declaration.default_arguments or ()
        if len(given) != len(action.parameters):
            self.scope.error(
                name.span, f"'{name.text}' takes {len(action.parameters)} arguments, but {len(given)} are given"
            )
            return self._no_action(declaration.name.span, uses)
        arguments: list[ex.Const] = []
        for parameter, expression in zip(action.parameters, given, strict=True):
            type_ = self.builder.variables[parameter].type
            assert isinstance(type_, Bits)
            lowest = -(1 << (type_.width - 1))
            value = self.scope.constant(expression, "an argument of a default action", lowest, ones(type_.width))
            arguments.append(number(value or 0, type_, expression.span))
        return pr.ActionCall(name.text, tuple(arguments), name.span), uses

    def _no_action(self, span: Span, uses: dict[str, pr.ActionUse]) -> tuple[pr.ActionCall, dict[str, pr.ActionUse]]:
        """A miss without default action does nothing; the program may have an action of that name itself."""
        name = NO_ACTION
        while name in self.scope.actions:
            name += "_"
        if name not in self.actions.table_actions:
            self.actions.table_actions[name] = pr.Action(name, (), (), span)
        return pr.ActionCall(name, (), span), {**uses, name: pr.ActionUse(name, span, default_only=True)}

    # --- profiles ----------------------------------------------------------------------------------------------------

    def _implementation(self, profile: ast.ActionProfile) -> tuple[str, tuple[pr.TableKey, ...]]:
        """The extern of a profile, and the keys of its selector."""
        name = profile.name.text
        if name not in self._profiles:
            self._profiles[name] = self._new_profile(profile)
        return self._profiles[name]

    def _new_profile(self, profile: ast.ActionProfile) -> tuple[str, tuple[pr.TableKey, ...]]:
        span = profile.name.span
        size = DEFAULT_SIZE
        if profile.size is not None:
            size = self.scope.constant(profile.size, "the size of an action profile", 0, pr.MAX_SIZE) or DEFAULT_SIZE
        if profile.selector is not None:
            selector = self.scope.find(self.scope.selectors, profile.selector, "action selector")
            try:
                if selector is not None:
                    return self._selector(profile, selector, size)
            except Invalid:
                pass
        return self.builder.extern(profile.name.text, "action_profile", {"size": size}, span), ()

    def _selector(
        self, profile: ast.ActionProfile, selector: ast.ActionSelector, size: int
    ) -> tuple[str, tuple[pr.TableKey, ...]]:
        if selector.key is None:
            raise self.values.fail(selector.name.span, "an action selector needs a selection_key")
        calculation = self.lists.calculation(selector.key)
        width = self.lists.width(calculation).width
        keys: list[pr.TableKey] = []
        for item in self.lists.inputs(calculation).values:
            value = self.values.read(item, selector.name.span) if isinstance(item, Slot) else item
            if isinstance(value.type, Varbit):
                raise self.values.fail(selector.key.span, "a field of variable width cannot select a member")
            keys.append(pr.TableKey(value, pr.MatchKind.SELECTOR, _place_name(value), selector.name.span))
        attributes: dict[str, int | str] = {
            "size": size, "algorithm": self.lists.algorithm(calculation), "width": width,
        }  # fmt: skip
        return self.builder.extern(profile.name.text, "action_selector", attributes, profile.name.span), tuple(keys)

    def check_rest(self) -> None:
        """Profiles and selectors that no table uses."""
        for profile in self.scope.profiles.values():
            for name in profile.actions:
                self.actions.use(name)
            if profile.name.text not in self._profiles and profile.selector is not None:
                self.scope.find(self.scope.selectors, profile.selector, "action selector")
        for selector in self.scope.selectors.values():
            try:
                if selector.key is not None:
                    self.lists.inputs(self.lists.calculation(selector.key))
            except Invalid:
                continue

    # --- direct meters -----------------------------------------------------------------------------------------------

    def _execute_direct_meters(self) -> None:
        """A direct meter's colour is in its result field before the action runs, so each action begins with reading it.

        An action of several tables reads the meter of the table that runs it, which a variable tells.
        """
        metered: dict[str, dict[str, tuple[Object, ...]]] = {}
        for table in self.tables.values():
            meters = tuple(m for m in self.objects.direct(table.name) if m.declaration.kind == "meter")
            for use in table.actions:
                metered.setdefault(use.action, {})[table.name] = meters
        for name, by_table in metered.items():
            if not any(by_table.values()):
                continue
            prologue: list[st.Statement] = []
            for table_name, meters in by_table.items():
                reading = tuple(s for meter in meters for s in self.objects.result_of_meter(meter))
                if len(by_table) == 1:
                    prologue += reading
                elif reading:
                    prologue.append(st.If(self._runs_in(table_name), reading, (), self.tables[table_name].span))
            action = self.actions.table_actions[name]
            self.actions.table_actions[name] = replace(action, body=(*prologue, *action.body))

    def _runs_in(self, table: str) -> ex.Expression:
        span = self.tables[table].span
        number_ = list(self.tables).index(table) + 1
        current = self.builder.shared("$table", Bits(16), pr.Storage.LOCAL, span)
        read = ex.Read(current, Bits(16), span)
        return ex.Binary(ex.BinaryOp.EQ, read, ex.Const(number_, Bits(16), span), _BOOL, span)

    def before_apply(self, table: str, span: Span) -> st.Body:
        """Tell actions which table runs them, where they need to know."""
        if "$table" not in self.builder.variables:
            return ()
        place = ex.VariableRef("$table", span)
        return (st.Assign(place, ex.Const(list(self.tables).index(table) + 1, Bits(16), span), span),)


def _spelling(reference: ast.Ref | ast.FieldRef) -> str:
    """How the program writes a header or field: the name of its key for the control plane."""
    if isinstance(reference, ast.FieldRef):
        return f"{_spelling(reference.header)}.{reference.field.text}"
    index = reference.index
    return f"{reference.name.text}[{index.value}]" if isinstance(index, ast.Number) else reference.name.text


def _place_name(value: ex.Expression) -> str:
    match value:
        case ex.Read(place=ex.FieldRef(header=header, field=field)):
            return f"{header.name if isinstance(header, ex.HeaderRef) else header.stack}.{field}"
        case ex.Read(place=ex.VariableRef(name=name)):
            return name
        case ex.Cast(operand=operand):
            return _place_name(operand)
    return "constant"
