"""A pipe's schedule → stage views: one C function a stage, its joins as labels at its end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, replace

from transpiler.analysis.locations import Location
from transpiler.codegen.ctypes import literal
from transpiler.codegen.deparser import DeparserStatements
from transpiler.codegen.externs import Externs
from transpiler.codegen.intrinsics import Intrinsics, sourced
from transpiler.codegen.loops import LongLoops
from transpiler.codegen.outcome import Outcome
from transpiler.codegen.outside import Outside, without_text
from transpiler.codegen.parser import ParserStatements
from transpiler.codegen.record import resizes
from transpiler.codegen.scope import EntryScope, Scope
from transpiler.codegen.statements import Statements, at
from transpiler.codegen.steps import step
from transpiler.codegen.storage import Slot, Storage
from transpiler.codegen.straighten import straighten
from transpiler.codegen.tables import Tables
from transpiler.codegen.unnest import unnested, with_guards, without_last_return
from transpiler.codegen.views import (
    NOWHERE,
    CaseView,
    IfView,
    Line,
    LookupView,
    PipeView,
    StageView,
    SubmitView,
    SwitchView,
    View,
    Views,
)
from transpiler.diagnostics import Span
from transpiler.hlir.program import Program
from transpiler.hlir.statements import If, Leave
from transpiler.hlir.traverse import rebuild
from transpiler.schedule.architectures import preserved_lists
from transpiler.schedule.feeds import fed_by_one
from transpiler.schedule.order import statements_of
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Special, Step
from transpiler.schedule.stages import Code, End, Finish, Fork, Jump, PipeSchedule, Plain, Stage, Submit, Target

_ASSIGNS = re.compile(r"(\w+) = (.*);")
_NAME = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Maker:
    """What all stages of a program are rendered with. `in_place`: as Optimisations has it; `fated`: what becomes of a
    packet is its fate (but in pipes aside), `recorded`: its record says it too; `lasting`: records are kept from stage to
    stage, else each stage fills in what it reads, as it was received; `requests`: packets make some."""

    program: Program
    storage: Storage
    tables: Tables
    externs: Externs
    in_place: bool = True
    fated: bool = False
    recorded: bool = True
    lasting: bool = True
    long_loops: frozenset[Span] = frozenset()
    requests: bool = False

    def pipe(self, pipe: PipeSchedule) -> PipeView:
        functions = tuple(self._function_name(pipe, number) for number in range(len(pipe.stages)))
        stages = tuple(self._stage(pipe, number, functions) for number in range(len(pipe.stages)))
        preserves = any(preserved_lists(self.program)[number] for number in pipe.keeps)
        return PipeView(
            pipe.name,
            stages,
            pipe.renews,
            preserves,
            pipe.aside,
            fated=self.fated and not pipe.aside,
            resizes=self.recorded or resizes(stages),
        )

    def _function_name(self, pipe: PipeSchedule, number: int) -> str:
        stage = pipe.stages[number]
        name = self.tables.names(stage.lookups[0].table) if stage.lookups else stage.name
        return f"{pipe.name}_{number}_{name}"

    def _stage(self, pipe: PipeSchedule, number: int, functions: tuple[str, ...]) -> StageView:
        known, scope = None, self._scope()
        while (found := (scope.dead, scope.idle, scope.written)) != known:
            known = found
            StageRenderer(self, pipe, functions, scope, number).render()
            scope = self._scope(scope.unread_locals(), scope.unwritten_locals(), frozenset(scope.writes))
        return StageRenderer(self, pipe, functions, scope, number).view()

    def _scope(
        self,
        dead: frozenset[str] = frozenset(),
        idle: frozenset[str] = frozenset(),
        written: frozenset[str] | None = None,
    ) -> Scope:
        return Scope(self.storage.unread, dead, idle, self.storage.kept_reads, written)


class StageRenderer:
    """Renders one stage's function with one scope."""

    def __init__(self, maker: Maker, pipe: PipeSchedule, functions: tuple[str, ...], scope: Scope, number: int) -> None:
        self.maker = maker
        self.pipe = pipe
        self.functions = functions
        self.scope = scope
        self.number = number
        self.stage = pipe.stages[number]
        parts = (maker.program, maker.storage, maker.tables, maker.externs)
        names_port = "egress_port" in maker.storage.record
        outcome = Outcome(maker.fated and not pipe.aside, maker.recorded or pipe.aside, maker.lasting, names_port)
        loops = LongLoops(maker.long_loops, outcome, maker.requests)
        arguments = (*parts, scope, self._leave, loops)
        self.intrinsics = Intrinsics(maker.program, maker.storage, scope, outcome)
        self.statements = Statements(*arguments)
        self.entry = Statements(*parts, EntryScope(value=self._entering), self._leave)
        self.parser = ParserStatements(*arguments)
        self.deparser = DeparserStatements(*arguments, in_place=maker.in_place, outcome=outcome)
        self.listed = fed_by_one(pipe)
        self.bulk = False  # as that of the StageView
        self._single: set[int] = set()  # joins that one way alone goes to

    def view(self) -> StageView:
        number, stage = self.number, self.stage
        lookups, body = self.render()
        used = [slot for name, slot in sorted(self.scope.locals.items()) if name not in self.scope.dead]
        first, body = _assigned_first(unnested(with_guards(straighten(body))), self.scope.locals.keys())
        body = without_last_return(body)
        tables = ", ".join(s.table for s in stage.lookups)
        return StageView(
            number=number,
            function=self.functions[number],
            title=Outside(f"finish {tables}" if tables else stage.name),
            cite=at(stage.lookups[0].span) if stage.lookups else NOWHERE,
            lookups=lookups,
            locals=tuple(f"{slot.declaration} = {first.get(slot.name) or self._initial(slot)};" for slot in used),
            body=body,
            listed=number in self.listed,
        )

    def render(self) -> tuple[tuple[LookupView, ...], Views]:
        """The lookups and the body: its joins stand at its end, those that one way alone goes to stand in that way."""
        stage = self.stage
        self.bulk = all(self.maker.tables.ref(lookup.table).bulk for lookup in stage.lookups)
        lookups = tuple(self._lookup(number, stage) for number in range(len(stage.lookups)))
        jumps = self._joins(stage.code)
        self._single = {join for join, count in jumps.items() if count == 1}
        body = list(self.code(stage.code))
        for join in sorted(jumps.keys() - self._single):
            body += [Line(f"{_join_label(join)}:;"), *self.code(self.pipe.joins[join])]
        return lookups, tuple(body)

    def _keys(self, number: int) -> tuple[LookupView, ...]:
        """The lookups of a later stage, whose keys are those of the packet as it is here; none where it makes them itself."""
        if not self._is_keyed(number):
            return ()
        lookups = enumerate(self.pipe.stages[number].lookups)
        return tuple(self._with_key(number, at, lookup.table) for at, lookup in lookups)

    def _with_key(self, stage: int, number: int, name: str) -> LookupView:
        """A lookup of a later stage, many at once, with its key as it is here."""
        table, ref, member = self.maker.program.table[name], self.maker.tables.ref(name), f"lookup_{number}"
        if ref.bulk_bytes:
            place = f"sets->looks_{stage}->{member}.keys[sets->to_{stage}.count]"
            return LookupView(ref, member, self.statements.keys(table, place), "", (), 0)
        return LookupView(ref, member, (), self.statements.key_number(table), (), 0)

    def _is_keyed(self, number: int) -> bool:
        lookups = self.pipe.stages[number].lookups
        bulk = bool(lookups) and all(self.maker.tables.ref(lookup.table).bulk for lookup in lookups)
        return bulk and number in self.listed

    def _lookup(self, number: int, stage: Stage) -> LookupView:
        table = self.maker.program.table[stage.lookups[number].table]
        member = f"lookup_{number}"
        ref = self.maker.tables.ref(table.name)
        if self._is_keyed(self.number):
            return LookupView(ref, member, (), "", (), 0)
        many = self.bulk and ref.bulk_bytes
        keys = self.entry.keys(table, f"looks->{member}.keys[at]" if many else f"look->{member}.key")
        selection, size = self.maker.externs.gather(self.entry.render, table, f"look->{member}.selection")
        key_word = self.entry.key_number(table) if ref.words or ref.begins_early else ""
        return LookupView(ref, member, keys, key_word, selection, size)

    def code(self, code: Code) -> Views:
        return tuple(view for piece in code for view in self._piece(piece))

    def _piece(self, piece: Plain | Finish | Fork | Target) -> Views:
        match piece:
            case Plain(what=Step(parts=True) as what):
                return step(what, replace(self.intrinsics, parting=self._hand_on(self.pipe.parted)))
            case Plain(what=Step() as what):
                return step(what, self.intrinsics)
            case Plain(what=Parse(parser=parser, error=error)):
                return self.parser.parse(parser, error)
            case Plain(what=Restart() as what):
                return self._restart(what)
            case Plain(what=Deparse(control=control, then=then, valid=valid)):
                after = step(then, self.intrinsics) if then is not None else ()
                return self.deparser.deparse(control, valid, after, ends=then is not None and then.ends)
            case Plain(what=what) if not isinstance(what, Special):
                return self.statements.statement(what)
            case Finish(statement=statement, lookup=lookup):
                looks = "looks" if self.bulk else "look"
                return (self.statements.apply(statement, f"{looks}->lookup_{lookup}", self.bulk),)
            case Fork(statement=If() as branch, arms=(then, otherwise)):
                condition = self.statements.render.condition(branch.condition)
                return (IfView(condition, self.code(then), self.code(otherwise), at(branch.span)),)
            case Fork():
                return (self._switch(piece),)
            case Submit() | Jump() | End():
                return self._go(piece)
        raise TypeError(f"{piece} cannot stand in a stage")

    def _restart(self, restart: Restart) -> Views:
        """A copied state becomes that of a clone."""
        parse = restart.parse
        begin = (Line("*kept = macs_fresh;"), *step(restart.begin_parsed, self.intrinsics))
        again = (*begin, *(self.parser.parse(parse.parser, parse.error) if parse is not None else ()))
        return (
            Line("const struct kept before = *kept;"),
            IfView("packet->instance_type == MACS_INGRESS_CLONE", again, ()),
            Line("macs_keep_headers(kept);"),
            Line("macs_preserve(kept, &before, packet->requests.preserved);"),
            *step(restart.begin, self.intrinsics),
        )

    def _switch(self, fork: Fork) -> View:
        assert not isinstance(fork.statement, If)
        *arms, default = fork.arms
        (plain,) = self.statements.statement(rebuild(fork.statement, lambda body: ()))
        assert isinstance(plain, SwitchView)
        cases = tuple(CaseView(case.labels, self.code(arm)) for case, arm in zip(plain.cases, arms, strict=True))
        return SwitchView(plain.subject, cases, self.code(default), plain.cite)

    def _go(self, target: Target) -> Views:
        match target:
            case Submit(stage=stage):
                keys = self._keys(stage)
                submit = SubmitView(stage, self.functions[stage], stage in self.listed, keys, self._expects(stage))
                return (*self._hand_on(self.pipe.stages[stage].carried), submit)
            case Jump(join=join) if join in self._single:
                return self.code(self.pipe.joins[join])
            case Jump(join=join):
                return (Line(f"goto {_join_label(join)};"),)
            case End():
                return (Line("return;"),)

    def _hand_on(self, carried: frozenset[Location]) -> Views:
        """Put into the packet's state what a later stage reads and is not there yet."""
        views: list[View] = []
        for location in sorted(carried, key=lambda where: (where.owner, where.field)):
            slot = self.maker.storage.passed(location)
            if slot is not None and (location not in self.stage.carried or self.scope.may_change(slot)):
                views.append(Line(f"kept->{slot.name} = {self.scope.hand_on(slot)};"))
        return tuple(views)

    def _initial(self, slot: Slot) -> str:
        """What a local begins with."""
        if slot.location in self.stage.carried and self.maker.storage.is_passed(slot):
            if slot.name in self.scope.reads:
                self.scope.kept_reads.add(slot.name)
            return f"kept->{slot.name}"
        return self._known(slot) or _initial(slot.initial, slot.size)

    def _entering(self, slot: Slot) -> str:
        """What it has where the stage begins."""
        if slot.location in self.stage.carried or (slot.kept and not slot.passed):
            return f"kept->{self.maker.storage.keep(slot)}"
        return self._known(slot) or slot.initial

    def _known(self, slot: Slot) -> str:
        """What it is known to have there, or has from the packet's record; else empty."""
        storage = self.maker.storage
        if slot.location in self.stage.known:
            return literal(self.stage.known[slot.location], storage.type_of(slot.location))
        if slot.location in storage.given and (self.number or not self.pipe.renews):
            return sourced(storage.given[slot.location], storage.type_of(slot.location))
        return ""

    def _expects(self, stage: int) -> bool:
        """Whether the lookups of a stage begin when a packet is left to it."""
        refs = [self.maker.tables.ref(lookup.table) for lookup in self.pipe.stages[stage].lookups]
        return all(ref.bulk for ref in refs) and any(ref.begins_early for ref in refs)

    def _leave(self, label: str) -> Views:
        return self._go(self.pipe.exits[label])

    def _joins(self, code: Code) -> Counter[int]:
        """The joins that a stage's function needs, and how many ways lead to each."""
        found: Counter[int] = Counter()
        todo = self._jumps(code)
        while todo:
            join = todo.pop()
            if join not in found:
                todo += self._jumps(self.pipe.joins[join])
            found[join] += 1
        return found

    def _jumps(self, code: Code) -> list[int]:
        found: list[int] = []
        for piece in code:
            match piece:
                case Jump(join=join):
                    found.append(join)
                case Fork(arms=arms):
                    found += [join for arm in arms for join in self._jumps(arm)]
        targets = (self.pipe.exits.get(s.label) for s in statements_of(code) if isinstance(s, Leave))
        return found + [target.join for target in targets if isinstance(target, Jump)]


def _join_label(join: int) -> str:
    return f"join_{join}"


def _assigned_first(body: Views, variables: Set[str]) -> tuple[dict[str, str], Views]:
    """What a body begins with assigning to variables, with nothing of theirs or of the kept state, and the rest of it."""
    first: dict[str, str] = {}
    for number, view in enumerate(body):
        assigned = _ASSIGNS.fullmatch(view.text) if isinstance(view, Line) and not view.cite else None
        if assigned is None or assigned[1] not in variables - first.keys():
            return first, body[number:]
        if not {*variables, "kept"}.isdisjoint(_NAME.findall(without_text(assigned[2]))):
            return first, body[number:]
        first[assigned[1]] = assigned[2]
    return first, ()


def _initial(initial: str, size: int) -> str:
    if not size:
        return initial
    return f"{{{', '.join([initial] * size)}}}"
