"""Random HLIR expressions over all operators, for tests that compare two readings of them."""

from __future__ import annotations

from random import Random

from hlir_builder import AT

from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits, Bool, Type

ARITHMETIC = ("+", "-", "*", "|+|", "|-|", "&", "|", "^")
UNSIGNED_ONLY = ("/", "%")
WIDTHS = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 127, 128, 129, 191, 200)


class Maker:
    """Makes expressions; `leaf` gives the variables to read, by type."""

    def __init__(self, random: Random, variables: dict[Type, list[str]]) -> None:
        self.random = random
        self.variables = variables

    def width(self, most: int = 200) -> int:
        likely = [w for w in WIDTHS if w <= most]
        return self.random.choice(likely) if self.random.random() < 0.7 else self.random.randint(1, most)

    def type(self) -> Bits:
        return Bits(self.width(), self.random.random() < 0.4)

    def value(self, width: int) -> int:
        whole = (1 << width) - 1
        corners = (0, 1 & whole, whole, whole >> 1, 1 << width - 1, self.random.getrandbits(width))
        return self.random.choice(corners)

    def bits(self, type_: Bits, depth: int) -> ex.Expression:
        """An expression of that type."""
        if depth <= 0:
            return self._leaf(type_)
        choice = self.random.choice(("binary", "binary", "binary", "unary", "shift", "cast", "if", "slice", "concat"))
        if choice == "slice" and not type_.signed:
            low = self.random.randint(0, 20)
            inner = Bits(type_.width + low + self.random.randint(0, 9), self.random.random() < 0.3)
            return ex.Slice(self.bits(inner, depth - 1), low + type_.width - 1, low, AT)
        if choice == "concat" and type_.width > 1:
            left = self.random.randint(1, type_.width - 1)
            operands = Bits(left, type_.signed), Bits(type_.width - left, type_.signed)
            return self._binary("++", *(self.bits(t, depth - 1) for t in operands), type_)
        match choice:
            case "unary":
                operator = ex.UnaryOp(self.random.choice("-~"))
                return ex.Unary(operator, self.bits(type_, depth - 1), type_, AT)
            case "shift":
                return self._shift(type_, depth)
            case "cast":
                source = Bool() if self.random.random() < 0.1 else self.type()
                return ex.Cast(self.any(source, depth - 1), type_, AT)
            case "if":
                arms = (self.bits(type_, depth - 1) for _ in range(2))
                return ex.Conditional(self.bool(depth - 1), *arms, type_, AT)
        operators = ARITHMETIC if type_.signed else ARITHMETIC + UNSIGNED_ONLY
        return self._binary(
            self.random.choice(operators), self.bits(type_, depth - 1), self.bits(type_, depth - 1), type_
        )

    def bool(self, depth: int) -> ex.Expression:
        """A condition."""
        if depth <= 0:
            return self._leaf(Bool())
        choice = self.random.choice(("compare", "compare", "compare", "logic", "not", "same", "cast", "if"))
        match choice:
            case "compare":
                type_ = self.type()
                operator = self.random.choice(("==", "!=", "<", "<=", ">", ">="))
                return self._binary(operator, self.bits(type_, depth - 1), self.bits(type_, depth - 1), Bool())
            case "logic":
                return self._binary(
                    self.random.choice(("&&", "||")), self.bool(depth - 1), self.bool(depth - 1), Bool()
                )
            case "same":
                return self._binary(
                    self.random.choice(("==", "!=")), self.bool(depth - 1), self.bool(depth - 1), Bool()
                )
            case "cast":
                return ex.Cast(self.bits(self.type(), depth - 1), Bool(), AT)
            case "if":
                arms = (self.bool(depth - 1) for _ in range(2))
                return ex.Conditional(self.bool(depth - 1), *arms, Bool(), AT)
        return ex.Unary(ex.UnaryOp.NOT, self.bool(depth - 1), Bool(), AT)

    def any(self, type_: Type, depth: int) -> ex.Expression:
        """An expression of that type, bits or bool."""
        return self.bits(type_, depth) if isinstance(type_, Bits) else self.bool(depth)

    def _shift(self, type_: Bits, depth: int) -> ex.Expression:
        amount = Bits(self.random.choice((1, 3, 8, 16, 32, 64, 70, 130)))
        far = self.random.choice((0, 1, type_.width - 1, type_.width, 64, 200, (1 << amount.width) - 1))
        by = ex.Const(min(far, (1 << amount.width) - 1), amount, AT)
        right = by if self.random.random() < 0.5 else self.bits(amount, depth - 1)
        return self._binary(self.random.choice(("<<", ">>")), self.bits(type_, depth - 1), right, type_)

    def _leaf(self, type_: Type) -> ex.Expression:
        known = self.variables.get(type_, [])
        if self.random.random() < 0.3 and isinstance(type_, Bits):
            return ex.Const(self.value(type_.width), type_, AT)
        if not known:
            known = self.variables.setdefault(type_, [])
        if len(known) < 3:
            known.append(f"v{sum(map(len, self.variables.values()))}")
        return ex.Read(ex.VariableRef(self.random.choice(known), AT), type_, AT)

    @staticmethod
    def _binary(operator: str, left: ex.Expression, right: ex.Expression, type_: Type) -> ex.Binary:
        return ex.Binary(ex.BinaryOp(operator), left, right, type_, AT)
