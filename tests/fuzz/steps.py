"""Random statements with what they do, over what `predict.py` makes of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import count

from known import (
    ELEMENT,
    ELEMENTS,
    INDEX,
    STACK,
    Called,
    Env,
    Known,
    Names,
    Place,
    element,
    named,
    number,
    sliced,
    wrapped,
)
from layout import Node, block
from predict import OPERATORS, call, expression, simple, touching
from scope import BOOL, bits, literal


class Left(Exception):
    """A return, with what is returned."""

    def __init__(self, value: int) -> None:
        super().__init__()
        self.value = value


class Broken(Exception):
    """A break."""


class Continued(Exception):
    """A continue."""


@dataclass(frozen=True, slots=True)
class Step:
    """A statement: its text, what it does."""

    node: Node
    run: Callable[[Env], None]


@dataclass
class Statements:
    """Makes statements. `called`: what may be called as one, beside functions; `extra`: makers of others, which this place
    of the program has."""

    counter: count[int]
    called: list[Called]
    extra: tuple[Callable[[Names, int], Step | None], ...] = ()

    def some(self, names: Names, most: int, depth: int) -> list[Step]:
        return [self.one(names, depth) for _ in range(names.random.randint(1, most))]

    def one(self, names: Names, depth: int) -> Step:
        kinds = [self._assign] * 4 + [self._compound, self._slice, self.local, self._pair]
        kinds += [self._call] * 3 if self.called or names.functions else []
        kinds += [*self.extra, *self.extra]
        if depth > 0:
            kinds += [self._if, self._if, self._switch, self._for, self._for_list, self._for_counted]
            kinds += [self._for_stack] if names.stack else []
        return names.random.choice(kinds)(names, depth) or self.local(names, depth)

    def fresh(self, prefix: str) -> str:
        return f"{prefix}{next(self.counter)}"

    # --- assignments -------------------------------------------------------------------------------------------------

    def _target(self, names: Names) -> Place | None:
        if names.stack and names.chance(0.3):
            return element(expression(names, INDEX, 2))
        return named(names, names.random.choice(sorted(names.writable))) if names.writable else None

    def _assign(self, names: Names, depth: int) -> Step | None:
        target = self._target(names)
        if target is None:
            return None
        by_index = target.name if target.text != target.name else ""
        return assigned(target, touching(names, by_index, target.type, 2) or expression(names, target.type, 3))

    def local(self, names: Names, depth: int) -> Step:
        type_, name = names.type(), self.fresh("v")
        value = expression(names, type_, 3)
        names.types[name] = type_
        names.writable.add(name)
        return Step(f"{type_} {name} = {value.text};", lambda env: env.update({name: value.worth(env)}))

    def _pair(self, names: Names, depth: int) -> Step:
        """A tuple: its items are worked out from the left to the right."""
        types, name = (names.type(), names.type()), self.fresh("t")
        items = [expression(names, type_, 2) for type_ in types]
        parts = [f"{name}[{i}]" for i in range(len(items))]
        names.types.update(zip(parts, types, strict=True))

        def run(env: Env) -> None:
            env.update(dict(zip(parts, [item.worth(env) for item in items], strict=True)))

        written = ", ".join(item.text for item in items)
        return Step(f"tuple<{types[0]}, {types[1]}> {name} = {{ {written} }};", run)

    def _compound(self, names: Names, depth: int) -> Step | None:
        target = self._target(names)
        if target is None:
            return None
        type_, operator = target.type, names.random.choice(tuple(OPERATORS))
        value = touching(names, target.name, type_, 2) or expression(names, type_, 2)

        def run(env: Env) -> None:
            cell = target.at(env)
            before = number(cell.get(), type_)
            cell.set(OPERATORS[operator](before, number(value.worth(env), type_), type_))

        return Step(f"{target.text} {operator}= {value.text};", run)

    def _slice(self, names: Names, depth: int) -> Step | None:
        target = self._target(names)
        if target is None or target.type.width < 2:
            return None
        low = names.random.randrange(target.type.width)
        part = sliced(target, names.random.randint(low, target.type.width - 1), low)
        return assigned(part, expression(names, part.type, 2))

    def _call(self, names: Names, depth: int) -> Step | None:
        called = names.random.choice([*self.called, *self.called, *names.functions])
        made = call(names, called, 2)
        if made is None:
            return None

        twice = names.chance(0.3)  # what is applied at several places has its arguments elsewhere

        def run(env: Env) -> None:
            made.worth(env)
            if twice:
                made.worth(env)

        return Step(block("{", [f"{made.text};"] * 2) if twice else f"{made.text};", run)

    # --- flow --------------------------------------------------------------------------------------------------------

    def _block(self, names: Names, depth: int) -> tuple[Step, ...]:
        inner = replace(names, types=dict(names.types), writable=set(names.writable))
        return tuple(self.some(inner, 2, depth - 1))

    def _if(self, names: Names, depth: int) -> Step:
        condition, yes, no = expression(names, BOOL, 2), self._block(names, depth), self._block(names, depth)
        first = block(f"if ({condition.text}) {{", nodes(yes))
        whole = replace(first, body=(*first.body, block("} else {", nodes(no), "")))
        return Step(whole, lambda env: run_all(yes if condition.worth(env) else no, env))

    def _switch(self, names: Names, depth: int) -> Step:
        type_ = names.type("bit")
        subject = expression(names, type_, 2)
        near = [0, 1, 2, 3, names.random.getrandbits(type_.width)]
        labels = sorted({wrapped(names.random.choice(near), type_) for _ in range(3)})
        arms = {label: self._block(names, depth) for label in labels}
        default = self._block(names, depth)
        cases: list[Node] = [block(f"{label}: {{", nodes(steps)) for label, steps in arms.items()]
        whole = block(f"switch ({subject.text}) {{", [*cases, block("default: {", nodes(default))])
        return Step(whole, lambda env: run_all(arms.get(subject.worth(env), default), env))

    def _body(self, names: Names, depth: int) -> tuple[Step, ...]:
        """Of a loop, with a `break` or `continue` under a condition."""
        steps = list(self._block(names, depth))
        kind = names.random.choice((Broken, Broken, Continued))
        condition = expression(names, BOOL, 1)

        def run(env: Env) -> None:
            if condition.worth(env):
                raise kind

        word = "break;" if kind is Broken else "continue;"
        steps.insert(names.random.randint(0, len(steps)), Step(block(f"if ({condition.text}) {{", [word]), run))
        return tuple(steps)

    def _for(self, names: Names, depth: int) -> Step:
        """Over a range whose ends are worked out once."""
        name = self.fresh("i")
        first, last = (expression(names, INDEX, 1) for _ in range(2))
        inner = replace(names, types={**names.types, name: INDEX}, writable=set(names.writable))
        steps = self._body(inner, depth)

        def run(env: Env) -> None:
            low = first.worth(env)
            rounds(({name: value} for value in range(low, last.worth(env) + 1)), steps, env)

        return Step(block(f"for ({INDEX} {name} in {first.text} .. {last.text}) {{", nodes(steps)), run)

    def _for_list(self, names: Names, depth: int) -> Step:
        """Over a list, which is worked out once."""
        name, type_ = self.fresh("i"), names.type()
        items = [simple(names, type_) for _ in range(names.random.randint(1, 3))]
        inner = replace(names, types={**names.types, name: type_}, writable=set(names.writable))
        changed = [added(inner, item.name) for item in items if item.name in names.writable]
        steps = (*changed[-1:], *self._body(inner, depth))
        written = ", ".join(item.text for item in items)
        head = f"for ({type_} {name} in (list<{type_}>) {{ {written} }}) {{"
        return Step(
            block(head, nodes(steps)),
            lambda env: rounds([{name: v} for v in [i.worth(env) for i in items]], steps, env),
        )

    def _for_stack(self, names: Names, depth: int) -> Step:
        """Over the stack as it was before the first round."""
        name = self.fresh("e")
        inner = replace(names, types={**names.types, f"{name}.v": ELEMENT}, writable=set(names.writable))
        changed = assigned(element(expression(inner, INDEX, 1)), expression(inner, ELEMENT, 1))
        steps = (changed, *self._body(inner, depth))

        def run(env: Env) -> None:
            rounds([{f"{name}.v": env[f"{STACK}[{i}].v"]} for i in range(ELEMENTS)], steps, env)

        return Step(block(f"for (one_t {name} in {STACK}) {{", nodes(steps)), run)

    def _for_counted(self, names: Names, depth: int) -> Step:
        """With a condition that may do something."""
        name, last = self.fresh("i"), names.random.randint(1, 3)
        inner = replace(names, types={**names.types, name: bits(8)}, writable=set(names.writable))
        condition, steps = expression(inner, BOOL, 2), self._body(inner, depth)

        def run(env: Env) -> None:
            env[name] = 0
            while env[name] < last and condition.worth(env):
                try:
                    run_all(steps, env)
                except Broken:
                    break
                except Continued:
                    pass
                env[name] += 1

        head = f"for (bit<8> {name} = 0; {name} < {last} && {condition.text}; {name} = {name} + 1) {{"
        return Step(block(head, nodes(steps)), run)


def rounds(values: Iterable[Env], steps: tuple[Step, ...], env: Env) -> None:
    """The steps for each of these, until a break."""
    try:
        for value in values:
            env.update(value)
            try:
                run_all(steps, env)
            except Continued:
                continue
    except Broken:
        return


def run_all(steps: tuple[Step, ...] | list[Step], env: Env) -> None:
    for step in steps:
        step.run(env)


def assigned(target: Place, value: Known) -> Step:
    """The left side is found first, then the value (P4-16, 12.1)."""

    def run(env: Env) -> None:
        cell = target.at(env)
        cell.set(value.worth(env))

    return Step(f"{target.text} = {value.text};", run)


def added(names: Names, name: str) -> Step:
    """An odd number is added, so that the variable gets another value."""
    type_ = names.types[name]
    more = expression(names, type_, 1)
    text = f"({name} + ({more.text} | {literal(type_, 1)}))"

    def worth(env: Env) -> int:
        before = env[name]
        return wrapped(before + (more.worth(env) | 1), type_)

    return assigned(named(names, name), Known(text, type_, worth))


def nodes(steps: tuple[Step, ...] | list[Step]) -> list[Node]:
    return [step.node for step in steps]
