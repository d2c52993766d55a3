"""Warnings "uninitialized", "unused", "unreachable", "constant": values used before they are set, names never, statements
behind a return or exit, conditions of which the value is known (P4-16 spec 6.7, 8.24).

A body is walked along its paths with the set of variables that surely have a value. Only whole scalar variables and `out`
parameters are followed; a struct counts as set once any part of it is, so that there are no false alarms.
"""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import lvalues
from aux_frontend.p4_16.checker.state import Context, Place, State

_LOCALS = (
    ast.VariableDeclaration | ast.ConstDeclaration | ast.Instantiation | ast.ActionDeclaration | ast.TableDeclaration
)


def check_program(st: State, program: ast.Program) -> None:
    """Warn about a whole program, which has no errors."""
    for d in program.declarations:
        st.block = d
        _declaration(st, d)
    st.block = None


def _declaration(st: State, d: ast.Declaration) -> None:
    match d:
        case ast.FunctionDeclaration() | ast.ActionDeclaration():
            _body(st, d.body.body, d.parameters)
        case ast.ControlDeclaration():
            _locals(st, d.locals)
            _body(st, d.body.body, ())
        case ast.ParserDeclaration():
            _locals(st, d.locals)
            for state in d.states:
                _body(st, state.body, ())


def _locals(st: State, declarations: Sequence[ast.Declaration]) -> None:
    for d in declarations:
        _unused(st, d)
        if isinstance(d, ast.FunctionDeclaration | ast.ActionDeclaration):
            with st.nested(Context(Place.ACTION, d)):
                _body(st, d.body.body, d.parameters)


def _unused(st: State, d: ast.Declaration) -> None:
    if isinstance(d, _LOCALS) and d not in st.used:
        kind = {
            ast.VariableDeclaration: "variable", ast.ConstDeclaration: "constant", ast.Instantiation: "instance",
            ast.ActionDeclaration: "action", ast.TableDeclaration: "table",
        }[type(d)]  # fmt: skip
        st.warn(d, "unused", f"{kind} '{d.name}' is never used")


def _body(st: State, body: Sequence[ast.Statement | ast.Declaration], parameters: Sequence[ast.Parameter]) -> None:
    walk = Walk(st)
    for parameter in parameters:
        if parameter.direction == "out":
            walk.follow(parameter)
    known = walk.body(body, frozenset())
    for parameter in parameters:
        if known is not None and parameter in walk.followed and parameter not in known:
            message = f"out parameter '{parameter.name}' may be left without a value"
            st.warn(parameter, "uninitialized", message)


Known = frozenset[ast.Declaration]
_ENDED: None = None  # what is known where no execution comes by


