"""HLIR expressions → C expressions.

A value is held in the smallest C integer for its width with the bits above the width zero, or in a macs_wN. Operators
are written so that C's promotions to int cannot overflow; every result is brought back to its width.
"""

from __future__ import annotations

from collections.abc import Iterable

from transpiler.analysis.locations import Location
from transpiler.codegen.c.build import all_of, call, cast, choose, infix, operand
from transpiler.codegen.c.nodes import (
    Binary as CBinary,
    Cast,
    Expression as C,
    Index,
    Literal,
    Member,
    Name as CName,
    Note,
    String,
    Unary as CUnary,
)
from transpiler.codegen.ctypes import c_type, is_wide, limbs, literal, natural
from transpiler.codegen.decided import known_bits, outcome
from transpiler.codegen.frame_fields import received, received_run
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Slot, Storage
from transpiler.hlir.expressions import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Cast as HlirCast,
    Conditional,
    Const,
    Expression,
    FieldRef,
    HeaderPlace,
    HeaderRef,
    IsValid,
    ListExpression,
    Read,
    Slice,
    Text,
    Unary,
    UnaryOp,
    VariableRef,
)
from transpiler.hlir.types import Bits, Bool, Enum, Type, Varbit


def as_word(type_: str, expression: Expression, value: C) -> C:
    """The C of an expression as an unsigned type of C; what is read from where it has that type needs no cast."""
    of = expression.type
    has_it = isinstance(expression, Read) and isinstance(of, Bits) and c_type(of) == type_
    return value if has_it else cast(type_, value)


def joined(type_: str, render: Expressions, places: Iterable[tuple[Expression, int]]) -> C:
    """Expressions as one number of an unsigned type of C, each with its lowest bit at its place."""
    fields = []
    for expression, at_bit in places:
        field = as_word(type_, expression, render(expression))
        fields.append(infix(field, "<<", at_bit) if at_bit else field)
    return all_of("|", fields)


def trimmed(value: C, width: int) -> C:
    """A C integer expression cut to `width` (≤ 64) bits, in the type of that width."""
    if width != natural(width):
        value = infix(value, "&", literal((1 << width) - 1, Bits(width)))
    if width <= 32 or width != natural(width):
        return cast(f"uint{natural(width)}_t", value)
    return value


def _complemented(e: Binary, type_: Bits) -> Expression | None:
    """What an exclusive or with all ones, or a subtraction from them, is the complement of."""
    ones = (1 << type_.width) - 1
    match e:
        case Binary(op=BinaryOp.XOR | BinaryOp.SUB, left=Const(value=value), right=other) if value == ones:
            return other
        case Binary(op=BinaryOp.XOR, left=other, right=Const(value=value)) if value == ones:
            return other
    return None


