"""Random statements about headers, unions and stacks as wholes."""

from __future__ import annotations

from context import Context, production
from expressions import expression, index
from layout import Node
from scope import Scope


@production(2)
def validity(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not scope.headers or not scope.writable_headers:
        return []
    target = scope.random.choice(scope.headers).text
    if (stacks := scope.plain_stacks()) and scope.chance(0.3):
        stack = scope.random.choice(stacks)
        target = f"{stack.text}[{index(scope, stack)}]"
    return [f"{target}.{scope.random.choice(('setValid', 'setInvalid'))}();"]


@production()
def copy(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A header from another of its type."""
    if not scope.headers or not scope.writable_headers:
        return []
    one = scope.random.choice(scope.headers)
    other = scope.random.choice([h for h in scope.headers if h.type == one.type])
    stacks = [s for s in scope.plain_stacks() if s.type == one.type]
    if stacks and scope.chance(0.5):
        stack = scope.random.choice(stacks)
        pair = [f"{stack.text}[{index(scope, stack)}]", one.text]
        scope.random.shuffle(pair)
        return [f"{pair[0]} = {pair[1]};"]
    return [f"{one.text} = {other.text};"] if one != other else []


@production()
def copy_union(scope: Scope, context: Context, depth: int) -> list[Node]:
    if not scope.unions or not scope.writable_headers:
        return []
    one = scope.random.choice(scope.unions)
    others = [u for u in scope.unions if u.type == one.type and u != one]
    return [f"{one.text} = {scope.random.choice(others).text};"] if others else []


@production()
def initialise(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A header from a list, from an initialiser with names, or made invalid."""
    known = [h for h in scope.headers if h.type not in scope.variable]
    if not known or not scope.writable_headers:
        return []
    header = scope.random.choice(known)
    fields = scope.layouts[header.type]
    match scope.random.choice(("list", "names", "names", "rest", "invalid")):
        case "list":
            return [f"{header.text} = {{ {', '.join(expression(scope, t, 1) for _, t in fields)} }};"]
        case "rest":
            name, type_ = fields[0]
            return [f"{header.text} = {{ {name} = {expression(scope, type_, 1)}, ... }};"]
        case "invalid":
            return [f"{header.text} = {{#}};"]
    named = list(fields)
    scope.random.shuffle(named)
    return [f"{header.text} = {{ {', '.join(f'{n} = {expression(scope, t, 1)}' for n, t in named)} }};"]


@production()
def local_header(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A variable that is a header."""
    known = [h for h in scope.headers if h.type not in scope.variable]
    if not known or not scope.writable_headers:
        return []
    from_ = scope.random.choice(known)
    name = context.fresh("h")
    scope.add_header(type(from_)(name, from_.type))
    return [f"{from_.type} {name} = {from_.text};"]


@production(2)
def shift_stack(scope: Scope, context: Context, depth: int) -> list[Node]:
    """push_front, pop_front, or a copy of a whole stack."""
    if not scope.stacks or not scope.writable_headers:
        return []
    stack = scope.random.choice(scope.stacks)
    if scope.chance(0.2):
        others = [s for s in scope.stacks if (s.type, s.size) == (stack.type, stack.size) and s != stack]
        return [f"{stack.text} = {scope.random.choice(others).text};"] if others else []
    return [f"{stack.text}.{scope.random.choice(('push_front', 'pop_front'))}({scope.random.randint(1, stack.size)});"]
