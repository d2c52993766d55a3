"""Operators and their type rules: P4-16 spec 8.5 (bool), 8.6 (bit<>), 8.7 (int<>), 8.8 (int), 8.9 to 8.11."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import casts, expressions, walk
from aux_frontend.p4_16.checker.constants import fold_binary, fold_unary
from aux_frontend.p4_16.checker.state import State, Value
from aux_frontend.p4_16.checker.typeops import BOOL, INT, STRING, same, show
from aux_frontend.p4_16.types import Ty
from transpiler.hlir.arithmetic import UndefinedError

_ORDER = frozenset(("<", "<=", ">", ">="))
_SATURATING = frozenset(("|+|", "|-|"))


def unary(st: State, e: ast.UnaryExpression, hint: Ty | None) -> Ty:
    ty = walk.infer(st, e.operand, hint)
    if isinstance(ty, t.Unknown):
        return ty
    if e.operator == "!":
        if not isinstance(ty, t.Bool):
            return st.error(e, f"operator ! needs a 'bool', not {show(ty)}")
    else:
        ty = _number(st, e.operand, ty)
        if not isinstance(ty, t.Bit | t.Integer) or (e.operator == "~" and isinstance(ty, t.Integer)):
            return st.error(e, f"operator {e.operator} cannot be applied to {show(ty)}")
    _fold_unary(st, e, ty)
    return ty


def _fold_unary(st: State, e: ast.UnaryExpression, ty: Ty) -> None:
    if e.operand in st.static:
        st.static.add(e)
    value = st.value(e.operand)
    result = None if value is None else fold_unary(e.operator, value, ty)
    if result is not None:
        st.set_value(e, result)


def _number(st: State, operand: ast.Expression, ty: Ty) -> Ty:
    """A serializable enum's value taken as a number."""
    if isinstance(ty, t.Enum) and ty.underlying is not None:
        casts.coerce(st, operand, ty, ty.underlying)
        return ty.underlying
    return ty


def binary(st: State, e: ast.BinaryExpression, hint: Ty | None) -> Ty:
    """Long chains a + b + c … lean left: the left spine is walked in a loop, not by recursion."""
    spine: list[ast.BinaryExpression] = []
    first: ast.Expression = e
    while isinstance(first, ast.BinaryExpression):
        spine.append(first)
        first = first.left
    left = walk.infer(st, first)
    for node in reversed(spine):
        right = walk.infer(st, node.right)
        result = binary_type(st, node, left, right)
        if not isinstance(result, t.Unknown):
            _fold_binary(st, node, result)
        if node is not e:
            st.checked.types[node] = result
        left = result
    return left


def _fold_binary(st: State, e: ast.BinaryExpression, ty: Ty) -> None:
    if e.left in st.static and e.right in st.static:
        st.static.add(e)
    left, right = st.value(e.left), st.value(e.right)
    if isinstance(left, bool) and (e.operator, left) in (("&&", False), ("||", True)):
        if e.right in st.static:
            st.set_value(e, left)
        return
    if right is not None and left is None:
        _check_right(st, e, right)
    if left is None or right is None:
        return
    left_ty, right_ty = (st.checked.casts.get(side, st.checked.types[side]) for side in (e.left, e.right))
    try:
        result = fold_binary(e.operator, left, right, left_ty, right_ty)
    except UndefinedError as problem:
        st.error(e, str(problem))
        return
    if result is not None:
        st.set_value(e, result)


def _check_right(st: State, e: ast.BinaryExpression, right: Value) -> None:
    """What is wrong already by the right operand: division by zero, shift by a negative or too large amount."""
    if e.operator in ("/", "%") and right == 0:
        st.error(e, "division by zero" if e.operator == "/" else "modulo by zero")
    if e.operator in ("<<", ">>") and isinstance(right, int):
        ty = st.checked.types[e.left]
        if right < 0:
            st.error(e.right, "shift by a negative amount")
        elif isinstance(ty, t.Bit) and right >= ty.width:
            st.warn(e, "overflow", f"shifting {show(ty)} by {right} leaves no bit of it")


def binary_type(st: State, e: ast.BinaryExpression, left: Ty, right: Ty) -> Ty:
    """The type of `left operator right`, both operands converted as needed; reports what does not fit."""
    op = e.operator
    if op in ("==", "!="):
        return _equality(st, e, left, right)
    if op in ("&&", "||"):
        return _logical(st, e, left, right)
    if isinstance(left, t.Unknown) or isinstance(right, t.Unknown):
        known = right if isinstance(left, t.Unknown) else left
        return BOOL if op in _ORDER else known if op in ("<<", ">>") and known is left else t.Unknown()
    if op in ("<<", ">>"):
        return _shift(st, e, left, right)
    if op == "++":
        return _concatenation(st, e, left, right)
    ty = _common_number(st, e, left, right)
    if isinstance(ty, t.Unknown):
        return ty
    return BOOL if op in _ORDER else ty