class Expressions:
    """Renders the expressions of one function."""

    def __init__(self, storage: Storage, scope: Scope) -> None:
        self.storage = storage
        self.scope = scope

    def __call__(self, expression: Expression) -> C:
        match expression:
            case Const(value=value, type=Enum() as type_) if type_ == self.storage.program.errors and value < len(
                type_.members
            ):
                return CName(self.storage.names(f"error.{type_.members[value]}"))
            case Const(value=value, type=Enum(members=members)) if value < len(members):
                return Note(operand(value), members[value])
            case Const(value=value, type=type_):
                return literal(value, type_)
            case Text(value=value):
                return String(value)
            case Read(place=VariableRef(name=name)):
                return self._variable(name)
            case Read(place=FieldRef() as place, type=type_):
                return self._field(place, type_)
            case IsValid(header=header):
                return self.element(self.storage.valid(self.storage.access(header).owner), header)
            case Unary():
                return self._unary(expression)
            case Binary():
                return self._binary(expression)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return choose(self(condition), self(then), self(otherwise))
            case Slice(operand=inner, high=high, low=low):
                return self._slice(inner, high, low)
            case HlirCast(operand=inner, type=type_):
                return self._cast(inner, type_)
            case ListExpression():
                raise TypeError("a list is no C value: externs pack it")
        raise TypeError(f"no C for {expression}")

    def _field(self, place: FieldRef, type_: Type) -> C:
        header, owner = place.header, self.storage.access(place.header).owner
        if isinstance(header, HeaderRef) and Location(header.name, place.field) in self.scope.received:
            return self._received(header, place.field)
        if isinstance(type_, Varbit) and self.storage.assigned_varbit(owner) is None:
            return self.received_varbit(header)
        return self.element(self.storage.field(owner, place.field), header)

    def _received(self, header: HeaderRef, field: str) -> C:
        """A field where it lies in the frame."""
        layout = self.storage.program.header_type_of[header.name]
        zero = self.storage.field(header.name, field).initial
        at = self.element(self.storage.at(header.name), header)
        return received(layout, field, at, zero, sure=header.name in self.scope.sure)

    def together(self, values: tuple[Expression, ...]) -> C | None:
        """Fields as one number, where they stand in the frame one behind the other and fill bytes; None where they do not."""
        fields = [value.place for value in values if isinstance(value, Read) and isinstance(value.place, FieldRef)]
        if len(fields) < len(values) or not isinstance(header := fields[0].header, HeaderRef):
            return None
        if any(f.header != header for f in fields):
            return None
        at: C | None = None
        locations = {Location(header.name, f.field) for f in fields}
        if locations <= self.scope.received:
            at = self.element(self.storage.at(header.name), header)
        elif locations <= self.scope.intact and header.name in self.scope.sure:
            at = operand(place) if (place := self.storage.place(header.name)) is not None else None
        if at is None:
            return None
        layout, names = self.storage.program.header_type_of[header.name], [f.field for f in fields]
        first = [field.name for field in layout.fields].index(names[0])
        if [field.name for field in layout.fields[first : first + len(names)]] != names:
            return None
        return received_run(layout, first, len(names), at, sure=header.name in self.scope.sure)

    def received_varbit(self, header: HeaderPlace) -> C:
        """The value that a header's varbit field was extracted with."""
        owner = self.storage.access(header).owner
        at = self.element(self.storage.at(owner), header)
        place = infix(at, "+", self.storage.varbit_offset(owner))
        return call("macs_varbit_of", place, self.element(self.storage.varbit_bytes(owner), header))

    def amount(self, expression: Expression) -> C:
        """A number for a shift, an index or a length, as uint64_t."""
        value = self(expression)
        if is_wide(expression.type):
            return call(f"{c_type(expression.type)}_amount", value)
        return value

    def _variable(self, name: str) -> C:
        if name in self.scope.action_data:
            return self.scope.action_data[name]
        return self.scope.read(self.storage.variable(name))

    def element(self, slot: Slot, header: HeaderPlace) -> C:
        access = self.storage.access(header)
        name = self.scope.read(slot)
        if access.index is None:
            return name
        if isinstance(access.index, int):
            return Index(name, operand(access.index))
        index = self.amount(access.index)
        return choose(infix(index, "<", access.size), Index(name, index), slot.initial)

    def _unary(self, expression: Unary) -> C:
        value = self(expression.operand)
        if expression.op is UnaryOp.NOT:
            return CUnary("!", value)
        assert isinstance(expression.type, Bits)
        width = expression.type.width
        if is_wide(expression.type):
            wide = c_type(expression.type)
            if expression.op is UnaryOp.COMPLEMENT:
                return call(f"{wide}_not", value, width)
            return call(f"{wide}_sub", call(f"{wide}_of", 0), value, width)
        symbol = expression.op.value
        if symbol == "~" and width == 1:
            return cast("uint8_t", infix(value, "^", 1))  # compilers suspect a ~ on what can only be 0 or 1
        if symbol == "~":  # nor one that is widened before it is compared with a constant, nor that of a comparison
            inverse = call(f"macs_complement{natural(width)}", value)
            return inverse if width == natural(width) else trimmed(inverse, width)
        start = value if width > 32 else cast(f"uint{max(32, natural(width))}_t", value)
        return trimmed(CUnary(symbol, start), width)

    def _binary(self, e: Binary) -> C:
        if e.op in (BinaryOp.LAND, BinaryOp.LOR):
            return infix(self(e.left), e.op.value, self(e.right))
        if e.op is BinaryOp.CONCAT:
            return self._concat(e)
        if e.op in COMPARISONS:
            return self._compare(e)
        if isinstance(e.type, Bool):  # & | ^ on bool
            return infix(self(e.left), e.op.value, self(e.right))
        assert isinstance(e.type, Bits)
        if (inverted := _complemented(e, e.type)) is not None:  # compilers see a ~ in these, and suspect it
            return self._unary(Unary(UnaryOp.COMPLEMENT, inverted, e.type, e.span))
        return self._wide(e, e.type) if is_wide(e.type) else self._narrow(e, e.type)

    def _compare(self, e: Binary) -> C:
        left, right, type_ = self(e.left), self(e.right), e.left.type
        if (certain := outcome(e, same=left == right)) is not None:
            return literal(int(certain), Bool())
        operator = e.op.value
        signed = isinstance(type_, Bits) and type_.signed
        width = type_.width if isinstance(type_, Bits) else 0
        if isinstance(type_, Varbit):
            same = call("macs_varbit_equal", "packet", left, right)
            return same if e.op is BinaryOp.EQ else CUnary("!", same)
        if is_wide(type_):
            ordering = signed and e.op not in (BinaryOp.EQ, BinaryOp.NE)
            name = f"{c_type(type_)}_compare{'_signed' if ordering else ''}"
            return infix(call(name, left, right, *([width] if ordering else [])), operator, 0)
        if signed and e.op not in (BinaryOp.EQ, BinaryOp.NE):
            left, right = call("macs_signed", left, width), call("macs_signed", right, width)
        return infix(left, operator, right)

    def _concat(self, e: Binary) -> C:
        assert isinstance(e.type, Bits) and isinstance(e.right.type, Bits)
        left, right, low = self(e.left), self(e.right), e.right.type.width
        if is_wide(e.type):
            wide = c_type(e.type)
            high = call(f"{wide}_shift_left", self._widened(e.left, e.type, extend=False), low, e.type.width)
            return call(f"{wide}_or", high, self._widened(e.right, e.type, extend=False))
        type_ = f"uint{max(32, natural(e.type.width))}_t"
        joined = infix(infix(cast(type_, left), "<<", low), "|", right)
        return joined if e.type.width == natural(e.type.width) >= 32 else cast(c_type(e.type), joined)

    def _narrow(self, e: Binary, type_: Bits) -> C:
        if e.op in (BinaryOp.SHL, BinaryOp.SHR):
            return self._shift(e, type_)
        left, right, width = self(e.left), self(e.right), type_.width
        sign = "_signed" if type_.signed else ""
        match e.op:
            case BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL:
                if width > 16 or e.op is BinaryOp.MUL:
                    left = as_unsigned(e.left, left, width)
                return trimmed(infix(left, e.op.value, right), width)
            case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
                value = infix(left, e.op.value, right)
                return cast(c_type(type_), value) if natural(width) < 32 else value
            case BinaryOp.DIV | BinaryOp.MOD:
                if isinstance(e.right, Const) and e.right.value:
                    return cast(c_type(type_), infix(left, e.op.value, right))
                name = "macs_divide" if e.op is BinaryOp.DIV else "macs_modulo"
                return cast(c_type(type_), call(name, left, right))
            case BinaryOp.SADD:
                return cast(c_type(type_), call(f"macs_add_saturating{sign}", left, right, width))
            case BinaryOp.SSUB if type_.signed:
                return cast(c_type(type_), call("macs_sub_saturating_signed", left, right, width))
            case BinaryOp.SSUB:
                return cast(c_type(type_), call("macs_sub_saturating", left, right))
        raise TypeError(f"no C for {e.op}")

    def _shift(self, e: Binary, type_: Bits) -> C:
        width = type_.width
        known = e.right.value if isinstance(e.right, Const) else None
        if type_.signed and e.op is BinaryOp.SHR:
            known = None
        if known is not None and known >= width:
            return literal(0, type_)  # and what is shifted out is not read
        left = self(e.left)
        if known is not None:
            plain = isinstance(e.left, Read) and e.op is BinaryOp.SHR
            start = left if plain else as_unsigned(e.left, left, width)
            shifted = infix(start, e.op.value, known)
            return trimmed(shifted, width) if e.op is BinaryOp.SHL else cast(c_type(type_), shifted)
        amount = self.amount(e.right)
        if e.op is BinaryOp.SHL:
            return cast(c_type(type_), call("macs_shift_left", left, amount, width))
        if type_.signed:
            return cast(c_type(type_), call("macs_shift_right_signed", left, amount, width))
        return cast(c_type(type_), call("macs_shift_right", left, amount))

    def _wide(self, e: Binary, type_: Bits) -> C:
        wide, left, width = c_type(type_), self(e.left), type_.width
        if e.op in (BinaryOp.SHL, BinaryOp.SHR):
            amount = self.amount(e.right)
            if e.op is BinaryOp.SHL:
                return call(f"{wide}_shift_left", left, amount, width)
            if type_.signed:
                return call(f"{wide}_shift_right_signed", left, amount, width)
            return call(f"{wide}_shift_right", left, amount)
        right = self(e.right)
        match e.op:
            case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
                return call(f"{wide}_{e.op.name.lower()}", left, right)
            case BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL:
                name = {"ADD": "add", "SUB": "sub", "MUL": "multiply"}[e.op.name]
                return call(f"{wide}_{name}", left, right, width)
            case BinaryOp.SADD | BinaryOp.SSUB:
                name = "add" if e.op is BinaryOp.SADD else "sub"
                return call(f"{wide}_{name}_saturating{'_signed' if type_.signed else ''}", left, right, width)
            case BinaryOp.DIV | BinaryOp.MOD:
                name = "divide" if e.op is BinaryOp.DIV else "modulo"
                return call(f"{wide}_{name}", left, right)
        raise TypeError(f"no C for {e.op} on {type_}")

    def _slice(self, inner: Expression, high: int, low: int) -> C:
        width = high - low + 1
        value = self(inner)
        if not is_wide(inner.type):
            if low:
                value = infix(value, ">>", low)
            return trimmed(value, width)
        wide = c_type(inner.type)
        shifted = call(f"{wide}_shift_right", value, low) if low else value
        if width > 64:
            return call(f"macs_w{limbs(width)}_resize", Member(shifted, "limb"), limbs_of(inner.type), width)
        return trimmed(low_limb(shifted), width)

    def _cast(self, inner: Expression, type_: Type) -> C:
        value = self(inner)
        if isinstance(type_, Bool):
            bits = known_bits(inner)
            return literal(int(bits.must != 0), type_) if bits.must or not bits.may else self._truth(value, inner.type)
        if not isinstance(type_, Bits):
            raise TypeError(f"no cast to {type_}")
        if isinstance(inner.type, Bool):
            narrow = cast(f"uint{natural(min(type_.width, 64))}_t", value)
            return call(f"{c_type(type_)}_of", narrow) if is_wide(type_) else narrow
        assert isinstance(inner.type, Bits)
        if is_wide(type_):
            return self._widened(inner, type_)
        if is_wide(inner.type):
            return trimmed(low_limb(value), type_.width)
        if type_.width > inner.type.width and inner.type.signed:
            return trimmed(cast("uint64_t", call("macs_signed", value, inner.type.width)), type_.width)
        if type_.width >= inner.type.width:
            return value if c_type(type_) == c_type(inner.type) else cast(c_type(type_), value)
        return trimmed(value, type_.width)

    @staticmethod
    def _truth(value: C, type_: Type) -> C:
        if isinstance(type_, Bool):
            return value
        if is_wide(type_):
            value = call(f"{c_type(type_)}_compare", value, literal(0, type_))
        return infix(value, "!=", 0)

    def _widened(self, inner: Expression, type_: Bits, extend: bool = True) -> C:
        """A value in a wide type, cut or extended: by the sign of the operand's type, or with zeros."""
        assert isinstance(inner.type, Bits)
        value, wide, width = self(inner), c_type(type_), type_.width
        grown = extend and type_.width > inner.type.width and inner.type.signed
        if is_wide(inner.type):
            if c_type(inner.type) != wide or type_.width < inner.type.width:
                value = call(f"{wide}_resize", Member(value, "limb"), limbs_of(inner.type), width)
        else:
            value = call(f"{wide}_of", value)
        return call(f"{wide}_extend_sign", value, inner.type.width, width) if grown else value


def as_unsigned(expression: Expression, value: C, width: int) -> C:
    """The value of an expression for arithmetic of that width (≤ 64) that must not happen in C's int: literals are ints,
    as are choices between them and all that is narrower than 32 bits."""
    type_ = f"uint{max(32, natural(width))}_t"
    first = value.left if isinstance(value, CBinary) else value
    has_it = isinstance(first, Cast) and first.type == type_
    return value if has_it or (isinstance(expression, Read) and width > 16) else cast(type_, value)


def low_limb(value: C) -> C:
    """The lowest 64 bits of a wide value."""
    return Index(Member(value, "limb"), Literal("0"))


def limbs_of(type_: Type) -> int:
    assert isinstance(type_, Bits)
    return limbs(type_.width)
