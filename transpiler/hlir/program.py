"""The HLIR program: declarations, parser state graph, controls, tables, actions. See `expressions` and `statements` for the rest.

One flat name space per kind: names are full dotted control-plane names ("MyIngress.ipv4_lpm", "hdr.ipv4"), unique, and
the only way in which nodes refer to declarations. All instances are numbered by their place in the tuples of `Program`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from transpiler.diagnostics import Span
from transpiler.hlir.expressions import Const, Expression, KeySet
from transpiler.hlir.interface import NO_INTERFACE, Annotation as Annotation, DataType, Interface, InterfaceField
from transpiler.hlir.statements import Body
from transpiler.hlir.types import Enum, HeaderType, Type

MAX_SIZE = (1 << 31) - 1  # of whatever has elements or entries: P4Runtime says it in an int32
# of an entry that the program brings: one more is an int32 still, whichever way round they go
MAX_PRIORITY = (1 << 31) - 2


class Architecture(enum.Enum):
    """What surrounds the program: which roles it has, what its intrinsic metadata mean. P4-14 programs are V1MODEL."""

    V1MODEL = "v1model"
    PSA = "psa"
    PNA = "pna"


class Role(enum.Enum):
    """Where a parser or control stands in its architecture's pipeline."""

    PARSER = "parser"
    VERIFY_CHECKSUM = "verify_checksum"
    INGRESS = "ingress"
    INGRESS_DEPARSER = "ingress_deparser"
    EGRESS_PARSER = "egress_parser"
    EGRESS = "egress"
    PRE_CONTROL = "pre_control"
    MAIN_CONTROL = "main_control"
    COMPUTE_CHECKSUM = "compute_checksum"
    DEPARSER = "deparser"


class Storage(enum.Enum):
    """How long a variable lives. All of them are zero at the start of that life."""

    METADATA = "metadata"  # a packet's life, ingress to egress; what clone, resubmit and recirculate may preserve
    INTRINSIC = "intrinsic"  # like METADATA, but shared with the architecture, see Program.intrinsics
    LOCAL = "local"  # one execution of its parser or control
    ACTION_DATA = "action_data"  # one execution of its action; set from the table's entry


@dataclass(frozen=True, slots=True)
class Variable:
    """`type_name` and `annotations`: of action data only, which the control plane sees. The former is the name of its P4
    type where that has a definition in `Interface` that is not the scalar's own."""

    name: str
    type: Type
    storage: Storage
    span: Span
    type_name: str = ""
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """A header instance, `local` when it is not part of the parsed representation (a temporary of a control).

    Locals are invalid at the start of their parser or control, others at the start of the packet.
    """

    name: str
    type: str
    span: Span
    local: bool = False


@dataclass(frozen=True, slots=True)
class HeaderStack:
    """A stack; its elements are Headers named `<name>[i]`. The next index is a plain variable that the frontend keeps."""

    name: str
    type: str
    size: int
    span: Span

    def element(self, index: int) -> str:
        """The name of the Header at a constant index."""
        return f"{self.name}[{index}]"


@dataclass(frozen=True, slots=True)
class ExternInstance:
    """A counter, register, meter …: `kind` as in externs.KINDS, `attributes` its compile-time arguments by name.

    `data` is the P4 type of a register's elements or of a digest's records, where the frontend knows it; `index_type` the
    name of the index's type, as `Variable.type_name`.
    """

    name: str
    kind: str
    attributes: tuple[tuple[str, int | str], ...]
    span: Span
    annotations: tuple[Annotation, ...] = ()
    data: DataType | None = None
    index_type: str = ""

    def attribute(self, name: str) -> int | str:
        """The compile-time argument of that name. Raises: KeyError."""
        return dict(self.attributes)[name]


