"""Makes the programs of `predicted.py` from a seed and a size."""

from __future__ import annotations

from itertools import count
from random import Random

from known import ELEMENT, INDEX, Called, Env, Known, Names, named
from layout import Node, block
from predict import call, expression, leaf, place, simple, touching
from predicted import (
    CELLS,
    OF_RECIRCULATE,
    OF_RESUBMIT,
    PASSES,
    REGISTER,
    STANDARD_FIELDS,
    Fields,
    Predicted,
    another_pass,
)
from scope import BOOL, WIDE, WIDTHS, Type, bits, literal
from steps import Left, Statements, Step, added, assigned, nodes, run_all

INGRESS_TRUTHS = ("(sm.ingress_global_timestamp != 0)",)  # whatever the clock says
EGRESS_TRUTHS = (
    *INGRESS_TRUTHS,
    "(sm.egress_global_timestamp != 0)",
    "(sm.egress_global_timestamp >= sm.ingress_global_timestamp)",
    "(sm.enq_timestamp == (bit<32>) sm.egress_global_timestamp)",
)
TIMED = 0.7  # how many programs look at the time on purpose
PASSES_FIELD = f"meta.{PASSES[0]}"


class Maker:
    """Makes one program."""

    def __init__(self, seed: int, size: int) -> None:
        self.random = Random(seed)
        self.size = size
        self.counter = count(1)
        self.functions: list[Called] = []
        self.declared: list[Node] = []
        self.inside: list[Node] = [f"register<{ELEMENT}>({CELLS}) cells;"]
        self.pool: list[Type] = []

    def make(self) -> Predicted:
        wide, out = self._fields(6), self._fields(3 + self.size)
        lists = ((), (OF_RECIRCULATE,), (OF_RESUBMIT,), (OF_RECIRCULATE, OF_RESUBMIT))
        metadata = [(f"m{i}", t, self.random.choice(lists)) for i, (_, t) in enumerate(self._fields(4))]
        meta = (PASSES, *metadata)
        self.pool = [t for fields in (wide, out) for _, t in fields] + [t for _, t, _ in meta]
        for type_ in [bits(1), ELEMENT, *(t for _, t in self.random.sample([*wide, *out], 2))]:
            self.declared += [self._bump(type_, ()), self._bump(type_, tuple(self.random.sample(self.pool, 2)))]
        self.declared += [self._function() for _ in range(self.random.randint(1, 2))]
        parsing, select = self._parser(metadata)
        ingress = self._pipe(wide, out, metadata, tuple(STANDARD_FIELDS), INGRESS_TRUTHS)
        egress = self._pipe(wide, out, metadata, ("egress_spec", "egress_rid", "priority"), EGRESS_TRUTHS)
        steps = self._ingress(ingress)
        later = Statements(self.counter, []).some(egress, 2 + self.size, 2)
        if self.random.random() < TIMED:
            chosen, names = self.random.choice(((steps, ingress), (later, egress)))
            chosen.append(self._timed(names))
        for number, ends, names in ((OF_RESUBMIT, steps, ingress), (OF_RECIRCULATE, later, egress)):
            if self.random.random() < 0.4:
                ends.append(another_pass(number, PASSES_FIELD, expression(names, BOOL, 1)))
        return Predicted(
            wide,
            out,
            meta,
            tuple(self.declared),
            tuple(self.inside),
            tuple(parsing),
            select,
            tuple(steps),
            tuple(later),
        )

    # --- names -------------------------------------------------------------------------------------------------------

    def _fields(self, most: int) -> Fields:
        """Fields that are whole bytes together."""
        made = []
        for i in range(self.random.randint(2, most)):
            kind = self.random.choice(("bit", "bit", "int"))
            width = self.random.choice(WIDTHS if self.random.random() < 0.9 else WIDE)
            made.append((f"f{i}", Type(kind, width + (kind == "int"))))
        if rest := -sum(t.width for _, t in made) % 8:
            made.append(("rest", bits(rest)))
        return tuple(made)

    def _pipe(
        self,
        wide: Fields,
        out: Fields,
        metadata: list[tuple[str, Type, tuple[int, ...]]],
        standard: tuple[str, ...],
        truths: tuple[str, ...],
    ) -> Names:
        """What ingress or egress sees. Few programs write the multicast group: those that do are laid out otherwise."""
        names = Names(self.random, {}, set(), self.functions, self.pool, True, truths)
        for prefix, fields in (("hdr.i.", wide), ("hdr.o.", out), ("meta.", [(n, t) for n, t, _ in metadata])):
            names.types |= {prefix + name: type_ for name, type_ in fields}
        names.writable |= set(names.types)
        names.types |= {f"sm.{name}": bits(width) for name, width in STANDARD_FIELDS.items()}
        left_out = {"ingress_port"} | ({"mcast_grp"} if self.random.random() < 0.7 else set())
        names.writable |= {f"sm.{name}" for name in standard if name not in left_out and self.random.random() < 0.5}
        return names

    def _timed(self, names: Names) -> Step:
        target = named(names, self.random.choice([n for n in sorted(names.writable) if n.startswith("hdr.o.")]))
        truth = self.random.choice(names.truths)
        right, wrong = (literal(target.type, value) for value in (1, 0))
        return assigned(target, Known(f"({truth} ? {right} : {wrong})", target.type, lambda env: 1))

    # --- what can be called ------------------------------------------------------------------------------------------

    def _parameters(self, directions: tuple[str, ...]) -> tuple[tuple[tuple[str, str, Type], ...], Names, list[Step]]:
        """Parameters, what a body may name, and what it begins with: `out` parameters have no value before."""
        names, first = Names(self.random, {}, set(), list(self.functions), self.pool), []
        parameters = []
        for _ in range(self.random.randint(1, 3)):
            direction, name, type_ = self.random.choice(directions), f"p{next(self.counter)}", names.type()
            parameters.append((direction, name, type_))
            names.types[name] = type_
            if direction in ("out", "inout"):
                names.writable.add(name)
            if direction == "out":
                first.append(assigned(named(names, name), leaf(Names(self.random, {}, set(), []), type_)))
        parameters.sort(key=lambda parameter: parameter[0] == "")  # what has no direction comes last
        return tuple(parameters), names, first

    def _bump(self, type_: Type, others: tuple[Type, ...]) -> Node:
        """A function that changes its first argument: what calls among arguments are for."""
        name, parameters = f"f{next(self.counter)}", [("inout", f"p{next(self.counter)}", type_)]
        parameters += [("in", f"p{next(self.counter)}", other) for other in others]
        changed = parameters[0][1]
        names = Names(self.random, {n: t for _, n, t in parameters}, {changed}, [])
        step = added(names, changed)

        def run(env: Env) -> int:
            step.run(env)
            return env[changed]

        self.functions.append(Called(name, tuple(parameters), type_, run))
        return block(f"{type_} {name}({_declared(tuple(parameters))}) {{", [step.node, f"return {changed};"])

    def _function(self) -> Node:
        """A function of numbers, which may write its arguments and return early."""
        parameters, names, steps = self._parameters(("in", "inout", "inout", "out", ""))
        result = names.type()
        steps += Statements(self.counter, []).some(names, 3, 1)
        if self.random.random() < 0.5:
            steps.append(self._early(names, result))
        last = expression(names, result, 2)

        def run(env: Env) -> int:
            try:
                run_all(steps, env)
            except Left as left:
                return left.value
            return last.worth(env)

        name = f"f{next(self.counter)}"
        self.functions.append(Called(name, parameters, result, run))
        return block(f"{result} {name}({_declared(parameters)}) {{", [*nodes(steps), f"return {last.text};"])

    def _early(self, names: Names, result: Type) -> Step:
        condition, value = expression(names, BOOL, 2), expression(names, result, 2)

        def run(env: Env) -> None:
            if condition.worth(env):
                raise Left(value.worth(env))

        return Step(block(f"if ({condition.text}) {{", [f"return {value.text};"]), run)

    def _action(self, around: Names) -> Called:
        """An action of ingress, which reaches what is around it."""
        parameters, names, steps = self._parameters(("in", "inout", "inout", "out", ""))
        names.types |= around.types
        names.writable |= around.writable
        steps += Statements(self.counter, []).some(names, 2, 1)
        name = f"a{next(self.counter)}"
        self.inside.append(block(f"action {name}({_declared(parameters)}) {{", nodes(steps)))
        return Called(name, parameters, None, lambda env: _nothing(steps, env))

    def _control(self) -> Called:
        """A control with an instance in ingress."""
        parameters, names, steps = self._parameters(("in", "inout", "inout", "out"))
        steps += [added(names, name) for direction, name, _ in parameters if direction == "inout"]
        steps += Statements(self.counter, []).some(names, 2, 1)
        name = f"N{next(self.counter)}"
        body = block("apply {", nodes(steps))
        self.declared.append(block(f"control {name}({_declared(parameters)}) {{", [body]))
        self.inside.append(f"{name}() {name.lower()};")
        return Called(f"{name.lower()}.apply", parameters, None, lambda env: _nothing(steps, env))

    # --- the parser --------------------------------------------------------------------------------------------------

    def _parser(
        self, metadata: list[tuple[str, Type, tuple[int, ...]]]
    ) -> tuple[list[Step], tuple[tuple[Known, ...], tuple[tuple[tuple[int, ...], Step], ...]]]:
        """Statements with a call of a parser, and a select."""
        parameters, inner, steps = self._parameters(("in", "inout", "inout", "out"))
        statements = Statements(self.counter, [])
        steps += statements.some(inner, 2, 0)
        state = block("state start {", [*nodes(steps), "transition accept;"])
        self.declared.append(block(f"parser Sub(packet_in packet, {_declared(parameters)}) {{", [state]))
        types = {f"meta.{name}": type_ for name, type_, _ in metadata}
        names = Names(self.random, dict(types), set(types), self.functions, self.pool)
        sub = Called("sub.apply", parameters, None, lambda env: _nothing(steps, env), (("packet", "packet"),))
        parsing = statements.some(names, 2, 0)
        if (made := call(names, sub, 1)) is not None:
            parsing.append(Step(f"{made.text};", lambda env: _ignored(made, env)))
        outer = Names(self.random, types, set(types), self.functions, self.pool)
        subjects = tuple(expression(outer, INDEX, 2) for _ in range(2))
        cases = {(self.random.randrange(4), self.random.randrange(4)): None for _ in range(3)}
        fields = [named(outer, self.random.choice(sorted(types))) for _ in cases]
        chosen = tuple((k, assigned(f, expression(outer, f.type, 2))) for k, f in zip(cases, fields, strict=True))
        return parsing, (subjects, chosen)

    # --- ingress -----------------------------------------------------------------------------------------------------

    def _ingress(self, names: Names) -> list[Step]:
        actions = [self._action(names) for _ in range(self.random.randint(0, 2))]
        controls = [self._control() for _ in range(self.random.randint(1, 2))]
        tables = tuple(self._table(names, actions) for _ in range(self.random.randint(1, 2)))
        statements = Statements(self.counter, [*actions, *controls], (self._write, self._read, self._hash))
        names.tables = tables
        return statements.some(names, 4 + 3 * self.size, 2) + [self._applied(table) for table in tables]

    def _applied(self, table: Known) -> Step:
        return Step(f"{table.text.removesuffix('.hit')};", lambda env: _ignored(table, env))

    def _table(self, around: Names, actions: list[Called]) -> Known:
        """A table with constant entries, as the condition whether it was hit; its keys and arguments may do something."""
        first = simple(around, INDEX)
        keys = [first, touching(around, first.name, INDEX, 1) or expression(around, INDEX, 2)]
        hit, missed = self._chosen(around, actions), self._chosen(around, [])
        entries = {(self.random.randrange(4), self.random.randrange(4)) for _ in range(4)}
        name = f"t{next(self.counter)}"
        listed: list[Node] = [f'{key.text}: exact @name("k{i}");' for i, key in enumerate(keys)]
        rows: list[Node] = [f"({a}, {b}): {hit.text};" for a, b in sorted(entries)]
        body: list[Node] = [block("key = {", listed), f"actions = {{ {hit.text}; {missed.text}; }}"]
        body += [block("const entries = {", rows), f"default_action = {missed.text};"]
        self.inside.append(block(f"table {name} {{", body))

        def run(env: Env) -> int:
            found = tuple(key.worth(env) for key in keys) in entries
            (hit if found else missed).worth(env)
            return int(found)

        return Known(f"{name}.apply().hit", BOOL, run)

    def _chosen(self, around: Names, actions: list[Called]) -> Known:
        """An action of a table with its arguments."""
        usable = [a for a in actions if all(direction for direction, _, _ in a.parameters)]
        made = call(around, self.random.choice(usable), 1) if usable else None
        if made is not None:
            return made
        steps = Statements(self.counter, []).some(_copy(around), 1, 0)
        name = f"a{next(self.counter)}"
        self.inside.append(block(f"action {name}() {{", nodes(steps)))
        return Known(f"{name}()", bits(1), lambda env: _nothing(steps, env))

    # --- externs -----------------------------------------------------------------------------------------------------

    def _write(self, names: Names, depth: int) -> Step:
        """register.write, its arguments by position or by name the other way round."""
        turned = names.chance(0.5)
        types = (ELEMENT, INDEX) if turned else (INDEX, ELEMENT)
        earlier = simple(names, types[0])
        later = touching(names, earlier.name, types[1], 1) or expression(names, types[1], 2)
        index, value = (later, earlier) if turned else (earlier, later)

        def run(env: Env) -> None:
            one, two = earlier.worth(env), later.worth(env)
            at, what = (two, one) if turned else (one, two)
            env[f"{REGISTER}.{at}"] = what

        where = f"30w0 ++ {index.text}"
        text = f"value = {value.text}, index = {where}" if turned else f"{where}, {value.text}"
        return Step(f"cells.write({text});", run)

    def _read(self, names: Names, depth: int) -> Step | None:
        """register.read: where the result goes is found first."""
        target = place(names, ELEMENT, 2)
        if target is None:
            return None
        index = touching(names, target.name, INDEX, 1) or expression(names, INDEX, 2)

        def run(env: Env) -> None:
            cell = target.at(env)
            cell.set(env[f"{REGISTER}.{index.worth(env)}"])

        return Step(f"cells.read({target.text}, 30w0 ++ {index.text});", run)

    def _hash(self, names: Names, depth: int) -> Step | None:
        """A hash modulo 0 is its base; what is hashed is worked out all the same."""
        target, base = place(names, ELEMENT, 2), simple(names, ELEMENT)
        if target is None:
            return None
        data = touching(names, base.name or target.name, names.type(), 2) or expression(names, names.type(), 2)

        def run(env: Env) -> None:
            cell, value = target.at(env), base.worth(env)
            data.worth(env)
            cell.set(value)

        return Step(f"hash({target.text}, HashAlgorithm.crc16, {base.text}, {{ {data.text} }}, 16w0);", run)


def _declared(parameters: tuple[tuple[str, str, Type], ...]) -> str:
    return ", ".join(f"{direction} {type_} {name}".strip() for direction, name, type_ in parameters)


def _copy(names: Names) -> Names:
    return Names(
        names.random, dict(names.types), set(names.writable), names.functions, names.pool, names.stack, names.truths
    )


def _nothing(steps: list[Step], env: Env) -> int:
    run_all(steps, env)
    return 0


def _ignored(known: Known, env: Env) -> None:
    known.worth(env)
