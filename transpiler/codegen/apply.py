"""A table's application in C: look up the entry, or finish the lookup that the stage has started, and run the action."""

from __future__ import annotations

from dataclasses import dataclass, replace

from transpiler.codegen.c.build import FALSE, NULL, address, call, cast, choose, infix, negated, operand
from transpiler.codegen.c.nodes import (
    Assign,
    Block,
    Body,
    Case,
    Conditional,
    Declare,
    Do,
    Expression,
    If,
    Index,
    Literal,
    Member,
    Name,
    Statement,
    Switch,
)
from transpiler.codegen.c.walk import names
from transpiler.codegen.pipeline_views import TableRef

ENTRY, WORD, FOUND, KEY, CURSOR = (Name(name) for name in ("entry", "word", "found", "key", "cursor"))
OWN_INDEX = Name("own_index")  # the table's entry's: where it is a word, or a member of a profile takes its place
MISSED = Name("missed")  # the packed key of a lookup that found nothing, in tables that learn
SELECTED = Name("selected")  # the hash by which a group's member is chosen
HEAD = Member(ENTRY, "head", arrow=True)
INDEX, ACTION = Member(HEAD, "index"), Member(HEAD, "action")


@dataclass(frozen=True, slots=True)
class Application:
    """`lookup`: the started lookup's key and cursor, or None: then `keys` packs the key here, or `key_word` is the key where
    entries are words, or `comparisons` find the entry. `bulk`: as that of the stage. `hit`, `action`: where its results go.
    `profile`: the state of the action profile that entries may refer to; `selection` leaves in `selected` what chooses a
    group's member; `chosen`: of an entry that was followed, the choice in flight. `followed`: whether the lookup is finished
    already; `hottest`: the action that most packets run, if one is known. `actions`: a case each, in the order of their
    numbers. `missed`: packs the key where it missed, in tables that learn."""

    table: TableRef
    lookup: Expression | None
    bulk: bool
    keys: Body
    key_word: Expression | None
    comparisons: Body
    hit: Expression | None
    action: Expression | None
    declares: Body
    on_hit: Body
    profile: Expression | None
    selection: Body
    actions: tuple[Case, ...]
    missed: Body
    cite: str
    followed: bool = False
    hottest: int | None = None
    chosen: Expression | None = None

    def lowered(self) -> Block:
        body = self._of_word() if self.table.words else self._of_entry()
        return Block(body, cite=f"{self.cite}: {self.table.name}")

    @property
    def _kernel(self) -> Expression:
        return Member(self._table, "state")

    @property
    def _table(self) -> Expression:
        return Index(Name("tables"), Name(f"TABLE_{self.table.name}"))

    def _function(self, name: str) -> str:
        return f"macs_{self.table.kernel}_{name}"

    def _cursor(self) -> Declare:
        return Declare(f"struct macs_{self.table.kernel}_cursor", "cursor")

    def _of_word(self) -> Body:
        """An entry that is one word: the action's number lowest, its data above."""
        table, lookup = self.table, self.lookup
        made: list[Statement] = [Declare("uint64_t", "word")]
        made += [Declare("uint32_t", OWN_INDEX.name)] if table.indexed else []
        if lookup is None:
            assert self.key_word is not None
            start = (self._kernel, self.key_word, table.key_bits, table.data_bits, address(CURSOR))
            started = (self._cursor(), Do(call(self._function(f"start{table.suffix}"), *start)))
            made += self._asked(Declare("bool", "found", FALSE), started, self._finish_word(CURSOR))
        else:
            found: Expression = self._finish_word(Member(lookup, "cursor"))
            if self.bulk:
                finish = self._function(f"bulk_finish{table.suffix}")
                found = call(finish, address(lookup), "at", table.data_bits, *self._results)
            made.append(Declare("bool", "found", self._if_filled(found, FALSE), constant=not table.learns))
        made += self._learned_word()
        if self.hit is not None:
            made.append(Assign(self.hit, FOUND))
        made += self.declares
        if self.on_hit:
            made.append(If(FOUND, self.on_hit))
        default: Body = (Assign(WORD, call("macs_table_default_word", address(self._table))),)
        default += (Assign(OWN_INDEX, operand(table.size)),) if table.indexed else ()
        made.append(If(negated(FOUND), default))
        ones = Literal(f"{(1 << table.action_bits) - 1:#x}")
        number = cast("uint32_t", infix(WORD, "&", ones))
        return (*made, *self._run(number, number))

    def _learned_word(self) -> Body:
        """Who misses a table that learns looks at what packets have added, too."""
        if not self.table.learns:
            return ()
        index = address(OWN_INDEX) if self.table.indexed else address(Name("learned_index"))
        learned = call("macs_learned_word", address(self._table), MISSED, address(WORD), index)
        unused = () if self.table.indexed else (Declare("uint32_t", "learned_index"),)
        found = (*self.missed, *unused, Assign(FOUND, learned))
        return (Declare("uint8_t", MISSED.name, size=self.table.key_bytes), If(negated(FOUND), found))

    def _learned_entry(self, missing: Expression) -> Body:
        """The same where entries are no words."""
        if not self.table.learns:
            return ()
        learned = call("macs_learned", address(self._table), MISSED, ENTRY)
        found = (*self.missed, Assign(ENTRY, cast("const void *", learned)))
        absent = infix(cast("const void *", ENTRY), "==", missing)
        return (Declare("uint8_t", MISSED.name, size=self.table.key_bytes), If(absent, found))

    def _of_entry(self) -> Body:
        made: list[Statement] = list(self._find())
        missing = Member(self.lookup, "miss") if self.bulk and self.lookup is not None else NULL
        found = infix(cast("const void *", ENTRY), "!=", missing) if self.bulk else infix(ENTRY, "!=", NULL)
        made += self._learned_entry(missing)
        if self.hit is not None:
            made.append(Assign(self.hit, found))
        made += self.declares
        if self.on_hit:
            made.append(If(found if self.bulk else ENTRY, self.on_hit))
        if not self.bulk:
            default = cast("const void *", call("macs_table_default", address(self._table)))
            made.append(If(negated(ENTRY), (Assign(ENTRY, default),)))
        made += self._choose()
        number: Expression = ACTION
        if self.profile is not None:
            number = Conditional(infix(ACTION, "==", "MACS_NO_ACTION"), Literal("0"), ACTION)
        return (*made, *self._run(ACTION, number))

    def _find(self) -> Body:
        """Declares `entry`: what was found, or NULL; of many at once what to run, in any case."""
        table, lookup = self.table, self.lookup
        type_ = f"const {table.entry_type} *"
        if not table.kernel or table.compared:
            return (Declare(type_, "entry", NULL), *self.comparisons)
        if lookup is not None and self.bulk:
            return (Declare(type_, "entry", cast("const void *", Index(Member(lookup, "entries"), Name("at")))),)
        if lookup is not None and self.followed:
            return (Declare(type_, "entry", cast("const void *", Member(lookup, "entry"))),)
        if lookup is not None:
            found = self._finish(Member(lookup, "key"), Member(lookup, "cursor"))
            return (Declare(type_, "entry", cast("const void *", self._if_filled(found, NULL))),)
        start = call(self._function("start"), self._kernel, KEY, table.key_bytes, address(CURSOR))
        started = (Declare("uint8_t", "key", size=table.key_room), self._cursor(), *self.keys, Do(start))
        return self._asked(Declare(type_, "entry", NULL), started, cast("const void *", self._finish(KEY, CURSOR)))

    def _finish(self, key: Expression, cursor: Expression) -> Expression:
        return call(self._function("finish"), self._kernel, key, self.table.key_bytes, address(cursor))

    def _finish_word(self, cursor: Expression) -> Expression:
        table = self.table
        finish = self._function(f"finish{table.suffix}")
        return call(finish, table.key_bits, table.data_bits, address(cursor), *self._results)

    @property
    def _results(self) -> tuple[Expression, ...]:
        """Where a lookup of words puts what it finds."""
        return (address(WORD), address(OWN_INDEX)) if self.table.indexed else (address(WORD),)

    def _asked(self, result: Declare, start: Body, found: Expression) -> Body:
        """Look up here: `result` as it is declared, or what was found."""
        if self._filled is None:
            return (*start, replace(result, value=found))
        return (result, If(self._filled, (*start, Assign(Name(result.name), found))))

    def _if_filled(self, found: Expression, otherwise: Expression) -> Expression:
        """What a started lookup has found: `otherwise` where the table was empty."""
        return found if self._filled is None else choose(self._filled, found, otherwise)

    @property
    def _filled(self) -> Expression | None:
        """Whether there is a lookup at all, as who starts it has found; None: there is one always."""
        if not self.table.may_be_empty:
            return None
        if self.lookup is None:
            return negated(call("macs_table_is_empty", address(self._table)))
        if not self.bulk:
            return Member(self.lookup, "filled")
        assert isinstance(self.lookup, Member)
        return replace(self.lookup, name=f"{self.lookup.name}_filled")

    def _choose(self) -> Body:
        """A member of the profile, where the entry refers to one or to a group."""
        if self.profile is None:
            return ()
        made: list[Statement] = []
        if any(names(case.body, OWN_INDEX.name) for case in self.actions):
            made.append(Declare("uint32_t", OWN_INDEX.name, INDEX, constant=True))
        if self.chosen is not None:
            chosen = call("macs_profile_chosen", address(self.chosen))
            return (*made, Assign(ENTRY, cast("const void *", chosen)))
        if self.selection:
            made.append(Declare("uint64_t", SELECTED.name, Literal("0")))
            made.append(If(infix(ACTION, "==", "MACS_INDIRECT_GROUP"), self.selection))
        chosen = call("macs_profile_choose", self.profile, address(HEAD), SELECTED if self.selection else 0)
        return (*made, Assign(ENTRY, cast("const void *", chosen)))

    def _run(self, subject: Expression, number: Expression) -> Body:
        """An entry runs one of the table's actions, so that nobody need ask for the last; that of a profile may run none."""
        told = () if self.action is None else (Assign(self.action, number),)
        cases = self.actions
        if self.profile is not None:
            cases = (*cases, Case((), (), default=True))
        elif cases:
            cases = (*cases[:-1], replace(cases[-1], default=True))
        if self.hottest is None or len(cases) < 2:
            return (*told, Switch(subject, cases))
        hot = cases[self.hottest]
        others = tuple(case for case in cases if case is not hot)
        others = others if hot is not cases[-1] else (*others[:-1], replace(others[-1], default=True))
        rest = Switch(subject, others) if len(others) > 1 else Block(others[0].body, cite=others[0].cite)
        first = call("odp_likely", infix(subject, "==", hot.labels[0]))
        return (*told, If(first, (Block(hot.body, cite=hot.cite),), (rest,)))
