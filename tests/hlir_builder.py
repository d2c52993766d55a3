"""HLIR programs for tests, without a frontend: a little vocabulary and a builder of v1model programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Bool, Enum, Field, HeaderType, Type, Varbit
from transpiler.verifier import verify

AT = Span("t.p4", 1, 1)
ERRORS = Enum("error", pr.CORE_ERRORS)
STANDARD: dict[str, Type] = {
    "ingress_port": Bits(9),
    "egress_spec": Bits(9),
    "egress_port": Bits(9),
    "instance_type": Bits(32),
    "packet_length": Bits(32),
    "mcast_grp": Bits(16),
    "egress_rid": Bits(16),
    "checksum_error": Bits(1),
    "parser_error": ERRORS,
    "ingress_global_timestamp": Bits(48),
    "egress_global_timestamp": Bits(48),
}


def const(value: int, width: int, signed: bool = False) -> ex.Const:
    return ex.Const(value, Bits(width, signed), AT)


def true() -> ex.Const:
    return ex.Const(1, Bool(), AT)


def h(name: str) -> ex.HeaderRef:
    return ex.HeaderRef(name, AT)


def any_() -> ex.AnySet:
    return ex.AnySet(AT)


def exact(value: int, width: int) -> ex.ExactSet:
    return ex.ExactSet(const(value, width), AT)


def binary(op: str, left: ex.Expression, right: ex.Expression, type_: Type | None = None) -> ex.Binary:
    operator = ex.BinaryOp(op)
    result = type_ or (Bool() if operator in ex.COMPARISONS or op in ("&&", "||") else left.type)
    return ex.Binary(operator, left, right, result, AT)


def if_(condition: ex.Expression, then: Sequence[st.Statement], otherwise: Sequence[st.Statement] = ()) -> st.If:
    return st.If(condition, tuple(then), tuple(otherwise), AT)


def valid(name: str) -> ex.IsValid:
    return ex.IsValid(h(name), AT)


def extract(name: str, varbit: ex.Expression | None = None) -> st.Extract:
    return st.Extract(h(name), varbit, AT)


def emit(name: str) -> st.Emit:
    return st.Emit(h(name), AT)


def apply(table: str, hit: str | None = None, action: str | None = None) -> st.ApplyTable:
    refs = [ex.VariableRef(n, AT) if n else None for n in (hit, action)]
    return st.ApplyTable(table, refs[0], refs[1], AT)


def goto(state: str) -> pr.Goto:
    return pr.Goto(state, AT)


def select(subject: ex.Expression, *cases: tuple[ex.KeySet, str]) -> pr.Select:
    return pr.Select((subject,), tuple(pr.SelectCase((k,), s, AT) for k, s in cases), AT)


def state(name: str, body: Sequence[st.Statement], transition: pr.Goto | pr.Select) -> pr.ParserState:
    return pr.ParserState(name, tuple(body), transition, AT)


@dataclass
class Builder:
    """Collects declarations; `build` makes a verified program of them. Standard metadata are there from the start."""

    header_types: dict[str, HeaderType] = field(default_factory=dict)
    headers: list[pr.Header] = field(default_factory=list)
    stacks: list[pr.HeaderStack] = field(default_factory=list)
    variables: dict[str, pr.Variable] = field(default_factory=dict)
    externs: list[pr.ExternInstance] = field(default_factory=list)
    value_sets: list[pr.ValueSet] = field(default_factory=list)
    actions: list[pr.Action] = field(default_factory=list)
    tables: list[pr.Table] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, type_ in STANDARD.items():
            self.variable(f"sm.{name}", type_, pr.Storage.INTRINSIC)
        self.action("NoAction")

    def header(self, name: str, type_name: str, local: bool = False, **fields: int | Type) -> None:
        """A header; the fields are given with the first header of a type: widths in bits, or types."""
        if fields:
            made = tuple(Field(n, Bits(t) if isinstance(t, int) else _field(t), AT) for n, t in fields.items())
            self.header_types[type_name] = HeaderType(type_name, made, AT)
        self.headers.append(pr.Header(name, type_name, AT, local))

    def stack(self, name: str, type_name: str, size: int, **fields: int | Type) -> None:
        self.stacks.append(pr.HeaderStack(name, type_name, size, AT))
        for index in range(size):
            self.header(f"{name}[{index}]", type_name, **(fields if index == 0 else {}))

    def variable(self, name: str, type_: Type | int, storage: pr.Storage = pr.Storage.METADATA) -> None:
        self.variables[name] = pr.Variable(name, Bits(type_) if isinstance(type_, int) else type_, storage, AT)

    def extern(self, name: str, kind: str, **attributes: int | str) -> None:
        self.externs.append(pr.ExternInstance(name, kind, tuple(attributes.items()), AT))

    def action(self, name: str, *body: st.Statement, **parameters: int | Type) -> None:
        names = tuple(f"{name}.{p}" for p in parameters)
        for full, type_ in zip(names, parameters.values(), strict=True):
            self.variable(full, type_, pr.Storage.ACTION_DATA)
        self.actions.append(pr.Action(name, names, body, AT))

    def table(
        self,
        name: str,
        keys: Sequence[tuple[str, str] | tuple[ex.Expression, str, str]],
        actions: Sequence[str],
        default: str = "NoAction",
        entries: Sequence[pr.TableEntry] = (),
        *,
        size: int = 64,
        const_entries: bool = False,
        const_default: bool = False,
        implementation: str | None = None,
        direct: Sequence[str] = (),
    ) -> None:
        """Keys are (place, match kind) or (expression, match kind, name)."""
        made = []
        for key in keys:
            expression, kind = (self.get(key[0]) if isinstance(key[0], str) else key[0]), key[1]
            named = key[2] if len(key) == 3 else key[0]
            made.append(pr.TableKey(expression, pr.MatchKind(kind), str(named), AT))
        uses = tuple(pr.ActionUse(a, AT) for a in dict.fromkeys((*actions, default)))
        call = pr.ActionCall(default, (), AT)
        self.tables.append(
            pr.Table(
                name, tuple(made), uses, call, const_default, tuple(entries), const_entries, size, implementation,
                tuple(direct), AT,
            )
        )  # fmt: skip

    def entry(
        self, keys: Sequence[ex.KeySet], action: str, arguments: Sequence[int] = (), priority: int = 0
    ) -> pr.TableEntry:
        parameters = next(a.parameters for a in self.actions if a.name == action)
        values = tuple(ex.Const(v, self.variables[p].type, AT) for v, p in zip(arguments, parameters, strict=True))
        return pr.TableEntry(tuple(keys), pr.ActionCall(action, values, AT), priority, AT)

    # --- places ------------------------------------------------------------------------------------------------------

    def place(self, name: str) -> ex.Place:
        """A variable, or header and field."""
        if name in self.variables:
            return ex.VariableRef(name, AT)
        header, part = name.rsplit(".", 1)
        return ex.FieldRef(h(header), part, AT)

    def type_of(self, name: str) -> Type:
        if name in self.variables:
            return self.variables[name].type
        header, part = name.rsplit(".", 1)
        layout = next(x.type for x in self.headers if x.name == header)
        return self.header_types[layout].field(part).type

    def get(self, name: str) -> ex.Read:
        return ex.Read(self.place(name), self.type_of(name), AT)

    def set(self, name: str, value: ex.Expression | int) -> st.Assign:
        type_ = self.type_of(name)
        return st.Assign(self.place(name), ex.Const(value, type_, AT) if isinstance(value, int) else value, AT)

    def call(
        self,
        method: str,
        instance: str | None,
        *inputs: ex.Expression,
        out: str | None = None,
        fields: Sequence[str] = (),
    ) -> st.CallExtern:
        outputs = (self.place(out),) if out else ()
        return st.CallExtern(method, instance, inputs, outputs, AT, tuple(self.place(f) for f in fields))

    def values(self, *names: str) -> ex.ListExpression:
        return ex.ListExpression(tuple(self.get(n) for n in names), AT)

    # --- the program -------------------------------------------------------------------------------------------------

    def build(
        self,
        parser: Sequence[pr.ParserState],
        ingress: Sequence[st.Statement] = (),
        egress: Sequence[st.Statement] = (),
        deparser: Sequence[st.Statement] = (),
        verify_checksum: Sequence[st.Statement] = (),
        compute_checksum: Sequence[st.Statement] = (),
    ) -> pr.Program:
        """The program, verified."""
        controls = (
            ("VerifyChecksum", pr.Role.VERIFY_CHECKSUM, verify_checksum),
            ("Ingress", pr.Role.INGRESS, ingress),
            ("Egress", pr.Role.EGRESS, egress),
            ("ComputeChecksum", pr.Role.COMPUTE_CHECKSUM, compute_checksum),
            ("Deparser", pr.Role.DEPARSER, deparser),
        )
        program = pr.Program(
            name="t",
            architecture=pr.Architecture.V1MODEL,
            header_types=tuple(self.header_types.values()),
            headers=tuple(self.headers),
            stacks=tuple(self.stacks),
            variables=tuple(self.variables.values()),
            externs=tuple(self.externs),
            value_sets=tuple(self.value_sets),
            actions=tuple(self.actions),
            tables=tuple(self.tables),
            pipes=(
                pr.Parser("Parser", pr.Role.PARSER, tuple(parser), AT),
                *(pr.Control(name, role, tuple(body), AT) for name, role, body in controls),
            ),
            intrinsics=tuple((name, f"sm.{name}") for name in STANDARD),
            errors=ERRORS,
            span=AT,
        )
        verify(program)
        return program


def _field(type_: Type) -> Bits | Varbit:
    assert isinstance(type_, Bits | Varbit)
    return type_
