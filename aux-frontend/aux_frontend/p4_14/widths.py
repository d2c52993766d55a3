"""Types of action parameters, which P4-14 does not declare: worked out from how they are used.

A parameter has the width of the field that it goes into, of what it is combined or compared with, of the index or of
the parameter of another action that it is passed as; the widest of these. One that nothing says a width of has 8 bits,
as BMv2's compiler has it.
"""

from __future__ import annotations

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.scope import Scope
from aux_frontend.p4_14.signatures import SIGNATURES, Arg
from aux_frontend.p4_14.stateful import Object, StatefulObjects
from transpiler.hlir.types import Bits

UNKNOWN = Bits(8)
WORD = Bits(32)
MAX_CALL_DEPTH = 64  # of actions that call actions
Widths = dict[str, Bits | None]
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "&&", "||")


class ParameterWidths:
    """Answers per action, each worked out once; recursive actions see unknown widths."""

    def __init__(self, scope: Scope, objects: StatefulObjects) -> None:
        self.scope = scope
        self.objects = objects
        self._known: dict[str, Widths] = {}

    def of(self, action: ast.Action) -> tuple[Bits, ...]:
        widths = self._infer(action)
        return tuple(widths.get(p.text) or UNKNOWN for p in action.parameters)

    def _infer(self, action: ast.Action, depth: int = 0) -> Widths:
        name = action.name.text
        if name not in self._known:
            widths: Widths = {p.text: None for p in action.parameters}
            self._known[name] = dict(widths)
            if depth > MAX_CALL_DEPTH:
                return widths  # elaboration reports it
            for call in action.body:
                for expression, context in self._uses(call, widths, depth):
                    self._visit(expression, context, widths)
            self._known[name] = widths
        return self._known[name]

    def _uses(self, call: ast.Call, widths: Widths, depth: int) -> list[tuple[ast.Expression, Bits | None]]:
        """The arguments of a call that are values, each with the type that it is used as."""
        if call.receiver is not None:
            return []
        callee = self.scope.actions.get(call.callee.text)
        if callee is not None:
            inner = self._infer(callee, depth + 1)
            return [(a, inner.get(p.text)) for a, p in zip(call.arguments, callee.parameters, strict=False)]
        signature = SIGNATURES.get(call.callee.text)
        if signature is None:
            return []
        first = self.type_of(call.arguments[0], widths) if call.arguments and signature.like_first else None
        found: list[tuple[ast.Expression, Bits | None]] = []
        for position, (argument, kind) in enumerate(zip(call.arguments, signature.args, strict=False)):
            if kind is Arg.VALUE:
                found.append((argument, first or self._special(call, position)))
        return found

    def _special(self, call: ast.Call, position: int) -> Bits | None:
        """Types of values that do not go into the first argument."""
        match call.callee.text:
            case "count":
                return self._index_type("counter", call, 0)
            case "execute_meter" if position == 1:
                return self._index_type("meter", call, 0)
            case "register_read":
                return self._index_type("register", call, 1)
            case "register_write" if position == 1:
                return self._index_type("register", call, 0)
            case "register_write":
                register = self._object("register", call, 0)
                return register.type if register is not None else None
            case "truncate" | "clone_ingress_pkt_to_egress" | "clone_egress_pkt_to_egress" | "clone_i2e" | "clone_e2e":
                return WORD
        return None

    def _object(self, kind: str, call: ast.Call, position: int) -> Object | None:
        if position >= len(call.arguments):
            return None
        argument = call.arguments[position]
        return self.objects.objects.get((kind, argument.name.text)) if isinstance(argument, ast.Ref) else None

    def _index_type(self, kind: str, call: ast.Call, position: int) -> Bits:
        found = self._object(kind, call, position)
        return found.index_type if found is not None else WORD

    def _visit(self, expression: ast.Expression, context: Bits | None, widths: Widths) -> None:
        """Give the parameters in an expression the type of where they stand."""
        match expression:
            case ast.Ref(name=name, index=None) if name.text in widths:
                old = widths[name.text]
                if context is not None and (old is None or old.width < context.width):
                    widths[name.text] = context
            case ast.Unary(operand=operand):
                self._visit(operand, context, widths)
            case ast.Binary(op=op, left=left, right=right):
                self._visit(left, self.type_of(right, widths) or (None if op in _COMPARISONS else context), widths)
                if op in ("<<", ">>"):
                    context = None
                self._visit(right, self.type_of(left, widths) or (None if op in _COMPARISONS else context), widths)

    def type_of(self, expression: ast.Expression, widths: Widths) -> Bits | None:
        """The width that an expression has by itself."""
        match expression:
            case ast.Number(width=width) if width:
                return Bits(width)
            case ast.Ref(name=name, index=None):
                return widths.get(name.text)
            case ast.FieldRef(header=header, field=field):
                instance = self.scope.instance(header.name.text)
                info = instance.layout.fields.get(field.text) if instance is not None else None
                return info.type if info is not None and isinstance(info.type, Bits) else None
            case ast.Unary(operand=operand):
                return self.type_of(operand, widths)
            case ast.Binary(op=op, left=left, right=right) if op not in _COMPARISONS:
                types = [t for t in (self.type_of(left, widths), self.type_of(right, widths)) if t is not None]
                return max(types, key=lambda t: t.width, default=None)
        return None
