"""Tables and the actions they run. P4-16 spec 1.2.5 sections 14.1 and 14.2."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker.typerefs import show_int
from aux_frontend.p4_16.elaborate import expressions, inline, interface, names, sets, table_actions, values as va
from aux_frontend.p4_16.elaborate.architecture import architecture_of
from aux_frontend.p4_16.elaborate.effects import has_effects
from aux_frontend.p4_16.elaborate.scope import Scope, TableObject
from aux_frontend.p4_16.elaborate.table_actions import Uses
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bool, Type

DEFAULT_SIZE = 1024
_MATCH_KINDS = {kind.value: kind for kind in pr.MatchKind if kind is not pr.MatchKind.VALID}


def declare(scope: Scope, declaration: ast.TableDeclaration, prefix: str) -> TableObject:
    """Make the table of one control instance and bind its name."""
    unit = scope.unit
    name = unit.unique(names.full(prefix, declaration.name, declaration.annotations), unit.tables)
    table = TableObject(declaration, name, scope)
    scope.bindings[declaration] = table
    keys = _keys(table)
    uses = table_actions.uses(scope, declaration)
    table.action_ordinals = uses.ordinals
    table.exit_flags = uses.exit_flags
    default = table_actions.default_call(scope, declaration, uses)
    externs = architecture_of(unit).table_externs(scope, declaration, name)
    unit.tables[name] = pr.Table(
        name=name,
        keys=keys,
        actions=tuple(uses.actions),
        default_action=default,
        const_default=declaration.const_default,
        entries=_entries(scope, declaration, keys, uses),
        const_entries=declaration.const_entries and declaration.entries is not None,
        size=_size(scope, declaration),
        implementation=externs.implementation,
        direct=externs.direct,
        span=declaration.span,
        annotations=(*names.kept(unit, declaration.annotations), *externs.annotations),
    )
    return table


def _keys(table: TableObject) -> tuple[pr.TableKey, ...]:
    """Keys; those up to the last whose evaluation has an effect are evaluated into variables, in order, before each
    application. P4-16 spec section 14.2.3."""
    scope, unit = table.scope, table.scope.unit
    hoisted: list[tuple[int, ex.VariableRef]] = []
    keys: list[pr.TableKey] = []
    declared = table.declaration.keys or ()
    effects = [has_effects(unit, key.expression) for key in declared]
    for position, key in enumerate(declared):
        kind = _MATCH_KINDS.get(key.match_kind.text)
        if kind is None:
            raise unit.failure(key.match_kind.span, f"the match kind '{key.match_kind.text}' is not supported")
        with unit.collecting() as before:
            value = expressions.scalar(scope, key.expression)
        if before or (any(effects[position + 1 :]) and not isinstance(value, ex.Const)):
            variable = unit.temporary(f"{table.declaration.name}.key{position}", value.type, key.span)
            hoisted.append((position, variable))
            value = ex.Read(variable, value.type, key.span)
        type_name = interface.type_name(unit, scope.type_of(key.expression))
        annotations = names.kept(unit, key.annotations)
        keys.append(pr.TableKey(value, kind, names.key_name(unit, key), key.span, type_name, annotations))
    table.hoisted = tuple(hoisted)
    return tuple(keys)


def property_value(declaration: ast.TableDeclaration, name: str) -> ast.Expression | None:
    """The value of a table property."""
    return next((p.value for p in declaration.properties if p.name == name), None)


def _size(scope: Scope, declaration: ast.TableDeclaration) -> int:
    """Entries that there is room for: what the program asks for, and those that it brings. 0 leaves it to us, as for p4c."""
    size = property_value(declaration, "size")
    if size is None:
        return max(DEFAULT_SIZE, len(declaration.entries or ()))
    number = expressions.integer(scope, size)
    if not 0 <= number <= pr.MAX_SIZE:
        message = (
            f"property 'size' is {show_int(number)}, not in 0..{pr.MAX_SIZE}"  # a constructor's parameter has said it
        )
        scope.unit.diagnostics.error(size.span, message)
        return DEFAULT_SIZE
    return max(number or DEFAULT_SIZE, len(declaration.entries or ()))


# --- entries ---------------------------------------------------------------------------------------------------------


def _entries(
    scope: Scope, declaration: ast.TableDeclaration, keys: tuple[pr.TableKey, ...], uses: Uses
) -> tuple[pr.TableEntry, ...]:
    matched = [key.expression for key in keys if key.match_kind is not pr.MatchKind.SELECTOR]
    entries = declaration.entries or ()
    priorities = _priorities(scope, declaration)
    made = tuple(
        pr.TableEntry(
            sets.key_sets(scope, entry.keyset, matched),
            table_actions.entry_call(scope, entry.action, uses),
            priority,
            entry.span,
        )
        for entry, priority in zip(entries, priorities, strict=True)
    )
    return _without_duplicates(scope, made, [key.type for key in matched])


def _without_duplicates(
    scope: Scope, entries: tuple[pr.TableEntry, ...], types: list[Type]
) -> tuple[pr.TableEntry, ...]:
    """Of entries with the same key only the one that wins, told with a warning: the others can never be hit."""
    winners: dict[tuple[sets.Matched, ...], pr.TableEntry] = {}
    for entry in entries:
        key = tuple(sets.matched(part, type_) for part, type_ in zip(entry.keys, types, strict=True))
        before = winners.get(key)
        winner, loser = (entry, before) if before and entry.priority > before.priority else (before or entry, entry)
        if loser is not None and loser is not winner:
            note = (winner.span, "the entry that wins is here")
            scope.unit.diagnostics.warning(
                loser.span, "unreachable", "this entry is never hit: another has the same key", note
            )
        winners[key] = winner
    kept = {id(entry) for entry in winners.values()}
    return tuple(entry for entry in entries if id(entry) in kept)


def _priorities(scope: Scope, declaration: ast.TableDeclaration) -> list[int]:
    """Priorities where the larger one wins. P4-16 spec section 14.2.1.4.

    Constant entries, and entries without any priority, win in their order. Otherwise an entry without one follows its
    predecessor at a distance of `priority_delta`. `@priority(n)` is the older form, in which the smaller number wins;
    an entry without it has its place, from 1, as p4c gives it.
    """
    entries = declaration.entries or ()
    annotated = [names.find(entry.annotations, "priority") for entry in entries]
    if any(annotated):
        numbers = [_annotated_priority(scope, a, place) for place, a in enumerate(annotated, 1)]
        return _inverted(numbers)
    if declaration.const_entries or all(entry.priority is None for entry in entries):
        return [len(entries) - position for position in range(len(entries))]
    largest = _flag(scope, declaration, "largest_priority_wins", True)
    delta_value = property_value(declaration, "priority_delta")
    delta = expressions.integer(scope, delta_value) if delta_value is not None else 1
    numbers = []
    for entry in entries:
        if entry.priority is not None:
            numbers.append(expressions.integer(scope, entry.priority))
        elif numbers:
            numbers.append(numbers[-1] - delta if largest else numbers[-1] + delta)
        else:
            raise scope.unit.failure(entry.span, "the first entry needs a priority, since others have one")
    return numbers if largest else _inverted(numbers)


def _inverted(numbers: list[int]) -> list[int]:
    top = max(numbers, default=0)
    return [top - number + 1 for number in numbers]


def _annotated_priority(scope: Scope, annotation: ast.Annotation | None, place: int) -> int:
    if annotation is None:
        return place
    try:
        number = int(names.text_of(annotation), 0)
    except ValueError:
        raise scope.unit.failure(annotation.span, "a priority is a number") from None
    if not 0 <= number <= pr.MAX_PRIORITY:
        scope.unit.diagnostics.error(annotation.span, f"a priority is a number in 0..{pr.MAX_PRIORITY}")
        return place
    return number


def _flag(scope: Scope, declaration: ast.TableDeclaration, name: str, default: bool) -> bool:
    value = property_value(declaration, name)
    if value is None:
        return default
    constant = expressions.evaluate(scope, value)
    if isinstance(constant, ex.Const):
        return bool(constant.value)
    raise scope.unit.failure(value.span, f"{name} is true or false")


# --- application -----------------------------------------------------------------------------------------------------


def apply(
    scope: Scope, table: TableObject, want_hit: bool, want_action: bool, span: Span
) -> tuple[va.ScalarLocation | None, va.ScalarLocation | None]:
    """t.apply(): where `hit` and `action` can be read afterwards, if they are wanted."""
    unit = scope.unit
    for position, variable in table.hoisted:
        key = (table.declaration.keys or ())[position]
        value = expressions.scalar(table.scope, key.expression)
        unit.emit(st.Assign(variable, value, key.span))
    hit = unit.temporary(f"{table.declaration.name}.hit", Bool(), span) if want_hit else None
    enum = unit.tables[table.name].action_enum
    action = unit.temporary(f"{table.declaration.name}.action_run", enum, span) if want_action else None
    unit.emit(st.ApplyTable(table.name, hit, action, span))
    for flag in table.exit_flags:
        with unit.collecting() as onward:
            inline.leave_all(unit, span)
        unit.emit(st.If(ex.Read(ex.VariableRef(flag, span), Bool(), span), tuple(onward), (), span))
    return (
        va.ScalarLocation(hit, Bool(), Bool()) if hit else None,
        va.ScalarLocation(action, enum, enum) if action else None,
    )
