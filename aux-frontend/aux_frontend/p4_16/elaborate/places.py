"""Reading and writing locations: structs, headers, unions and stacks are expanded to their scalars and headers.

P4-16 spec 1.2.5 sections 8.18 (stacks), 8.19 (unions), 8.20 (structs and headers), 12.1 (assignment).
"""

from __future__ import annotations

from aux_frontend.p4_16 import types as ty
from aux_frontend.p4_16.elaborate import choices, fold, layout, values as va
from aux_frontend.p4_16.elaborate.convert import convert
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.hlir import arithmetic, expressions as ex, statements as st
from transpiler.hlir.types import Bits, Varbit

EMPTY = Bits(0)

# --- parts -----------------------------------------------------------------------------------------------------------


def header_field(unit: Unit, header: va.HeaderLocation, name: str, span: Span) -> va.Location:
    """The location of a field, a struct within the header included. Raises: KeyError."""
    return _part(unit, header.place, name, dict(header.type.fields)[name], span)


def _part(unit: Unit, place: ex.HeaderPlace, name: str, type_: ty.Ty, span: Span) -> va.Location:
    match layout.stripped(type_):
        case ty.Struct() | ty.Tuple() as struct:
            return va.StructLocation(
                tuple((f, _part(unit, place, f"{name}.{f}", t, span)) for f, t in layout.members(struct))
            )
    scalar = layout.scalar_type(unit, type_)
    assert scalar is not None
    return va.ScalarLocation(ex.FieldRef(place, name, span), scalar, layout.stored_type(unit, type_))


def elements(stack: va.StackLocation, span: Span) -> list[va.HeaderLocation | va.UnionLocation]:
    """All elements of a stack."""
    return [layout.element_location(stack, fold.bits(i, 32, span), span) for i in range(stack.type.size)]


# --- reading ---------------------------------------------------------------------------------------------------------


def read(unit: Unit, location: va.Location, span: Span) -> va.Value:
    """The value at a location."""
    match location:
        case va.ScalarLocation(place=place, type=type_, stored=stored):
            if stored == EMPTY:
                return fold.bits(0, 0, span)
            return fold.cast(ex.Read(place, stored, span), type_, span)
        case va.SliceLocation(base=base, high=high, low=low):
            return fold.slice_of(_scalar(read(unit, base, span)), high, low, span)
        case va.ShiftedLocation(base=base, amount=amount, width=width):
            whole = fold.binary(ex.BinaryOp.SHR, _unsigned(unit, base, span), amount, span)
            return fold.slice_of(whole, width - 1, 0, span)
        case va.StructLocation(fields=fields):
            named = not (fields and fields[0][0].isdigit())  # tuples have positions for names
            return va.StructValue(tuple((name, read(unit, field, span)) for name, field in fields), named)
        case va.HeaderLocation():
            return read_header(unit, location, span)
        case va.UnionLocation(type=type_, members=members):
            return va.UnionValue(type_, tuple((name, read_header(unit, m, span)) for name, m in members))
        case va.StackLocation(type=stack_type, next_index=next_index):
            items = tuple(_read_element(unit, element, span) for element in elements(location, span))
            index = None if next_index is None else ex.Read(next_index, layout.NEXT_BITS, span)
            return va.StackValue(stack_type, items, index)
        case va.PickedLocation(index=position, elements=parts):
            return choices.pick(unit, position, [read(unit, part, span) for part in parts], span)
        case va.Ignored():
            raise AssertionError("an ignored argument is never read")


def _read_element(
    unit: Unit, element: va.HeaderLocation | va.UnionLocation, span: Span
) -> va.HeaderValue | va.UnionValue:
    value = read(unit, element, span)
    assert isinstance(value, va.HeaderValue | va.UnionValue)
    return value


def read_header(unit: Unit, header: va.HeaderLocation, span: Span) -> va.HeaderValue:
    """The whole of a header, remembering where it stands."""
    leaves = tuple(
        (name, _scalar(read(unit, _part(unit, header.place, name, type_, span), span)))
        for name, type_ in layout.leaves(header.type)
    )
    return va.HeaderValue(header.type, ex.IsValid(header.place, span), leaves, header.place)