@dataclass(frozen=True, slots=True)
class ValueSet:
    """A parser value set of at most `size` members, each one value per type in `types`. `fields` are these by their
    names where the set is of structs."""

    name: str
    types: tuple[Type, ...]
    match_kinds: tuple[MatchKind, ...]
    size: int
    span: Span
    fields: tuple[InterfaceField, ...] = ()
    annotations: tuple[Annotation, ...] = ()


# --- parser ----------------------------------------------------------------------------------------------------------

ACCEPT, REJECT = "accept", "reject"


@dataclass(frozen=True, slots=True)
class Goto:
    """Unconditional transition to a state, `accept` or `reject`."""

    state: str
    span: Span


@dataclass(frozen=True, slots=True)
class SelectCase:
    keys: tuple[KeySet, ...]
    state: str
    span: Span


@dataclass(frozen=True, slots=True)
class Select:
    """First case that matches wins; none: reject with NoMatch."""

    subjects: tuple[Expression, ...]
    cases: tuple[SelectCase, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ParserState:
    name: str
    body: Body
    transition: Goto | Select
    span: Span


@dataclass(frozen=True, slots=True)
class Parser:
    """A state graph; sub-parsers are part of it. `states[0]` is the start."""

    name: str
    role: Role
    states: tuple[ParserState, ...]
    span: Span


# --- match-action ----------------------------------------------------------------------------------------------------


class MatchKind(enum.Enum):
    EXACT = "exact"
    LPM = "lpm"
    TERNARY = "ternary"
    RANGE = "range"
    OPTIONAL = "optional"
    VALID = "valid"  # P4-14's match on header validity: an exact match on one bit
    SELECTOR = "selector"  # not matched: input of the action selector's hash


@dataclass(frozen=True, slots=True)
class TableKey:
    """`name` is the control-plane name ("hdr.ipv4.dstAddr"). The expression is evaluated when the table is applied.

    `type_name` as in `Variable`.
    """

    expression: Expression
    match_kind: MatchKind
    name: str
    span: Span
    type_name: str = ""
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionUse:
    """An action that a table may run; default_only and table_only as @defaultonly and @tableonly say."""

    action: str
    span: Span
    default_only: bool = False
    table_only: bool = False
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionCall:
    """An action with its action data."""

    action: str
    arguments: tuple[Const, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A constant entry: one key set per non-selector key. Among matching entries the *larger* priority wins."""

    keys: tuple[KeySet, ...]
    call: ActionCall
    priority: int
    span: Span


SUPPORT_TIMEOUT = "support_timeout"
ADD_ON_MISS, AUTO_DELETE = "add_on_miss", "auto_delete"


@dataclass(frozen=True, slots=True)
class Table:
    """A match-action table; `direct` names the extern instances that have one element per entry.

    `implementation` names an action profile or selector. `const_entries`: the control plane may not change entries.
    @support_timeout(true): entries may time out. @auto_delete(true): they are deleted when they do. @add_on_miss(true): its
    default action may add entries.
    """

    name: str
    keys: tuple[TableKey, ...]
    actions: tuple[ActionUse, ...]
    default_action: ActionCall
    const_default: bool
    entries: tuple[TableEntry, ...]
    const_entries: bool
    size: int
    implementation: str | None
    direct: tuple[str, ...]
    span: Span
    annotations: tuple[Annotation, ...] = ()

    @property
    def action_enum(self) -> Enum:
        """The type of ApplyTable.action: ordinals in the order of `actions`."""
        return Enum(f"{self.name}.action", tuple(use.action for use in self.actions))

    @property
    def ages(self) -> bool:
        """Whether it is kept when entries were hit."""
        return self._says(SUPPORT_TIMEOUT) or self.deletes

    @property
    def deletes(self) -> bool:
        """Whether entries are deleted whose time is over, which only calls restart."""
        return self._says(AUTO_DELETE)

    @property
    def learns(self) -> bool:
        """Whether packets may add entries."""
        return self._says(ADD_ON_MISS)

    def _says(self, name: str) -> bool:
        asked = (note.body for note in self.annotations if note.name == name)
        return bool(self.keys) and next(asked, "false") != "false"


@dataclass(frozen=True, slots=True)
class Action:
    """`parameters` name ACTION_DATA variables, in order. Direct calls are already part of their callers.

    One action bound to different arguments in several tables (`a(hdr.x)`, `a(hdr.y)`) is several Actions; those whose
    name had to be made unique carry @name("…") with the control-plane name.
    """

    name: str
    parameters: tuple[str, ...]
    body: Body
    span: Span
    annotations: tuple[Annotation, ...] = ()

    @property
    def control_name(self) -> str:
        """What the control plane calls it: its name, or what @name says where the frontend made a copy of an action."""
        return next((note.body[1:-1] for note in self.annotations if note.name == "name"), self.name)


@dataclass(frozen=True, slots=True)
class Control:
    """A control with everything that it instantiates and calls inlined, except what tables run."""

    name: str
    role: Role
    body: Body
    span: Span


Pipe = Parser | Control


@dataclass(frozen=True, slots=True)
class Bridge:
    """What a packet takes along on one of the architecture's paths ("normal", "resubmit" …): variables and headers,
    elements of stacks too. The pipe before the path writes them, the one behind it finds them as they were."""

    path: str
    variables: tuple[str, ...]
    headers: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class Program:
    """A whole program. `pipes` in the architecture's order. `intrinsics` maps the architecture's own name of each
    intrinsic value ("egress_spec") to the variable that holds it; one that the program cannot name is absent.
    `errors` is the `error` enum, core.p4's members first; `interface` what only the control plane asks for. `bridges`:
    one for each path that carries metadata, on architectures whose pipes do not share theirs."""

    name: str
    architecture: Architecture
    header_types: tuple[HeaderType, ...]
    headers: tuple[Header, ...]
    stacks: tuple[HeaderStack, ...]
    variables: tuple[Variable, ...]
    externs: tuple[ExternInstance, ...]
    value_sets: tuple[ValueSet, ...]
    actions: tuple[Action, ...]
    tables: tuple[Table, ...]
    pipes: tuple[Pipe, ...]
    intrinsics: tuple[tuple[str, str], ...]
    errors: Enum
    span: Span
    interface: Interface = NO_INTERFACE
    bridges: tuple[Bridge, ...] = ()

    @cached_property
    def header_type_of(self) -> Mapping[str, HeaderType]:
        """Header or stack name → its layout."""
        types = {t.name: t for t in self.header_types}
        instances: tuple[Header | HeaderStack, ...] = (*self.headers, *self.stacks)
        return {h.name: types[h.type] for h in instances}

    @cached_property
    def header(self) -> Mapping[str, Header]:
        return {h.name: h for h in self.headers}

    @cached_property
    def stack(self) -> Mapping[str, HeaderStack]:
        return {s.name: s for s in self.stacks}

    @cached_property
    def variable(self) -> Mapping[str, Variable]:
        return {v.name: v for v in self.variables}

    @cached_property
    def extern(self) -> Mapping[str, ExternInstance]:
        return {e.name: e for e in self.externs}

    @cached_property
    def value_set(self) -> Mapping[str, ValueSet]:
        return {v.name: v for v in self.value_sets}

    @cached_property
    def action(self) -> Mapping[str, Action]:
        return {a.name: a for a in self.actions}

    @cached_property
    def table(self) -> Mapping[str, Table]:
        return {t.name: t for t in self.tables}

    @cached_property
    def intrinsic(self) -> Mapping[str, str]:
        return dict(self.intrinsics)

    def pipe(self, role: Role) -> Pipe | None:
        """The parser or control of that role, if the program has one."""
        return next((p for p in self.pipes if p.role is role), None)


CORE_ERRORS = (
    "NoError",
    "PacketTooShort",
    "NoMatch",
    "StackOutOfBounds",
    "HeaderTooShort",
    "ParserTimeout",
    "ParserInvalidArgument",
)
