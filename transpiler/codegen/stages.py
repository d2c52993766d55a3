"""A pipe's schedule → one C function a stage, its joins as labels at its end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.codegen.c.build import LIVE, address, call, infix, live, packet
from transpiler.codegen.c.fold_flags import with_flags_folded
from transpiler.codegen.c.function import Function
from transpiler.codegen.c.keep_unchanged import without_unchanged_stores
from transpiler.codegen.c.nodes import (
    Assign,
    Block,
    Body,
    Case,
    Declare,
    Do,
    Expression,
    Goto,
    If,
    Index,
    Label,
    Literal,
    Member,
    Name,
    Return,
    Statement,
    Switch,
    Unary,
)
from transpiler.codegen.c.sink_loads import with_loads_sunk
from transpiler.codegen.ctypes import literal
from transpiler.codegen.deparser import DeparserStatements
from transpiler.codegen.externs import Externs
from transpiler.codegen.follow import follow
from transpiler.codegen.frame_fields import field_of
from transpiler.codegen.frame_sizes import made_headers
from transpiler.codegen.intrinsics import Intrinsics, sourced
from transpiler.codegen.loops import LongLoops
from transpiler.codegen.outcome import Outcome
from transpiler.codegen.parser import ParserStatements
from transpiler.codegen.pipeline_views import LookupView
from transpiler.codegen.places import at
from transpiler.codegen.record import RESIZING
from transpiler.codegen.scope import EntryScope, Scope
from transpiler.codegen.statements import Statements
from transpiler.codegen.steps import step
from transpiler.codegen.storage import NOWHERE, Slot, Storage
from transpiler.codegen.tables import Tables
from transpiler.diagnostics import Span
from transpiler.hlir.expressions import HeaderRef
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable, If as HlirIf, Leave
from transpiler.hlir.traverse import rebuild
from transpiler.schedule.feeders import in_order
from transpiler.schedule.order import statements_of
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Special, Step
from transpiler.schedule.plan import PipelinePlan
from transpiler.schedule.sinking import sunk_in_stage
from transpiler.schedule.stages import (
    Code,
    Dispatch,
    End,
    Finish,
    Fork,
    HandOver,
    Jump,
    Piece,
    PipeSchedule,
    Plain,
    Stage,
    Submit,
    Target,
)
from transpiler.schedule.successors import whole

PREFETCH = "_prefetch"  # the end of the name of the generated function that fetches what a stage's lookups begin with


@dataclass(frozen=True, slots=True)
class Context:
    """What all stages of a program are lowered with. `in_place`: as Lowering has it; `gives_verdicts`: what becomes of a
    packet is its verdict (but in replication pipelines), `record_is_read`: its record says it too; `requests`: packets make
    some."""

    program: Program
    storage: Storage
    tables: Tables
    externs: Externs
    in_place: bool = True
    gives_verdicts: bool = False
    record_is_read: bool = True
    long_loops: frozenset[Span] = frozenset()
    requests: bool = False

    def stages(self, plan: PipelinePlan) -> tuple[LoweredStage, ...]:
        numbers = range(len(plan.pipe.stages))
        functions = tuple(self._function_name(plan.pipe, number) for number in numbers)
        listed = in_order(plan.pipe)
        return tuple(_StageLowering(self, plan, functions, listed, number).lowered() for number in numbers)

    def _function_name(self, pipe: PipeSchedule, number: int) -> str:
        stage = pipe.stages[number]
        name = self.tables.names(stage.name) if stage.lookups or stage.prefetched else stage.name
        return f"{pipe.name}_{number}_{name}"


@dataclass(frozen=True, slots=True)
class LoweredStage:
    """`lookups`: those that it starts; `listed`, `bulk`, `keyed`: as those of the StageView."""

    stage: Stage
    number: int
    lookups: tuple[LookupView, ...]
    function: Function
    listed: bool
    bulk: bool
    keyed: bool


class _StageLowering:
    """Lowers one stage. `functions`: the names of the functions of all; `listed`: those whose packets come in order."""

    def __init__(
        self, context: Context, plan: PipelinePlan, functions: tuple[str, ...], listed: frozenset[int], number: int
    ) -> None:
        self.context = context
        self.plan = plan
        self.pipe = pipe = plan.pipe
        self.functions = functions
        self.number = number
        self.stage = pipe.stages[number]
        sure = _surely_received(context.program, self.stage)
        live, sunk = context.storage.live, context.storage.sunk
        written = sunk_in_stage(context.program, pipe, number, live, sunk) if context.in_place else {}
        self.scope = Scope(received=self.stage.unchanged, sure=sure, intact=self.stage.intact, sunk=written)
        parts = (context.program, context.storage, context.tables, context.externs)
        outcome = Outcome(context.gives_verdicts and not pipe.replication, context.record_is_read or pipe.replication)
        loops = LongLoops(context.long_loops, outcome, context.requests)
        arguments = (*parts, self.scope, self._leave, loops)
        self.intrinsics = Intrinsics(context.program, context.storage, self.scope, outcome)
        self.statements = Statements(*arguments)
        self.entry = Statements(
            *parts, EntryScope(received=self.stage.received, sure=sure, value=self._entering), self._leave
        )
        self.parser = ParserStatements(*arguments)
        self.deparser = DeparserStatements(*arguments, in_place=context.in_place, outcome=outcome)
        self.listed = listed
        self.bulk = plan.has_arrays(number)
        self.followed = plan.followed(number)
        self._single: set[int] = set()  # joins that one way alone goes to
        self.statements.started = {table: partial(self._finish, number) for table, number in self.stage.small.items()}

    def lowered(self) -> LoweredStage:
        stage = self.stage
        lookups = tuple(self._lookup(number, stage) for number in range(len(stage.lookups)))
        body = self._body()
        variables = tuple(
            Declare(slot.c_type, name, self._initial(slot), slot.size)
            for name, slot in sorted(self.scope.locals.items())
        )
        function = Function(self.functions[self.number], variables, body, self.pipe.replication)
        function = with_flags_folded(without_unchanged_stores(function))
        listed, keyed = self.number in self.listed, self.plan.is_keyed(self.number)
        return LoweredStage(stage, self.number, lookups, function, listed, self.bulk, keyed)

    def _body(self) -> Body:
        """Joins are at its end, those with a single predecessor in its place."""
        jumps = self._joins(self.stage.code)
        self._single = {join for join, count in jumps.items() if count == 1}
        body = list(with_loads_sunk(self._load(self.stage.loaded), self.code(self.stage.code), RESIZING))
        for join in sorted(jumps.keys() - self._single):
            body += [Label(_join_label(join)), *self.code(self.pipe.joins[join])]
        return tuple(body)

    def _load(self, fields: frozenset[Location]) -> Body:
        """Load fields that are in the frame still, and that the stage may change."""
        storage = self.context.storage
        made: list[Statement] = []
        for owner, group in groupby(
            sorted(fields - self.scope.sunk.keys(), key=_by_name), key=lambda field: field.owner
        ):
            place = self.scope.read(storage.at(owner))
            loads = tuple(
                Assign(
                    self.scope.read(storage.field(owner, field.field)),
                    field_of(self.context.program.header_type_of[owner], field.field, place),
                )
                for field in group
            )
            made += loads if owner in self.scope.sure else [If(infix(place, "!=", NOWHERE), loads)]
        return tuple(made)

    def _keys(self, number: int) -> Body:
        """Store the keys of a later stage's lookups in their arrays; nothing if that stage packs them itself."""
        made: list[Statement] = []
        if not self.plan.is_keyed(number):
            return ()
        sets = Name("sets")
        place = Member(Member(sets, f"to_{number}", arrow=True), "count")
        for position, lookup in enumerate(self.pipe.stages[number].lookups):
            table, ref = self.context.program.table[lookup.table], self.context.tables.ref(lookup.table)
            lookups = Member(sets, f"lookups_{number}", arrow=True)
            keys = Index(Member(Member(lookups, f"lookup_{position}", arrow=True), "keys"), place)
            key = self.statements.key_number(table) if not ref.bulk_bytes else None
            put: Body = self.statements.keys(table, keys) if key is None else (Assign(keys, key),)
            if ref.begins_early and key is not None:
                begin = Member(sets, f"begin_{number}_lookup_{position}", arrow=True)
                put = (*put, Do(call("macs_bulk_prefetch", begin, key)))
            made += (If(Member(lookups, f"lookup_{position}_filled", arrow=True), put),) if ref.may_be_empty else put
        return tuple(made)

    def _lookup(self, number: int, stage: Stage) -> LookupView:
        table = self.context.program.table[stage.lookups[number].table]
        member = f"lookup_{number}"
        ref = self.context.tables.ref(table.name)
        lookup = Member(Name("lookup"), member, arrow=True)
        lookups = Member(Name("lookups"), member, arrow=True)
        followed: Body = ()
        chooses, leading = False, 0
        if number in self.followed:
            led = self.context.externs.led_to(self.entry.render, table)
            followed = follow(ref, led, lookups if self.bulk else lookup, self.bulk)
            chooses, leading = led.profile is not None, self.plan.tables.leading(table.name) or 0
        if self.plan.is_keyed(self.number):
            return LookupView(ref, member, (), None, (), 0, followed, chooses, leading)
        many = self.bulk and ref.bulk_bytes
        place = Index(Member(lookups, "keys"), Name("at")) if many else Member(lookup, "key")
        selection: Body = ()
        size = 0
        if not self.bulk and not followed:
            selection, size = self.context.externs.gather(self.entry.render, table, Member(lookup, "selection"))
        key_word = self.entry.key_number(table) if ref.words or (self.bulk and ref.begins_early) else None
        keys = self.entry.keys(table, place)
        return LookupView(ref, member, keys, key_word, selection, size, followed, chooses, leading)

    def _cells(self, stage: int) -> Body:
        """Prefetch the cells of state that the packet will access in a later stage: their indexes are known here."""
        made = list(self._cells_of(self.pipe.stages[stage], self.statements))
        externs = self.context.externs
        for access in self.pipe.stages[stage].prefetched:
            if externs.is_striped(access.instance):
                index = self.statements.render.amount(access.index)
                made.append(Do(call("macs_hold_prefetch", externs.locks(access.instance), index)))
        return tuple(dict.fromkeys(made))

    def _cells_of(self, stage: Stage, statements: Statements) -> Body:
        """Prefetch the cells by what the statements know; the line of all of a bundle."""
        externs = self.context.externs
        made = (
            externs.prefetch(externs.leader(access.instance), statements.render.amount(access.index))
            for access in stage.prefetched
        )
        return tuple(dict.fromkeys(made))

    def code(self, code: Code) -> Body:
        return tuple(made for piece in code for made in self._piece(piece))

    def _piece(self, piece: Piece) -> Body:
        match piece:
            case Plain(what=Step(diverts=True) as what):
                return step(what, replace(self.intrinsics, before_diverting=self._hand_on(self.pipe.to_replication)))
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
                return (self._finish(lookup, statement),)
            case Fork(statement=HlirIf() as branch, arms=(then, otherwise)):
                condition = self.statements.render(branch.condition)
                with self.statements.where(branch.condition, statements_of(whole(self.pipe, then))):
                    inside = self.code(then)
                return (If(condition, inside, self.code(otherwise), at(branch.span)),)
            case Fork():
                return (self._switch(piece),)
            case Submit() | Jump() | End():
                return self._go(piece)
            case HandOver(entry=entry):
                return (
                    Assign(packet("entry"), Literal(str(entry))),
                    Assign(packet("verdict"), Name("MACS_HAND_OVER")),
                    Return(),
                )
            case Dispatch(stages=(stage,)):
                return (self._submit(stage),)
            case Dispatch(stages=stages):
                cases = (Case((Literal(str(n)),), (self._submit(stage),)) for n, stage in enumerate(stages))
                return (Switch(packet("entry"), tuple(cases)),)
        raise TypeError(f"{piece} cannot stand in a stage")

    def _finish(self, lookup: int, statement: ApplyTable) -> Block:
        """Finish the lookup of that number, run the action."""
        started = Member(Name("lookups" if self.bulk else "lookup"), f"lookup_{lookup}", arrow=True)
        return self.statements.apply(statement, started, self.bulk, lookup in self.followed)

    def _restart(self, restart: Restart) -> Body:
        """Turn a copied state into that of a clone."""
        parse = restart.parse
        afresh = Assign(Unary("*", LIVE), Name("macs_fresh"))
        begin = (afresh, *step(restart.begin_parsed, self.intrinsics))
        again = (*begin, *(self.parser.parse(parse.parser, parse.error) if parse is not None else ()))
        record = Name("packet")
        preserved = Member(Member(record, "requests", arrow=True), "preserved")
        parsed = infix(Member(record, "instance_type", arrow=True), "==", "MACS_INGRESS_CLONE")
        return (
            Declare("struct live", "before", Unary("*", LIVE), constant=True),
            *((If(parsed, again),) if restart.keeps_headers else again),
            Do(call("macs_keep_headers", LIVE)),
            Do(call("macs_preserve", LIVE, address(Name("before")), preserved)),
            *step(restart.begin, self.intrinsics),
        )

    def _switch(self, fork: Fork) -> Switch:
        assert not isinstance(fork.statement, HlirIf)
        (plain,) = self.statements.statement(rebuild(fork.statement, lambda body: ()))
        assert isinstance(plain, Switch)
        cases = (replace(case, body=self.code(arm)) for case, arm in zip(plain.cases, fork.arms, strict=True))
        return replace(plain, cases=tuple(cases))

    def _go(self, target: Target) -> Body:
        match target:
            case Submit(stage=stage):
                return (*self._hand_on(self.pipe.stages[stage].live_in), self._submit(stage))
            case Jump(join=join) if join in self._single:
                return self.code(self.pipe.joins[join])
            case Jump(join=join):
                return (Goto(_join_label(join)),)
            case End():
                return (*self._hand_on(self.pipe.to_next & self.stage.unchanged), Return())

    def _submit(self, stage: int) -> Return:
        """Submit the packet to a later stage and return."""
        keys, name = self._keys(stage), self.functions[stage]
        to = address(Member(Name("sets"), f"to_{stage}", arrow=True))
        add = call(f"macs_{'list' if stage in self.listed else 'set'}_add", to, "index")
        prefetch = (Do(call(f"{name}{PREFETCH}")),) if self._prefetches(stage) and not keys else ()
        return Return((*keys, *self._cells(stage), Do(add, f"to {name}"), *prefetch))

    def _hand_on(self, live_in: frozenset[Location]) -> Body:
        """Store the live values of a later stage that are not yet in the packet's state."""
        made: list[Statement] = []
        for location in sorted(live_in, key=_by_name):
            if location in self.stage.unchanged:
                made.append(self._put_back(location))
            elif (slot := self.context.storage.passed(location)) is not None:
                made.append(Assign(live(slot.name), self.scope.read(slot)))
        return tuple(made)

    def _put_back(self, location: Location) -> Assign:
        """Store a field that is still in the frame."""
        slot = self.context.storage.field(location.owner, location.field)
        header = HeaderRef(location.owner, self.context.program.span)
        return Assign(self.scope.read(slot), self.statements.held(slot, header))

    def _initial(self, slot: Slot) -> Expression:
        """The initial value of a local."""
        if slot.location in self.stage.live_in and slot.passed:
            return live(slot.name)
        return self._known(slot) or slot.beginning

    def _entering(self, slot: Slot) -> Expression:
        """Its value at the beginning of the stage."""
        if slot.location in self.stage.live_in or (slot.live and not slot.passed):
            return live(slot.name)
        return self._known(slot) or slot.initial

    def _known(self, slot: Slot) -> Expression | None:
        """Its value there, if that is known or in the packet's record."""
        storage = self.context.storage
        if slot.location in self.stage.known:
            return literal(self.stage.known[slot.location], storage.type_of(slot.location))
        if slot.location in storage.given and (self.number or not self.pipe.renews):
            return sourced(storage.given[slot.location], storage.type_of(slot.location))
        return None

    def _prefetches(self, stage: int) -> bool:
        """Whether the lookups of a stage begin when a packet is submitted to it."""
        refs = [self.context.tables.ref(lookup.table) for lookup in self.pipe.stages[stage].lookups]
        return self.plan.has_arrays(stage) and any(ref.begins_early for ref in refs)

    def _leave(self, label: str) -> Body:
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


def _by_name(location: Location) -> tuple[str, str]:
    return location.owner, location.field


def _surely_received(program: Program, stage: Stage) -> frozenset[str]:
    """The headers that are valid where a stage begins, and cannot be but by an extract."""
    valid = {where.owner for where, value in stage.known.items() if where.field == VALIDITY and value}
    return frozenset(valid - made_headers(program)) if valid else frozenset()