def _scalar(value: va.Value) -> ex.Expression:
    assert isinstance(value, va.EXPRESSIONS)
    return value


# --- temporaries -----------------------------------------------------------------------------------------------------


def freeze(unit: Unit, value: va.Value, span: Span, base: str = "tmp") -> va.Value:
    """The same value, not changed by later assignments: what reads storage is copied to temporaries."""
    match value:
        case ex.Const() | ex.Text() | va.IntValue() | va.DefaultValue() | va.InvalidValue():
            return value
        case va.StructValue(fields=fields, named=named, open=is_open):
            return va.StructValue(tuple((n, freeze(unit, f, span, f"{base}.{n}")) for n, f in fields), named, is_open)
        case ex.ListExpression(items=items):
            return ex.ListExpression(tuple(_scalar(freeze(unit, item, span, base)) for item in items), value.span)
        case va.HeaderValue() | va.UnionValue() | va.StackValue():
            location = local(unit, base, value.type, span)
            assign(unit, location, value, span)
            return read(unit, location, span)
    assert isinstance(value, va.EXPRESSIONS)
    if next(va.reads(value), None) is None:
        return value
    target = unit.temporary(base, value.type, span)
    unit.emit(st.Assign(target, value, span))
    return ex.Read(target, value.type, span)


def local(unit: Unit, base: str, type_: ty.Ty, span: Span) -> va.Location:
    """New local storage of the current parser, control or action."""
    from transpiler.hlir.program import Storage

    prefix = unit.frames[-1].prefix if unit.frames else ""
    return layout.allocate(unit, f"{prefix}.{base}" if prefix else base, type_, Storage.LOCAL, span)


# --- writing ---------------------------------------------------------------------------------------------------------


def assign(unit: Unit, target: va.Location, value: va.Value, span: Span) -> None:
    """target = value, where the value has (or converts to) the target's type."""
    match target:
        case va.Ignored():
            return
        case va.ScalarLocation(place=place, stored=stored):
            if stored != EMPTY:
                unit.emit(st.Assign(place, fold.cast(_scalar(value), stored, span), span))
        case va.SliceLocation():
            _assign_slice(unit, target, _scalar(value), span)
        case va.ShiftedLocation():
            _assign_shifted(unit, target, _scalar(value), span)
        case va.PickedLocation():
            _assign_picked(unit, target, value, span)
        case va.StructLocation():
            assert isinstance(value, va.StructValue)
            _assign_struct(unit, target, value, span)
        case va.HeaderLocation(type=header_type):
            value = convert(unit, value, header_type, span)
            assert isinstance(value, va.HeaderValue)
            assign_header(unit, target, value, span)
        case va.UnionLocation(type=union_type):
            value = convert(unit, value, union_type, span)
            value = _apart(unit, target, value, span)
            assert isinstance(value, va.UnionValue)
            for (_, member), (_, source) in zip(target.members, value.members, strict=True):
                assign_header(unit, va.HeaderLocation(member.type, member.place), source, span)
        case va.StackLocation(type=stack_type):
            value = convert(unit, value, stack_type, span)
            assert isinstance(value, va.StackValue)
            _assign_stack(unit, target, value, span)


def _assign_slice(unit: Unit, target: va.SliceLocation, value: ex.Expression, span: Span) -> None:
    """Read, combine, assign: upper bits ++ value ++ lower bits."""
    whole = _scalar(read(unit, target.base, span))
    type_ = target.base.type
    assert isinstance(type_, Bits)
    parts = [fold.cast(value, Bits(target.high - target.low + 1), span)]
    if target.high < type_.width - 1:
        parts.insert(0, fold.slice_of(whole, type_.width - 1, target.high + 1, span))
    if target.low > 0:
        parts.append(fold.slice_of(whole, target.low - 1, 0, span))
    combined = parts[0]
    for part in parts[1:]:
        combined = fold.binary(ex.BinaryOp.CONCAT, combined, part, span)
    assign(unit, target.base, fold.cast(combined, type_, span), span)


def _unsigned(unit: Unit, location: va.ScalarLocation, span: Span) -> ex.Expression:
    value = _scalar(read(unit, location, span))
    return fold.cast(value, Bits(value.type.width), span) if isinstance(value.type, Bits) else value