def _logical(st: State, e: ast.BinaryExpression, left: Ty, right: Ty) -> Ty:
    for operand, ty in ((e.left, left), (e.right, right)):
        if not isinstance(ty, t.Bool | t.Unknown):
            st.error(operand, f"operator {e.operator} needs 'bool' operands, not {show(ty)}")
    return BOOL


def _operands(st: State, e: ast.BinaryExpression, left: Ty, right: Ty) -> Ty:
    return st.error(e, f"operator {e.operator} cannot be applied to {show(left)} and {show(right)}")


def _common_number(st: State, e: ast.BinaryExpression, left: Ty, right: Ty) -> Ty:
    """Arithmetic, bitwise and ordering operators: both operands of one number type, literals follow the other side."""
    left, right = _number(st, e.left, left), _number(st, e.right, right)
    if not isinstance(left, t.Bit | t.Integer) or not isinstance(right, t.Bit | t.Integer):
        return _operands(st, e, left, right)
    if e.operator in _SATURATING and isinstance(left, t.Integer) and isinstance(right, t.Integer):
        return st.error(e, f"operator {e.operator} needs a type with a width, 'int' has none")
    if isinstance(left, t.Integer) and isinstance(right, t.Bit):
        casts.coerce(st, e.left, left, right)
        left = right
    elif isinstance(left, t.Bit) and isinstance(right, t.Integer):
        casts.coerce(st, e.right, right, left)
        right = left
    if not same(left, right):
        if isinstance(left, t.Bit) and isinstance(right, t.Bit) and left.signed == right.signed:
            return st.error(e, f"width mismatch: operator {e.operator} between {show(left)} and {show(right)}")
        return _operands(st, e, left, right)
    if e.operator in ("/", "%"):
        return _division(st, e, left)
    return left


def _division(st: State, e: ast.BinaryExpression, ty: Ty) -> Ty:
    """/ and % are for non-negative numbers, and the divisor is known at compile time, or nothing is divided (spec 8.8)."""
    if isinstance(ty, t.Bit) and ty.signed:
        return st.error(e, f"operator {e.operator} is not defined for signed numbers ({show(ty)})")
    for operand in (e.left, e.right):
        if _is_negative_literal(st, operand):
            return st.error(operand, f"operator {e.operator} is not defined for negative numbers")
    if e.right not in st.static and st.int_value(e.left) != 0:
        return st.error(e.right, f"the right operand of {e.operator} must be known at compile time")
    return ty


def _is_negative_literal(st: State, e: ast.Expression) -> bool:
    """Whether an operand was a negative `int` before it got the width of the other side."""
    return (
        isinstance(e, ast.UnaryExpression)
        and e.operator == "-"
        and isinstance(st.checked.types.get(e), t.Integer)
        and (st.int_value(e.operand) or 0) > 0
    )


def _shift(st: State, e: ast.BinaryExpression, left: Ty, right: Ty) -> Ty:
    left, right = _number(st, e.left, left), _number(st, e.right, right)
    if not isinstance(left, t.Bit | t.Integer) or not isinstance(right, t.Bit | t.Integer):
        return _operands(st, e, left, right)
    if isinstance(right, t.Bit) and right.signed and (st.int_value(e.right) or 0) < 0:
        return st.error(e.right, f"shift by a negative amount ({st.int_value(e.right)})")
    if isinstance(right, t.Bit) and right.signed and st.int_value(e.right) is None:
        return st.error(e.right, f"the shift amount must be unsigned or a non-negative constant, not {show(right)}")
    if isinstance(right, t.Integer) and (value := st.int_value(e.right)) is not None and value < 0:
        return st.error(e.right, f"shift by a negative amount ({value})")
    if isinstance(left, t.Integer) and e.right not in st.static:
        return st.error(e.left, "an 'int' without width can only be shifted by a compile-time constant")
    return left


def _concatenation(st: State, e: ast.BinaryExpression, left: Ty, right: Ty) -> Ty:
    if isinstance(left, t.String) and isinstance(right, t.String):
        for operand in (e.left, e.right):
            if operand not in st.static:
                return st.error(operand, "strings can be joined only when known at compile time")
        return STRING
    left, right = _number(st, e.left, left), _number(st, e.right, right)
    if isinstance(left, t.Bit) and isinstance(right, t.Bit):
        return t.Bit(left.width + right.width, left.signed)
    if INT in (left, right):
        operand = e.left if isinstance(left, t.Integer) else e.right
        return st.error(operand, "operator ++ needs operands with a width; write a width, as in 8w1")
    return _operands(st, e, left, right)


