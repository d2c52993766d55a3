"""Statements: P4-16 spec 12, and which of them may stand where."""

from __future__ import annotations

from dataclasses import replace

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import annotation, casts, expressions, lvalues, operators, typerefs, walk
from aux_frontend.p4_16.checker.nesting import variable_problem
from aux_frontend.p4_16.checker.state import UNKNOWN, Place, Rule, State
from aux_frontend.p4_16.checker.typeops import BOOL, same, show, write
from aux_frontend.p4_16.types import Ty


def _block(st: State, s: ast.BlockStatement) -> None:
    annotation.check(st, s.annotations)
    with st.nested():
        walk.body(st, s.body)


def _assignment(st: State, s: ast.AssignmentStatement) -> None:
    target = walk.infer(st, s.target)
    if isinstance(target, t.Unknown):
        walk.infer(st, s.value, target)
        return
    writable = lvalues.check_lvalue(st, s.target, "assignment")
    if writable and not expressions.assignable_type(target):
        st.error(s.target, f"assignment: {show(target)} cannot be assigned to")
        writable = False
    if s.operator == "=":
        found = walk.infer(st, s.value, target)
        if writable:
            casts.coerce(st, s.value, found, target, "assignment")
        return
    found = walk.infer(st, s.value)
    operation = ast.BinaryExpression(s.span, s.operator[:-1], s.target, s.value)
    result = operators.binary_type(st, operation, target, found)
    st.checked.casts.pop(s.target, None)
    if writable and not same(result, target):
        st.error(s, f"the result of {s.operator[:-1]} is {show(result)}, the target is {show(target)}")


def _call(st: State, s: ast.CallStatement) -> None:
    walk.infer(st, s.call)
    if isinstance(s.call.callee, ast.TypeExpression) and s.call in st.static:
        st.error(s.call, "an object without a name is of no use here")


def _if(st: State, s: ast.IfStatement) -> None:
    expressions.check(st, s.condition, BOOL, "condition")
    for branch in (s.then, s.otherwise):
        if branch is not None:
            with st.nested():
                walk.statement(st, branch)


def _return(st: State, s: ast.ReturnStatement) -> None:
    place, result = st.context.place, st.context.result
    if place not in (Place.ACTION, Place.APPLY, Place.FUNCTION):
        st.error(s, f"'return' cannot stand in {place.value}")
        if s.value is not None:
            walk.infer(st, s.value, UNKNOWN)
        return
    if result is None or isinstance(result, t.Void):
        if s.value is not None:
            walk.infer(st, s.value, UNKNOWN)
            where = place.value if result is None else "a function of type 'void'"
            st.error(s.value, f"{where} returns no value")
    elif s.value is None:
        st.error(s, f"this function must return {show(result)}")
    else:
        expressions.check(st, s.value, result, "return")


def _exit(st: State, s: ast.ExitStatement) -> None:
    if st.context.place not in (Place.ACTION, Place.APPLY):
        st.error(s, f"'exit' cannot stand in {st.context.place.value}")


def _jump(st: State, s: ast.BreakStatement | ast.ContinueStatement) -> None:
    if not st.context.loops:
        st.error(s, f"'{'break' if isinstance(s, ast.BreakStatement) else 'continue'}' is only for loops")


def _for(st: State, s: ast.ForStatement) -> None:
    annotation.check(st, s.annotations)
    with st.nested(replace(st.context, loops=st.context.loops + 1)):
        walk.body(st, s.init)
        expressions.check(st, s.condition, BOOL, "condition")
        walk.body(st, s.update)
        with st.nested():
            walk.statement(st, s.body)