def _assign_shifted(unit: Unit, target: va.ShiftedLocation, value: ex.Expression, span: Span) -> None:
    """whole = whole & ~(ones << amount) | value << amount"""
    whole = _unsigned(unit, target.base, span)
    type_ = whole.type
    assert isinstance(type_, Bits)
    ones = fold.bits(arithmetic.ones(target.width), type_.width, span)
    mask = fold.unary(ex.UnaryOp.COMPLEMENT, fold.binary(ex.BinaryOp.SHL, ones, target.amount, span), span)
    wide = fold.cast(fold.cast(value, Bits(target.width), span), type_, span)
    kept = fold.binary(ex.BinaryOp.AND, whole, mask, span)
    moved = fold.binary(ex.BinaryOp.SHL, wide, target.amount, span)
    assign(unit, target.base, fold.cast(fold.binary(ex.BinaryOp.OR, kept, moved, span), target.base.type, span), span)


def _assign_picked(unit: Unit, target: va.PickedLocation, value: va.Value, span: Span) -> None:
    """Only the element of that index is assigned; out of range, none."""
    value = freeze(unit, value, span)
    cases = []
    for position, element in enumerate(target.elements):
        if choices.fits(target.index, position):
            with unit.collecting() as body:
                assign(unit, element, value, span)
            cases.append(st.SwitchCase((position,), tuple(body), span))
    unit.emit(st.Switch(target.index, tuple(cases), (), span))


def _assign_struct(unit: Unit, target: va.StructLocation, value: va.StructValue, span: Span) -> None:
    if _overlaps_itself(target.fields, value.fields):
        frozen = freeze(unit, value, span)
        assert isinstance(frozen, va.StructValue)
        value = frozen
    for (name, field), (position, part) in zip(target.fields, value.fields, strict=True):
        assert name == position or not value.named
        assign(unit, field, part, span)


def _overlaps_itself(targets: tuple[tuple[str, va.Location], ...], sources: tuple[tuple[str, va.Value], ...]) -> bool:
    """Whether a part is read after another part that overlaps it was written."""
    written: set[va.Key] = set()
    for (_, target), (_, source) in zip(targets, sources, strict=True):
        if written and va.overlap(written, set(va.reads(source))):
            return True
        written.update(va.touched(target))
    return False


def assign_header(unit: Unit, target: va.HeaderLocation, value: va.HeaderValue, span: Span) -> None:
    """Validity and all fields; a union's other members become invalid, whether the value is valid or not (spec 8.20)."""
    if value.place is not None:
        if not _same_place(value.place, target.place):
            unit.emit(st.CopyHeader(target.place, value.place, span))
        for statement in _invalidations(target.siblings, span):
            unit.emit(statement)
        return
    match value.valid:
        case ex.Const(value=0):
            set_invalid(unit, target, span)
        case ex.Const():
            _fill_header(unit, target, value, span)
        case condition:
            with unit.collecting() as valid:
                _fill_header(unit, target, value, span)
            with unit.collecting() as invalid:
                set_invalid(unit, target, span)
            unit.emit(st.If(condition, tuple(valid), tuple(invalid), span))


def _fill_header(unit: Unit, target: va.HeaderLocation, value: va.HeaderValue, span: Span) -> None:
    sources = [_scalar(_apart(unit, target, source, span)) for _, source in value.fields]
    set_valid(unit, target, span)
    for (name, leaf), source in zip(layout.leaves(target.type), sources, strict=True):
        assign(unit, _part(unit, target.place, name, leaf, span), source, span)


def _apart(unit: Unit, target: va.Location, value: va.Value, span: Span) -> va.Value:
    """The value, which does not change while the target's parts are assigned one after the other."""
    return freeze(unit, value, span) if va.overlap(set(va.touched(target)), set(va.reads(value))) else value


def _assign_stack(unit: Unit, target: va.StackLocation, value: va.StackValue, span: Span) -> None:
    apart = _apart(unit, target, value, span)
    assert isinstance(apart, va.StackValue)
    value = apart
    for element, source in zip(elements(target, span), value.elements, strict=True):
        assign(unit, element, source, span)
    if target.next_index is not None:
        index = value.next_index if value.next_index is not None else fold.bits(0, 32, span)
        unit.emit(st.Assign(target.next_index, index, span))


