"""View-models of pipelines: tables' lookups, stages, and the functions over a burst that the plan's steps make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from transpiler.codegen.c.build import PACKET, address, call, infix, operand, packed
from transpiler.codegen.c.nodes import (
    Assign,
    Body,
    Call,
    Cast,
    Declare,
    Do,
    Expression,
    If,
    Index,
    Literal,
    Member,
    Name,
    Statement,
    Unary,
)
from transpiler.codegen.c.walk import all_expressions, all_names
from transpiler.codegen.given import COUNTS, LOCKS, REGISTERS, STATE, TYPES, Given, of_packet
from transpiler.codegen.outside import Outside
from transpiler.codegen.tallies import NOTHING, TALLIES, settlements
from transpiler.schedule.pipelined import member_of
from transpiler.schedule.plan import Follow, Form, Lap, PackKeys, Receive, Run, RunSubBatches, Step, Take


@dataclass(frozen=True, slots=True)
class TableRef:
    """What statements need to know of a table; `kernel` is empty for a table without key; `steps` are that kernel's.
    `compared`: code finds the entry, which the kernel keeps for the control plane alone. `words`: its entries are words of
    `key_bits`, `data_bits` and in these `action_bits`. `indexed`: statements use the index of the entry that is found, and that
    of the default one, which is the table's `size`. `bulk_bytes`: arrays of keys hold bytes, not numbers. `may_be_empty`:
    lookups ask first whether it is. `learns`: who misses looks among what packets have added, too. `key_in_words`: where it is
    looked up at once, its key is stored by words."""

    name: str
    number: int
    entry_type: str
    key_bytes: int
    kernel: str
    steps: int
    words: bool = False
    key_bits: int = 0
    data_bits: int = 0
    action_bits: int = 0
    compared: bool = False
    bulk_bytes: bool = False
    indexed: bool = False
    size: int = 0
    may_be_empty: bool = False
    learns: bool = False
    key_in_words: bool = False

    @property
    def key_room(self) -> int:
        """Bytes of the array that its key is packed into, where it is looked up at once."""
        return -(-self.key_bytes // 8) * 8 if self.key_in_words else self.key_bytes

    @property
    def begins_early(self) -> bool:
        """Whether the first cache line of a bulk lookup is prefetched as soon as its key is known."""
        return not self.words and not self.bulk_bytes

    @property
    def suffix(self) -> str:
        """The end of the names of its kernel's functions that find the entry's index."""
        return "_indexed" if self.words and self.indexed else ""

    @property
    def state(self) -> str:
        """Its state in C."""
        return f"tables[TABLE_{self.name}].state"

    @property
    def is_empty(self) -> str:
        """Whether it has no entries, in C."""
        return f"macs_table_is_empty(&tables[TABLE_{self.name}])"

    @property
    def key_shape(self) -> str:
        """The arguments that tell its kernel how long a key is, and an entry that is a word."""
        return f"{self.key_bits}, {self.data_bits}" if self.words else str(self.key_bytes)

    @property
    def beginning(self) -> str:
        """What its lookups read first, as the argument of macs_bulk_prefetch()."""
        return f"macs_{self.kernel}_bulk_begin({self.state}, {self.key_bytes})"


@dataclass(frozen=True, slots=True)
class LookupView:
    """A lookup that a stage starts: `member` in the struct of its keys and cursors; `keys` packs `lookup->member.key`,
    `lookups->member.keys[at]` where many are looked up at once, or `key_word` is the key as a number, for entries that are
    words, and many. `selection` packs `lookup->member.selection`, `selection_bytes` long, by which a group's member is chosen.
    `follow`: finishes the lookup of an entry that is followed and prefetches what it leads to; `chooses`: that may be a member of
    an action profile; `leading`: the steps from there to it."""

    table: TableRef
    member: str
    keys: Body
    key_word: Expression | None
    selection: Body
    selection_bytes: int
    follow: Body = ()
    chooses: bool = False
    leading: int = 0

    def guard(self, place: str, separator: str = "_", unless: str = "") -> str:
        """An `if` before a statement about the lookup, whose keys are at `place`: its table is not empty, and not `unless`."""
        filled = (f"{place}{self.member}{separator}filled",) if self.table.may_be_empty else ()
        conditions = (f"!{unless}",) if unless else ()
        return f"if ({' && '.join((*conditions, *filled))}) " if conditions or filled else ""

    def in_flight(self, place: str) -> str:
        """The arguments of a step of the lookup whose key and cursor stand there."""
        cursor = f"&{place}{self.member}.cursor"
        if self.table.words:
            return f"{self.table.data_bits}, {cursor}"
        return f"{self.table.state}, {place}{self.member}.key, {self.table.key_bytes}, {cursor}"

    @property
    def named(self) -> frozenset[str]:
        """The names that the code for the key uses."""
        word = all_names(self.key_word) if self.key_word is not None else frozenset()
        return all_names((*self.keys, *self.selection)) | word

    @property
    def followed(self) -> bool:
        """Whether its entry is followed."""
        return bool(self.follow)


@dataclass(frozen=True, slots=True)
class StageView:
    """One stage: `function` is its name; `title`: what it begins with, `goes_on`: whether it leaves packets to later stages;
    `locals` are declarations with their initial values; `calls`: the functions that its body calls. `listed`: its packets come
    in order, so that a list will do in place of a set. `bulk`, `keyed`: the keys of its lookups go to their tables as arrays,
    and who leaves a packet to it puts them there. `takes`: what the function is given, `takes_for_keys`, `takes_to_follow`: what
    those are that make its keys and follow its entries; `unpacked`, `unpacked_for_keys`, `unpacked_to_follow`: what they begin
    with, names for parts of that. `look`: the beginning of a first stage that packets look for their decisions by, if there is
    one."""

    number: int
    function: str
    title: Outside
    cite: Outside
    lookups: tuple[LookupView, ...]
    locals: tuple[Declare, ...]
    body: Body
    calls: frozenset[str]
    listed: bool
    bulk: bool
    keyed: bool
    takes: tuple[str, ...]
    takes_for_keys: tuple[str, ...]
    unpacked: Body
    unpacked_for_keys: Body
    takes_to_follow: tuple[str, ...]
    unpacked_to_follow: Body
    pipe_name: str
    goes_on: bool
    look: StageView | None = None

    @property
    def holds(self) -> bool:
        """Whether it holds locks of registers."""
        return not self.calls.isdisjoint({"macs_hold", "macs_hold_several"})

    @property
    def recalls(self) -> bool:
        """Whether it begins with decisions (macs/decisions.h)."""
        return "macs_decisions_recall" in self.calls

    def own(self, array: Name) -> str:
        """What an array that its function is given is called where it is declared."""
        return f"{array.name}_{self.number}"

    @property
    def settlements(self) -> tuple[Call, ...]:
        """What settles the tallies of its registers."""
        return settlements(self.body, Name(self.own(TALLIES)), Name(self.own(REGISTERS)))

    @property
    def tallies(self) -> Declare:
        """They all have nothing."""
        nothing = [NOTHING] * len(self.settlements)
        return Declare("struct macs_tally", self.own(TALLIES), packed(list(nothing)), size=len(nothing))

    @property
    def kept(self) -> Declare | None:
        """A copy of the locks that it uses, and those before them: no store to a cell can change it, so that the C compiler
        asks once a burst whether there are locks. None: it uses none."""
        if LOCKS.name not in self.takes:
            return None
        found = (e.at for e in all_expressions(self.body) if isinstance(e, Index) and e.of == LOCKS)
        last = max(int(at.text) for at in found if isinstance(at, Literal))
        copies: list[Expression] = [Index(Name("locks"), Literal(str(number))) for number in range(last + 1)]
        return Declare("struct macs_locks", self.own(LOCKS), packed(copies), size=len(copies), constant=True)

    @property
    def copies(self) -> Body:
        """Copies of the registers that it accesses, and of where its worker's counts stand, so that the C compiler knows
        once a burst where their cells are."""
        registers = self._copies(REGISTERS, "struct macs_register", "macs_register_of")
        return (*registers, *self._copies(COUNTS, "struct macs_counts", "macs_counts_of", "worker"))

    def _copies(self, array: Name, c_type: str, copy: str, *given: str) -> Body:
        found = (e.at for e in all_expressions(self.body) if isinstance(e, Index) and e.of == array)
        used = tuple(sorted({at.name for at in found if isinstance(at, Name)}))
        copies = Name(self.own(array))
        declared = (Declare(c_type, copies.name, size="sizeof externs / sizeof *externs"),) if used else ()
        filled = (
            Assign(Index(copies, Name(name)), call(copy, Index(Name("externs"), Name(name)), *given)) for name in used
        )
        return (*declared, *filled)

    @property
    def prefetches(self) -> bool:
        """Whether its lookups begin when a packet is submitted to it."""
        return self.bulk and any(lookup.table.begins_early for lookup in self.lookups)

    @property
    def parameters(self) -> str:
        """The parameters of the function that does its work on a packet."""
        types = TYPES | {
            "worker": "struct macs_worker *",
            "common": "const struct macs_common *",
            "verdict": "macs_verdict *restrict ",
            "index": "uint32_t ",
            "sets": f"struct {self.pipe_name}_sets *",
            "lookups": f"const struct {self.function}_lookups *",
            "at": "uint32_t ",
            "lookup": f"struct {self.function}_lookup *",
            TALLIES.name: "struct macs_tally *",
            LOCKS.name: "const struct macs_locks *",
            REGISTERS.name: "const struct macs_register *",
            COUNTS.name: "const struct macs_counts *",
        }
        return ", ".join(f"{types[name]}{name}" for name in self.takes) or "void"

    @property
    def parameters_for_keys(self) -> tuple[str, ...]:
        """The parameters of the functions that make the keys of its lookups. They do not change the packet."""
        return tuple(f"const {TYPES[name]}{name}" for name in self.takes_for_keys)

    @property
    def followed(self) -> tuple[LookupView, ...]:
        """The lookups whose entries a function of their own follows; words of many packets are followed where they are
        prefetched."""
        return tuple(lookup for lookup in self.lookups if lookup.followed and not (self.bulk and lookup.table.words))

    @property
    def parameters_to_follow(self) -> tuple[str, ...]:
        """Those of the function that follows its entries."""
        return tuple(f"const {TYPES[name]}{name}" for name in self.takes_to_follow)


@dataclass(frozen=True, slots=True)
class StepView:
    """A step, which the template steps/KIND.c.j2 makes a loop of. `lookups`: those of the step's stage that it is about;
    `followed`: those of them that it follows."""

    kind: str
    step: Step
    lookups: tuple[LookupView, ...]

    @property
    def followed(self) -> tuple[LookupView, ...]:
        return tuple(lookup for lookup in self.lookups if lookup.followed)


@dataclass(frozen=True, slots=True)
class BlockView:
    """The steps of one stage in a row; the first stage's, and those of no stage, have no `stage`."""

    stage: StageView | None
    steps: tuple[StepView, ...]