def _for_in(st: State, s: ast.ForInStatement) -> None:
    """The loop variable is a VariableDeclaration made here when the loop declares it; `declarations` has it under the name."""
    annotation.check(st, s.annotations)
    with st.nested(replace(st.context, loops=st.context.loops + 1)):
        wanted = typerefs.resolve(st, s.type) if s.type is not None else None
        if s.type is None:
            st.error(s.name, f"the loop variable needs a type: for (bit<8> {s.name.text} in …)")
            path = ast.Path(s.name.span, s.name.text)
            wanted = walk.infer(st, path)
            if lvalues.check_lvalue(st, path, "loop variable"):
                st.checked.declarations[s.name] = st.checked.declarations[path]
        element = _collection(st, s.collection, wanted or UNKNOWN)
        if s.type is not None:
            variable = ast.VariableDeclaration(s.name.span, (), s.name.text, s.type, None)
            problem = None if isinstance(wanted, t.Unknown) else variable_problem(wanted or UNKNOWN)
            if problem is not None:
                st.error(s.type, problem)
            st.value_types[variable] = wanted or UNKNOWN
            st.checked.declarations[s.name] = variable
            st.declare(variable)
        if wanted is not None and not same(wanted, element) and not casts.implicitly(st, element, wanted):
            st.error(s.name, f"the loop variable is {show(wanted)}, the elements are {show(element)}")
        with st.nested():
            walk.statement(st, s.body)


def _collection(st: State, e: ast.Expression, wanted: Ty) -> Ty:
    """The type of the elements that a for-in loop goes through: a range, a list or a header stack (spec 12.8)."""
    if isinstance(e, ast.RangeExpression):
        for bound in (e.low, e.high):
            found = walk.infer(st, bound, wanted)
            casts.coerce(st, bound, found, wanted, "loop bound")
            if not isinstance(wanted, t.Bit | t.Unknown):
                st.error(bound, f"a range is over numbers with a width, not {show(wanted)}")
        st.checked.types[e] = t.Set(wanted)
        return wanted
    ty = walk.infer(st, e)
    match ty:
        case t.Stack() | t.List():
            return ty.element
        case t.Tuple() if isinstance(e, ast.ListExpression):
            for item, found in zip(e.items, ty.elements, strict=True):
                casts.coerce(st, item, found, wanted, "element")
            return wanted
        case t.Unknown():
            return UNKNOWN
        case _:
            return st.error(e, f"a loop goes through a range, a list or a header stack, not {show(ty)}")


def variable(st: State, d: ast.VariableDeclaration) -> None:
    annotation.check(st, d.annotations)
    ty = typerefs.resolve(st, d.type)
    problem = None if isinstance(ty, t.Unknown) else variable_problem(ty)
    if problem is not None:
        st.error(d.type, problem)
        ty = UNKNOWN
    st.value_types[d] = ty
    if d.initializer is not None:
        expressions.check(st, d.initializer, ty, f"initializer of '{d.name}'")
    st.declare(d)


def constant(st: State, d: ast.ConstDeclaration) -> None:
    annotation.check(st, d.annotations)
    ty = typerefs.resolve(st, d.type)
    if isinstance(ty, t.Extern | t.ParserType | t.ControlType | t.PackageType | t.Void | t.DontCare):
        st.error(d.type, f"a constant cannot be of type '{write(ty)}'")
        ty = UNKNOWN
    st.value_types[d] = ty
    expressions.check_static(st, d.value, ty, f"the value of constant '{d.name}'")
    value = st.value(d.value)
    if value is not None and not isinstance(ty, t.Unknown):
        st.values[d] = value
    st.declare(d)


RULES: dict[type, Rule] = {
    ast.EmptyStatement: lambda st, s: None,
    ast.BlockStatement: _block,
    ast.AssignmentStatement: _assignment,
    ast.CallStatement: _call,
    ast.IfStatement: _if,
    ast.ReturnStatement: _return,
    ast.ExitStatement: _exit,
    ast.BreakStatement: _jump,
    ast.ContinueStatement: _jump,
    ast.ForStatement: _for,
    ast.ForInStatement: _for_in,
}