def _same_place(left: ex.HeaderPlace, right: ex.HeaderPlace) -> bool:
    return isinstance(left, ex.HeaderRef) and isinstance(right, ex.HeaderRef) and left.name == right.name


# --- validity --------------------------------------------------------------------------------------------------------


def set_valid(unit: Unit, header: va.HeaderLocation, span: Span) -> None:
    """h.setValid(): a union's other members become invalid."""
    for statement in _invalidations(header.siblings, span):
        unit.emit(statement)
    unit.emit(st.SetValid(header.place, True, span))


def set_invalid(unit: Unit, header: va.HeaderLocation, span: Span) -> None:
    """h.setInvalid(): of a union, every member becomes invalid."""
    for statement in _invalidations((header.place, *header.siblings), span):
        unit.emit(statement)


def _invalidations(headers: tuple[ex.HeaderPlace, ...], span: Span) -> st.Body:
    return tuple(st.SetValid(header, False, span) for header in headers)


def invalidate(unit: Unit, location: va.Location, span: Span) -> None:
    """What a declaration without initializer and an `out` parameter begin with: headers invalid, next index 0."""
    match location:
        case va.StructLocation(fields=fields):
            for _, field in fields:
                invalidate(unit, field, span)
        case va.HeaderLocation(place=place):
            unit.emit(st.SetValid(place, False, span))
        case va.UnionLocation(members=members):
            for _, member in members:
                unit.emit(st.SetValid(member.place, False, span))
        case va.StackLocation(next_index=next_index):
            for element in elements(location, span):
                invalidate(unit, element, span)
            if next_index is not None:
                unit.emit(st.Assign(next_index, fold.bits(0, 32, span), span))


# --- comparison ------------------------------------------------------------------------------------------------------


def equal(left: va.Value, right: va.Value, span: Span) -> ex.Expression:
    """left == right for two values of one type. P4-16 spec section 8.17, 8.19, 8.20."""
    match left, right:
        case va.StructValue(), va.StructValue():
            pairs = zip(left.fields, right.fields, strict=True)
            return fold.conjunction([equal(a, b, span) for (_, a), (_, b) in pairs], span)
        case va.HeaderValue(), va.HeaderValue():
            return _equal_headers(left, right, span)
        case va.UnionValue(), va.UnionValue():
            members = zip(left.members, right.members, strict=True)
            return fold.conjunction([_equal_headers(a, b, span) for (_, a), (_, b) in members], span)
        case va.StackValue(), va.StackValue():
            items = zip(left.elements, right.elements, strict=True)
            return fold.conjunction([equal(a, b, span) for a, b in items], span)
        case va.IntValue(value=a), va.IntValue(value=b):
            return fold.boolean(a == b, span)
    first, second = _scalar(left), _scalar(right)
    if isinstance(first.type, Varbit):
        return ex.Binary(ex.BinaryOp.EQ, first, second, fold.BOOL, span)
    return fold.binary(ex.BinaryOp.EQ, first, second, span)


def _equal_headers(left: va.HeaderValue, right: va.HeaderValue, span: Span) -> ex.Expression:
    fields = [equal(a, b, span) for (_, a), (_, b) in zip(left.fields, right.fields, strict=True)]
    both_valid = fold.conjunction([left.valid, right.valid, *fields], span)
    neither = fold.conjunction([fold.negate(left.valid), fold.negate(right.valid)], span)
    return fold.disjunction([neither, both_valid], span)


def scalar_leaves(value: va.Value) -> list[ex.Expression]:
    """All scalars of a value in order; of headers the fields, whether they are valid or not."""
    match value:
        case va.StructValue(fields=fields):
            return [leaf for _, field in fields for leaf in scalar_leaves(field)]
        case va.HeaderValue(fields=leaves):
            return [leaf for _, leaf in leaves]
        case va.UnionValue(members=members):
            return [leaf for _, member in members for leaf in scalar_leaves(member)]
        case va.StackValue(elements=items):
            return [leaf for element in items for leaf in scalar_leaves(element)]
        case ex.ListExpression(items=parts):
            return list(parts)
    return [_scalar(value)]