def _equality(st: State, e: ast.BinaryExpression, left: Ty, right: Ty) -> Ty:
    if isinstance(left, t.Unknown) or isinstance(right, t.Unknown):
        return BOOL
    before = st.errors
    if _agree(st, e, left, right) or st.errors > before:
        return BOOL
    if isinstance(left, t.Bit) and isinstance(right, t.Bit) and left.signed == right.signed:
        st.error(e, f"width mismatch: operator {e.operator} between {show(left)} and {show(right)}")
    else:
        st.error(e, f"operator {e.operator} cannot compare {show(left)} with {show(right)}")
    return BOOL


def _literal(e: ast.Expression, ty: Ty) -> bool:
    """Whether an expression takes its type from the other side."""
    if isinstance(e, ast.ListExpression | ast.InvalidExpression):
        return True
    return isinstance(e, ast.StructExpression) and isinstance(ty, t.Struct) and ty.declaration is None


def _agree(st: State, e: ast.BinaryExpression, left: Ty, right: Ty) -> bool:
    if _literal(e.left, left) and not _literal(e.right, right):
        return casts.coerce(st, e.left, left, right) and _comparable(right)
    if _literal(e.right, right) and not _literal(e.left, left):
        return casts.coerce(st, e.right, right, left) and _comparable(left)
    left, right = _numbers(st, e, left, right)
    if same(left, right):
        return _comparable(left)
    if casts.implicitly(st, left, right):
        return casts.coerce(st, e.left, left, right) and _comparable(right)
    if casts.implicitly(st, right, left):
        return casts.coerce(st, e.right, right, left) and _comparable(left)
    return False


def _numbers(st: State, e: ast.BinaryExpression, left: Ty, right: Ty) -> tuple[Ty, Ty]:
    """A serializable enum is compared as a number, but with its own members."""
    if same(left, right) or not all(isinstance(ty, t.Enum | t.Integer) for ty in (left, right)):
        return left, right
    return _number(st, e.left, left), _number(st, e.right, right)


def _comparable(ty: Ty) -> bool:
    """Types with == (spec 8.3): numbers, bool, error, enums, headers, structs, stacks, tuples, lists of such."""
    match ty:
        case t.Struct(declaration=None):
            return False  # two structures without a type
        case t.Struct() | t.Header() | t.HeaderUnion():
            return all(_comparable(f) for _, f in ty.fields)
        case t.Stack() | t.List():
            return _comparable(ty.element)
        case t.Tuple():
            return all(map(_comparable, ty.elements))
        case t.NewType():
            return _comparable(ty.underlying)
        case _:
            return isinstance(
                ty,
                t.Bit | t.Integer | t.Varbit | t.Bool | t.Error | t.Enum | t.ActionEnum | t.MatchKind
                | t.Unknown,
            )  # fmt: skip


def conditional(st: State, e: ast.ConditionalExpression, hint: Ty | None) -> Ty:
    """c ? a : b. The branches agree in type, an int literal follows the other side (spec 8.5.1)."""
    expressions.check(st, e.condition, BOOL, "condition")
    then, otherwise = walk.infer(st, e.then, hint), walk.infer(st, e.otherwise, hint)
    if isinstance(then, t.Unknown) or isinstance(otherwise, t.Unknown):
        return otherwise if isinstance(then, t.Unknown) else then
    result = _branches(st, e, then, otherwise)
    if isinstance(result, t.Unknown):
        return result
    if all(x in st.static for x in (e.condition, e.then, e.otherwise)):
        st.static.add(e)
        value = st.value(e.then if st.value(e.condition) else e.otherwise)
        if value is not None and st.value(e.condition) is not None:
            st.set_value(e, value)
    return result


def _branches(st: State, e: ast.ConditionalExpression, then: Ty, otherwise: Ty) -> Ty:
    """The common type of the branches, one converted to that of the other where needed."""
    first, second = _literal(e.then, then), _literal(e.otherwise, otherwise)
    if (first and not second) or (not same(then, otherwise) and casts.implicitly(st, then, otherwise)):
        return otherwise if casts.coerce(st, e.then, then, otherwise) else t.Unknown()
    if first and second and same(then, otherwise):
        return then
    return then if casts.coerce(st, e.otherwise, otherwise, then, "other branch") else t.Unknown()
