"""Random statements that have statements in them, or leave them."""

from __future__ import annotations

from context import Context, body, production
from expressions import expression, value
from keysets import keyset
from layout import Block, Node, block
from scope import BOOL, Place, Scope, bits


def inner_body(scope: Scope, context: Context, depth: int) -> list[Node]:
    return body(scope.inner(), context, scope.random.randint(1, 3), depth - 1)


def with_tail(first: Node, more: list[Node]) -> Block:
    """`if (…) { … } else { … }` as one block, its second half a block among the lines of the first."""
    assert isinstance(first, Block)
    return Block(first.head, (*first.body, Block(first.tail, tuple(more), "")), "}")


def otherwise(scope: Scope, context: Context, made: Block, depth: int) -> Node:
    """An `if` with an `else`, now and then."""
    if scope.chance(0.4):
        return with_tail(Block(made.head, made.body, "} else {"), inner_body(scope, context, depth))
    return made


@production(3, nests=True)
def if_(scope: Scope, context: Context, depth: int) -> list[Node]:
    made = block(f"if ({expression(scope, BOOL)}) {{", inner_body(scope, context, depth))
    if scope.chance(0.2):
        first = Block(made.head, made.body, f"}} else if ({expression(scope, BOOL)}) {{")
        return [with_tail(first, body(scope.inner(), context, 2, depth - 1))]
    return [otherwise(scope, context, made, depth)]


@production(1, nests=True)
def braces(scope: Scope, context: Context, depth: int) -> list[Node]:
    return [block("{", inner_body(scope, context, depth))]


@production(2, nests=True, where=lambda context: not context.parser)
def switch(scope: Scope, context: Context, depth: int) -> list[Node]:
    """On a number or an enum."""
    known = [p for p in scope.places if p.type.kind == "bit" or p.type.members]
    if not known:
        return []
    place = scope.random.choice(known)
    type_, subject = place.type, place.text
    if scope.chance(0.4):
        subject = expression(scope, type_, 1)
    labels = sorted({keyset(scope, type_, "exact") for _ in range(scope.random.randint(1, 4))})
    labels = [label for label in labels if not type_.members or label in type_.members]
    cases: list[Node] = []
    for label in labels:
        if scope.chance(0.2) and label != labels[-1]:
            cases.append(f"{label} :")
        else:
            cases.append(block(f"{label} : {{", inner_body(scope, context, depth)))
    if scope.chance(0.5):
        cases.append(block("default : {", inner_body(scope, context, depth)))
    return [block(f"switch ({subject}) {{", cases)] if cases else []


@production(1, nests=True)
def for_(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A loop with an end in sight: its variable is not written."""
    name, inner = context.fresh("i"), scope.inner()
    type_ = bits(scope.random.choice((4, 8, 16)))
    inner.places.append(Place(name, type_, writable=False))
    before, context.loop = context.loop, True
    made = body(inner, context, scope.random.randint(1, 2), depth - 2)
    context.loop = before
    most = scope.random.randint(1, 4)
    if scope.chance(0.4):
        first, last = str(scope.random.randint(0, 2)), str(most + 2)
        if scope.chance(0.4):
            last = f"({type_})({expression(scope, bits(2), 1)})"
            first = f"{type_.width}w{first}"
        return [block(f"for ({type_} {name} in {first} .. {last}) {{", made)]
    step = scope.random.choice((f"{name} = {name} + 1", f"{name} += 1"))
    end = scope.random.choice((f"{name} < {most}", f"{name} < {most} && {expression(scope, BOOL, 1)}"))
    return [block(f"for ({type_} {name} = 0; {end}; {step}) {{", made)]


@production(1, where=lambda context: bool(context.leaves or context.loop))
def leave(scope: Scope, context: Context, depth: int) -> list[Node]:
    words = [*(["break;", "continue;"] if context.loop else []), *(f"{word};" for word in context.leaves)]
    if context.result is not None:
        words = [f"return {value(scope, context.result, 1)};", *words]
    if scope.chance(0.3):
        return []
    return [block(f"if ({expression(scope, BOOL)}) {{", [scope.random.choice(words)])]