@dataclass(frozen=True, slots=True)
class ClockView:
    """A stage clock: `constant` is its number's name; `function` and `step`: what it times, of the stage of that number that
    begins with `title`."""

    constant: str
    function: str
    stage: int
    step: str
    title: Outside


@dataclass(frozen=True, slots=True)
class PassView:
    """A function over a burst, which the template passes/FORM.c.j2 makes. `at`: stands before the names of the burst's arrays:
    they are locals, or in the struct of a burst in flight."""

    NAMES: ClassVar = {Form.BURST: "burst", Form.PROLOGUE: "prologue", Form.EPILOGUE: "epilogue", Form.PACKETS: "pipe"}

    form: Form
    name: str
    pipe_name: str
    stages: tuple[StageView, ...]
    blocks: tuple[BlockView, ...]
    given: Given
    resizes: bool
    replicates: bool

    @property
    def entry(self) -> str:
        """The member of struct macs_program by which the runtime calls it."""
        entries = {Form.BURST: "run_to_completion", Form.PROLOGUE: "prologue", Form.EPILOGUE: "epilogue"}
        return entries.get(self.form) or member_of(self.pipe_name)

    @property
    def at(self) -> str:
        return "burst->" if self.form in (Form.PROLOGUE, Form.EPILOGUE) else ""

    @property
    def clocks(self) -> tuple[ClockView, ...]:
        """The clocks of its steps, in their order."""
        laps = [view.step for block in self.blocks for view in block.steps if isinstance(view.step, Lap)]
        return tuple(
            ClockView(self.clock(lap), self.name, lap.stage, lap.verb, self.stages[lap.stage].title) for lap in laps
        )

    def clock(self, lap: Lap) -> str:
        """The name of a clock's number."""
        return f"CLOCK_{self.name}_{lap.stage}_{lap.verb}".upper()

    @property
    def alone(self) -> bool:
        """Whether there is only one stage, so that nothing is kept of a packet."""
        return len(self.stages) == 1

    @property
    def received(self) -> Body:
        """Declarations of the first stage's arguments for packet i of a received burst."""
        first = self.stages[0]
        given = ("state",) if self.given.lasting else of_packet(first.takes)
        handle = Index(Name(f"{self.at}handles"), Name("i"))
        if self.given.lasting:
            made = self.given.of_its_own(given) if self.alone else self.given.of_burst(given, "i", self.at)
            return (*made, self.given.bind(address(Member(STATE, "packet", arrow=True)), handle))
        if not self.alone:
            return self.given.of_burst(given, "i", self.at)
        return (*self.given.of_its_own(given), *((self.given.bind(PACKET, handle),) if "packet" in given else ()))

    def member(self, stage: StageView, takes: tuple[str, ...], place: Expression | str = "i") -> Body:
        """A packet of the stage: its number in the burst, and declarations of these arguments for it."""
        given = of_packet(takes)
        if not given and not {"verdict", "index"} & set(takes):
            return ()
        number = Declare("uint32_t", "member", Index(self.members(stage), operand(place)), constant=True)
        return (number, *self.packet(given, "member"))

    def members(self, stage: StageView) -> Name:
        """The array with the numbers of the stage's packets."""
        return Name(f"{self.at}members_{stage.number}" if stage.listed else "list")

    def packet(self, given: tuple[str, ...], index: str) -> Body:
        """Declarations of these arguments for the packet with that number."""
        if self.form is Form.PACKETS:
            return self.given.of_record(given, index)
        return self.given.of_burst(given, index, self.at)

    @property
    def taken(self) -> Body:
        """Declarations of the first stage's arguments for packet i."""
        return self.packet(of_packet(self.stages[0].takes), "i")

    def call(self, stage: StageView, index: str) -> Call:
        """The stage's work on that packet; its verdict goes to the burst's or, where the record has it too, nowhere."""
        verdicts = Name("unused") if self.form is Form.PACKETS else Index(Name(f"{self.at}verdicts"), Name(index))
        values: dict[str, Expression | str] = {
            "verdict": address(verdicts),
            "index": index,
            "at": "i",
            "lookup": address(Index(Name("lookups"), infix("i", "-", "first"))),
            LOCKS.name: stage.own(LOCKS),
            REGISTERS.name: stage.own(REGISTERS),
            COUNTS.name: stage.own(COUNTS),
            TALLIES.name: stage.own(TALLIES),
        }
        return call(stage.function, *(values.get(name, name) for name in stage.takes))

    @property
    def takes(self) -> frozenset[str]:
        """The arguments of the functions that it calls."""
        found: set[str] = set()
        for block in self.blocks:
            stage = block.stage or self.stages[0]
            for view in block.steps:
                if isinstance(view.step, Receive | Take | Run | RunSubBatches):
                    found.update(stage.takes)
                if isinstance(view.step, PackKeys | RunSubBatches):
                    found.update(stage.takes_for_keys)
                if isinstance(view.step, Follow | RunSubBatches):
                    found.update(stage.takes_to_follow)
        return frozenset(found)

    @property
    def uses_common(self) -> bool:
        """Whether struct macs_common is used: by a stage, or to fill records."""
        receives = self.form in (Form.BURST, Form.PROLOGUE)
        binds = self.form is not Form.PACKETS and (receives if self.given.lasting else "packet" in self.takes)
        return "common" in self.takes or binds or self.readies

    @property
    def uses_worker(self) -> bool:
        """Whether it uses its worker."""
        return (
            self.uses_common
            or self.in_sub_batches
            or bool(self.clocks)
            or not self.takes.isdisjoint(("worker", COUNTS.name))
        )

    @property
    def decides(self) -> bool:
        """Whether packets begin a stretch with a cache of decisions."""
        return any("macs_decisions_place" in stage.calls for stage in self.stages)

    @property
    def readies(self) -> bool:
        """Whether decisions that are ready are found in a loop of its own stage, and made at its end (macs/ready.h)."""
        loops = (block.stage for block in self.blocks for view in block.steps if view.kind == "run")
        return self.form is Form.BURST and any(stage is not None and stage.recalls for stage in loops)

    @property
    def looks(self) -> tuple[StageView, StageView] | None:
        """The beginning by which packets look for ready decisions before anything of them is kept, and the stage of those that
        find none."""
        look = self.stages[0].look if self.readies else None
        asking = next((stage for stage in self.stages if stage.recalls and stage.listed), None)
        return None if look is None or asking is None else (look, asking)

    @property
    def looking(self) -> Body:
        """Declarations of the arguments of that beginning, for packet i: of a state of its own."""
        assert self.looks is not None
        given = ("state",) if self.given.lasting else of_packet(self.looks[0].takes)
        record = address(Member(STATE, "packet", arrow=True)) if self.given.lasting else PACKET
        return (*self.given.of_its_own(given), self.given.bind(record, Index(Name("handles"), Name("i"))))

    @property
    def uses_packets(self) -> bool:
        """Whether its stages use anything of its packets."""
        return bool(of_packet(tuple(self.takes)))

    @property
    def gives_unused(self) -> bool:
        """Whether verdicts are not used."""
        return self.form is Form.PACKETS and "verdict" in self.takes

    @property
    def departed(self) -> Body:
        """Statements for packet i when it has its verdict: the state of one that continues is stored in its buffer."""
        state = Name("state")
        made: list[Statement] = []
        if self.replicates and self.given.lasting:
            handles, verdicts = (Index(Name(f"{self.at}{name}"), Name("i")) for name in ("handles", "verdicts"))
            goes_on: Expression = call("odp_unlikely", infix(verdicts, "==", "MACS_VERDICT_CONTINUE"))
            if not self.alone:
                goes_on = infix(goes_on, "&&", infix(call("sizeof", "struct state"), "<=", "MACS_STATE_IN_BURST"))
            buffer = Unary("*", Cast("struct state *", call("macs_packet_of", handles)))
            made.append(If(goes_on, (Assign(buffer, Unary("*", state)),)))
        if self.resizes:
            length = Member(Member(state, "packet", arrow=True), "length")
            made.append(Do(call("macs_extent_add", address(Name("sent")), length)))
        return tuple(made)

    @property
    def extent(self) -> str:
        """The variable with the lengths of the frames that are sent."""
        return "sent" if self.resizes else f"{self.at}received"

    @property
    def in_sub_batches(self) -> bool:
        """Whether a step works in sub-batches."""
        steps = [view.step for block in self.blocks for view in block.steps]
        return any(isinstance(s, RunSubBatches) or (isinstance(s, Run) and s.lookups) for s in steps)


@dataclass(frozen=True, slots=True)
class PipeView:
    """A pipeline: `renews`: the state begins anew there, with `preserves` but for what the packet may have preserved.
    `replication`: for packets that left another one; `gives_verdicts`: to the burst's array; `passes`: its functions."""

    name: str
    stages: tuple[StageView, ...]
    renews: bool
    preserves: bool
    replication: bool
    gives_verdicts: bool
    passes: tuple[PassView, ...]

    @property
    def in_one_loop(self) -> bool:
        """Whether each stage is called in one loop alone, not in that of received bursts and that of packets with records."""
        return not {Form.BURST, Form.PACKETS} <= {made.form for made in self.passes}