class Walk:
    """One walk over one body. `followed`: the variables that start without a value."""

    def __init__(self, st: State) -> None:
        self.st = st
        self.followed: set[ast.Declaration] = set()
        self.warned: set[ast.Declaration] = set()

    def follow(self, d: ast.Declaration) -> None:
        if isinstance(self.st.value_types.get(d), t.Bit | t.Bool | t.Enum | t.Error | t.NewType | t.Varbit):
            self.followed.add(d)

    def body(self, statements: Sequence[ast.Statement | ast.Declaration], known: Known | None) -> Known | None:
        for s in statements:
            if known is None:
                self.st.warn(s, "unreachable", "this is never executed")
                break
            known = self.statement(s, known)
        return known

    def statement(self, s: ast.Statement | ast.Declaration, known: Known) -> Known | None:
        match s:
            case ast.VariableDeclaration():
                return self._declaration(s, known)
            case ast.ConstDeclaration():
                return known
            case ast.BlockStatement():
                return self.body(s.body, known)
            case ast.AssignmentStatement():
                return self._assignment(s, known)
            case ast.CallStatement():
                return self.expression(s.call, known)
            case ast.IfStatement():
                return self._if(s, known)
            case ast.SwitchStatement():
                return self._switch(s, known)
            case ast.ReturnStatement():
                if s.value is not None:
                    self.expression(s.value, known)
                return _ENDED
            case ast.ExitStatement() | ast.BreakStatement() | ast.ContinueStatement():
                return _ENDED
            case ast.ForStatement() | ast.ForInStatement():
                return self._loop(s, known)
            case _:
                return known

    def _declaration(self, d: ast.VariableDeclaration, known: Known) -> Known:
        _unused(self.st, d)
        self.follow(d)
        if d.initializer is not None:
            return self.expression(d.initializer, known) | {d}
        return known - {d}

    def _assignment(self, s: ast.AssignmentStatement, known: Known) -> Known:
        known = self.expression(s.value, known)
        if s.operator != "=":
            known = self.expression(s.target, known)
        return self._set(s.target, known)

    def _set(self, target: ast.Expression, known: Known) -> Known:
        """After a write to a variable or a part of it. Indices in the target are read, and where a slice begins."""
        inner = target
        while isinstance(inner, ast.Member | ast.Index | ast.SliceExpression):
            if not isinstance(inner, ast.Member):
                known = self.expression(inner.index if isinstance(inner, ast.Index) else inner.high, known)
            inner = inner.base
        path = lvalues.root(target)
        declaration = None if path is None else self.st.checked.declarations.get(path)
        return known if declaration is None else known | {declaration}

    def _if(self, s: ast.IfStatement, known: Known) -> Known | None:
        known = self.expression(s.condition, known)
        constant = self.st.value(s.condition)
        if isinstance(constant, bool):
            self.st.warn(s.condition, "constant", f"this condition is always {str(constant).lower()}")
        then = self.statement(s.then, known) if constant is not False else _ENDED
        otherwise = known if s.otherwise is None else self.statement(s.otherwise, known)
        return _join(then, _ENDED if constant is True else otherwise)

    def _switch(self, s: ast.SwitchStatement, known: Known) -> Known | None:
        known = self.expression(s.subject, known)
        complete = any(isinstance(label, ast.DefaultExpression) for case in s.cases for label in case.labels)
        result: Known | None = _ENDED if complete else known
        for case in s.cases:
            if case.body is not None:
                result = _join(result, self.statement(case.body, known))
        return result

    def _loop(self, s: ast.ForStatement | ast.ForInStatement, known: Known) -> Known | None:
        """The body may run not at all."""
        if isinstance(s, ast.ForInStatement):
            variable = self.st.checked.declarations.get(s.name)
            known = self.expression(s.collection, known)
            self.statement(s.body, known | ({variable} if variable is not None else frozenset()))
            return known
        inside = self.body(s.init, known)
        assert inside is not None, "nothing ends in the first part of a loop"
        inside = self.expression(s.condition, inside)
        after = self.statement(s.body, inside)
        if after is not None:
            self.body(s.update, after)
        return inside

    def expression(self, e: ast.Expression, known: Known) -> Known:
        """Look at what an expression reads; what its calls write is known afterwards."""
        match e:
            case ast.Path():
                self._read(e, known)
            case ast.Call():
                return self._call(e, known)
            case _:
                for part in children(e):
                    known = self.expression(part, known)
        return known

    def _read(self, e: ast.Path, known: Known) -> None:
        declaration = self.st.checked.declarations.get(e)
        if declaration in self.followed and declaration not in known and declaration not in self.warned:
            self.warned.add(declaration)
            message = f"'{e.name}' may be used before it has a value"
            self.st.warn(e, "uninitialized", message, (declaration, "declared here"))

    def _call(self, e: ast.Call, known: Known) -> Known:
        if isinstance(e.callee, ast.Member):
            known = self.expression(e.callee.base, known)
        call = self.st.checked.calls.get(e)
        if call is None:
            return known
        parameters: Sequence[ast.Parameter | None] = call.parameters or [None] * len(call.arguments)
        written: list[ast.Expression] = []
        for parameter, value in zip(parameters, call.arguments, strict=True):
            if value is None or (parameter is not None and value is parameter.default):
                continue
            if parameter is None or parameter.direction != "out":
                known = self.expression(value, known)
            if parameter is not None and parameter.direction in ("out", "inout"):
                written.append(value)
        for value in written:
            known = self._set(value, known)
        return known


def _join(left: Known | None, right: Known | None) -> Known | None:
    if left is None or right is None:
        return right if left is None else left
    return left & right


def children(e: ast.Expression) -> Sequence[ast.Expression]:
    """The expressions that an expression is made of."""
    match e:
        case ast.Member():
            return (e.base,)
        case ast.Index():
            return (e.base, e.index)
        case ast.SliceExpression():
            return (e.base, e.high, e.low)
        case ast.UnaryExpression() | ast.CastExpression():
            return (e.operand,)
        case ast.BinaryExpression():
            return (e.left, e.right)
        case ast.ConditionalExpression():
            return (e.condition, e.then, e.otherwise)
        case ast.ListExpression():
            return e.items
        case ast.StructExpression():
            return tuple(f.value for f in e.fields)
        case ast.MaskExpression():
            return (e.value, e.mask)
        case ast.RangeExpression():
            return (e.low, e.high)
        case _:
            return ()
