"""Extern calls → C statements. One small function a method of hlir.externs, found by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from transpiler.analysis.locations import actions_of
from transpiler.codegen.ctypes import c_type, limbs, literal, natural
from transpiler.codegen.expressions import C as CExpression, Expressions, cast, choose, infix, trimmed
from transpiler.codegen.names import Names
from transpiler.codegen.outside import Outside, string
from transpiler.codegen.packing import bytes_of, flattened, has_varbit, pack_dense, pack_padded, pack_varying
from transpiler.codegen.sums import can_be_summed, sum_of
from transpiler.codegen.tables import cite
from transpiler.codegen.views import NOWHERE, OWN_INDEX, BlockView, DigestFieldView, ExternView, Line, Views
from transpiler.hlir.expressions import ElementRef, Expression, FieldRef, Place, Read, Text
from transpiler.hlir.program import ExternInstance, MatchKind, Program, Table
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.traverse import program_statements, walk
from transpiler.hlir.types import Bits, Type, Varbit, width_of
from transpiler.schedule.v1model import preserved_fields, preserved_lists
from transpiler.targets.target import Counter

Assigner = Callable[[Place, CExpression], Views]  # writes a C value to a place

UNITS = {"packets": "MACS_PACKETS", "bytes": "MACS_BYTES", "packets_and_bytes": "MACS_PACKETS_AND_BYTES"}
C_KINDS = {
    "counter": "MACS_COUNTER",
    "direct_counter": "MACS_DIRECT_COUNTER",
    "register": "MACS_REGISTER",
    "digest": "MACS_DIGEST",
    "meter": "MACS_METER",
    "direct_meter": "MACS_DIRECT_METER",
    "action_profile": "MACS_ACTION_PROFILE",
    "action_selector": "MACS_ACTION_SELECTOR",
}


PROFILES = frozenset({"action_profile", "action_selector"})


NO_PAYLOAD = "NULL, 0"


class Externs:
    """The C names, views and calls of a program's extern instances. `sums`: as Optimisations has it."""

    def __init__(self, program: Program, names: Names, sums: bool = True) -> None:
        self.sums = sums
        self.program = program
        self.names = names
        self._tables = {name: table for table in program.tables for name in table.direct}
        self._profiled = {t.implementation: t for t in reversed(program.tables) if t.implementation is not None}
        self.instances = tuple(
            e for e in program.externs if e.kind in C_KINDS and (e.kind not in PROFILES or e.name in self._profiled)
        )
        self.number = {e.name: i for i, e in enumerate(self.instances)}

    def state(self, instance: str) -> str:
        """The C expression for an instance's state."""
        return f"externs[{self.constant(instance)}]"

    def constant(self, instance: str) -> str:
        return self.names(f"{instance}.extern")

    def view(self, extern: ExternInstance) -> ExternView:
        attributes = dict(extern.attributes)
        table = self._tables.get(extern.name)
        size = str(table.size + 1) if table else str(attributes.get("size", 0))
        table = table or self._profiled.get(extern.name)
        fields = self._record(extern.name) if extern.kind == "digest" else ()
        width = int(attributes.get("width", 0)) if extern.kind == "register" else 0
        bits = sum(f.bits for f in fields) if fields else width
        return ExternView(
            name=self.constant(extern.name),
            control_name=Outside(extern.name),
            number=self.number[extern.name],
            kind=C_KINDS[extern.kind],
            size=size,
            bits=bits,
            unit=UNITS.get(str(attributes.get("unit", "")), "0"),
            table=Outside(table.name if table else ""),
            fields=fields,
            initial=_words(int(attributes.get("initial", 0)), bits) if extern.kind == "register" else (),
            cite=cite(extern.span.file, extern.span.line),
        )

    def own(self, counters: tuple[Counter, ...]) -> tuple[ExternView, ...]:
        """Those of the target: macs_target_NAME in C, which no name of a program becomes."""
        return tuple(
            ExternView(
                name=f"macs_target_{counter.name}",
                control_name=Outside(f"target.{counter.name}"),
                number=number,
                kind=C_KINDS["counter"],
                size=str(counter.size),
                bits=0,
                unit=UNITS["packets_and_bytes"],
                table=NOWHERE,
                fields=(),
                initial=(),
                cite=Outside("the target's"),
            )
            for number, counter in enumerate(counters, len(self.instances))
        )

    def _record(self, digest: str) -> tuple[DigestFieldView, ...]:
        """The fields of a digest's record, from its first use."""
        for statement in program_statements(self.program):
            if isinstance(statement, CallExtern) and statement.instance == digest:
                values = flattened(statement.inputs[0])
                given = str(dict(self.program.extern[digest].attributes).get("fields", ""))
                names = given.split(",") if given else [_name_of(v, i) for i, v in enumerate(values)]
                return tuple(DigestFieldView(Outside(n), width_of(v.type)) for n, v in zip(names, values, strict=True))
        return ()

    def call(self, render: Expressions, statement: CallExtern, assign: Assigner, table: str, cite: Outside) -> Views:
        """The statements of a call. `table`: whose action runs, for its `entry`, or empty."""
        return _CALLS[statement.method](Call(self, render, statement, assign, table, cite))

    def owner(self, instance: str) -> str:
        """The table of a direct instance."""
        return self._tables[instance].name

    def own_index(self, instance: str, table: str) -> str:
        """The C of a direct instance's element while an action of `table` runs: the entry that was hit; that of the
        default action where another table's action runs."""
        owner = self._tables[instance]
        if owner.name != table:
            return str(owner.size)
        return OWN_INDEX if owner.implementation is not None else "entry->head.index"

    def colour(self, instance: str) -> str:
        """The C variable for the colour that a direct meter gave when its table was hit."""
        return f"colour_{self.number[instance]}"

    def selection(self, render: Expressions, table: Table, gathered: str = "") -> Views:
        """Leave in `selected` the hash by which a group's member is chosen: of the bytes that `gather` has left."""
        if (instance := self._selector(table)) is None:
            return ()
        algorithm, values = str(instance.attribute("algorithm")), _selector_values(table)
        size = self._packed_bytes(algorithm, values) if gathered else None
        if size is not None:
            lines: Views = ()
            result = CExpression(f"macs_checksum_{algorithm}((struct macs_bytes){{{gathered}, {size}, {NO_PAYLOAD}}})")
        else:
            lines, result = self.hash(render, algorithm, values)
        width = int(instance.attribute("width"))
        chosen = infix(result, "&", CExpression(literal((1 << width) - 1, Bits(width)))) if width < 64 else result
        return (*lines, Line(f"selected = {chosen};"))

    def gather(self, render: Expressions, table: Table, buffer: str) -> tuple[Views, int]:
        """Pack what a group's member is chosen by while other packets' lookups start: bytes that are hashed just after
        they were stored are not there yet. The statements and the number of bytes; none where nothing is packed."""
        if (instance := self._selector(table)) is None:
            return (), 0
        values = _selector_values(table)
        size = self._packed_bytes(str(instance.attribute("algorithm")), values)
        if size is None:
            return (), 0
        clear = (Line(f"memset({buffer}, 0, {size});"),) if _unaligned(values) else ()
        return (*clear, *pack_dense(render, buffer, values)[0]), size

    def _selector(self, table: Table) -> ExternInstance | None:
        """The action selector that a table has."""
        instance = self.program.extern[table.implementation] if table.implementation is not None else None
        return instance if instance is not None and instance.kind == "action_selector" else None

    def _packed_bytes(self, algorithm: str, values: tuple[Expression, ...]) -> int | None:
        """How many bytes the hash is made of; None where nothing is packed."""
        if algorithm == "random" or not values or self._summed(algorithm, values):
            return None
        return bytes_of(sum(width_of(value.type) for value in values))

    def _summed(self, algorithm: str, values: tuple[Expression, ...]) -> bool:
        return self.sums and algorithm == "csum16" and can_be_summed(values)

    def hash(
        self,
        render: Expressions,
        algorithm: str,
        values: tuple[Expression, ...],
        payload: str = NO_PAYLOAD,
        before: CExpression | None = None,
    ) -> tuple[Views, CExpression]:
        """The statements that pack values into `list`, which they declare, or add them up, and their hash, a uint64_t.
        `before`: the hash that it extends."""
        if algorithm == "random":
            return (), CExpression("macs_random_next(worker)")
        if payload == NO_PAYLOAD and self._summed(algorithm, values):
            return sum_of(render, values, before)
        varying = has_varbit(values)
        lines, bits = (pack_varying if varying else pack_dense)(render, "list", values)
        size = bytes_of(bits)
        declare = Line(f"uint8_t list[{max(size, 1)}]{' = {0}' if _unaligned(values) else ''};")
        packed = f"(struct macs_bytes){{list, {'used' if varying else size}, {payload}}}"
        if before is not None:
            return (declare, *lines), CExpression(f"macs_extend_{algorithm}({before}, {packed})")
        return (declare, *lines), CExpression(f"macs_checksum_{algorithm}({packed})")

    def on_hit(self, table: Table, cite: Outside) -> tuple[Views, Views]:
        """What the direct instances of a table that work by themselves declare before, and do on a hit."""
        declared: list[Line] = []
        done: list[Line] = []
        for name in table.direct:
            if not self.program.extern[name].attribute("automatic"):
                continue
            arguments = f"{self.state(name)}, worker, entry->head.index, packet->length"
            if self.program.extern[name].kind == "direct_counter":
                done.append(Line(f"macs_counter_add({arguments});", cite))
            elif any(s.instance == name for s in calls_in_actions(self.program, table)):
                declared.append(Line(f"uint64_t {self.colour(name)} = MACS_NO_COLOUR;"))
                done.append(Line(f"{self.colour(name)} = macs_meter_execute({arguments});", cite))
                done.append(Line(f"(void){self.colour(name)};"))  # an action may read it into what nobody reads
            else:
                done.append(Line(f"macs_meter_execute({arguments});", cite))
        return tuple(declared), tuple(done)


class Call:
    """What a method's function needs."""

    def __init__(
        self, externs: Externs, render: Expressions, statement: CallExtern, assign: Assigner, table: str, cite: Outside
    ) -> None:
        self.externs, self.render, self.statement = externs, render, statement
        self.assign, self.table, self.cite = assign, table, cite

    @property
    def state(self) -> str:
        assert self.statement.instance is not None
        return self.externs.state(self.statement.instance)

    @property
    def own_index(self) -> str:
        assert self.statement.instance is not None
        return self.externs.own_index(self.statement.instance, self.table)

    def input(self, number: int) -> CExpression:
        return self.render(self.statement.inputs[number])

    def amount(self, number: int) -> CExpression:
        return self.render.amount(self.statement.inputs[number])

    def output_type(self) -> Type:
        place = self.statement.outputs[0]
        if isinstance(place, FieldRef):
            owner = self.render.storage.access(place.header).owner
            return self.externs.program.header_type_of[owner].field(place.field).type
        return self.externs.program.variable[place.name].type

    def preserved(self) -> int:
        """The number of the call's list of preserved fields."""
        return preserved_lists(self.externs.program).index(preserved_fields(self.statement))

    def number(self, text: str) -> CExpression:
        """A C integer of 64 bits as a value of the output's type."""
        width = width_of(self.output_type())
        return CExpression(f"macs_w{limbs(width)}_of({text})") if width > 64 else trimmed(CExpression(text), width)

    def assign_output(self, value: CExpression) -> Views:
        """Nothing, where nobody reads the output."""
        return self.assign(self.statement.outputs[0], value)

    def assign_effect(self, value: CExpression) -> Views:
        """Assign the result of a C call that does more: it is made once, also where its result goes nowhere."""
        place = self.statement.outputs[0]
        if isinstance(place, FieldRef) and isinstance(place.header, ElementRef):  # written only where it is in range
            taken = self.assign_output(CExpression("result")) or (Line("(void)result;"),)
            made = Line(f"const {c_type(self.output_type())} result = {value};")
            return (BlockView((made, *taken), "", self.cite),)
        return self.assign_output(value) or (Line(f"(void)({value});", self.cite),)


def _count(call: Call) -> Views:
    return (Line(f"macs_counter_add({call.state}, worker, {call.amount(0)}, packet->length);", call.cite),)


def _count_length(call: Call) -> Views:
    return (Line(f"macs_counter_add({call.state}, worker, {call.amount(0)}, {call.amount(1)});", call.cite),)


def _count_direct(call: Call) -> Views:
    return (Line(f"macs_counter_add({call.state}, worker, {call.own_index}, packet->length);", call.cite),)


def _count_direct_length(call: Call) -> Views:
    return (Line(f"macs_counter_add({call.state}, worker, {call.own_index}, {call.amount(0)});", call.cite),)


def _execute_meter(call: Call) -> Views:
    return call.assign_effect(
        call.number(f"macs_meter_execute({call.state}, worker, {call.amount(0)}, packet->length)")
    )


def _execute_aware(call: Call) -> Views:
    inputs = ", ".join(str(call.amount(i)) for i in range(3))
    return call.assign_effect(call.number(f"macs_meter_execute_aware({call.state}, worker, {inputs})"))


def _execute_direct_aware(call: Call) -> Views:
    inputs = f"{call.own_index}, {call.amount(0)}, {call.amount(1)}"
    return call.assign_effect(call.number(f"macs_meter_execute_aware({call.state}, worker, {inputs})"))


def _read_direct_meter(call: Call) -> Views:
    instance = call.statement.instance
    assert instance is not None
    before, place = call.statement.inputs[0], call.statement.outputs[0]
    if (
        call.externs.owner(instance) != call.table
    ):  # an action that several tables share: it has not run for the meter's
        return () if isinstance(before, Read) and before.place == place else call.assign_output(call.input(0))
    colour = call.externs.colour(instance)
    missed = infix(CExpression(colour), "==", CExpression("MACS_NO_COLOUR"))
    return call.assign_output(choose(missed, call.input(0), call.number(colour)))


def _execute_direct_meter(call: Call) -> Views:
    executed = f"macs_meter_execute({call.state}, worker, {call.own_index}, packet->length)"
    return call.assign_effect(call.number(executed))


def _read_register(call: Call) -> Views:
    type_ = call.output_type()
    width = width_of(type_)
    read = f"macs_register_read({call.state}, {call.amount(0)}, value);"
    if width > 64:
        value = CExpression(f"macs_w{limbs(width)}_resize(value, {limbs(width)}, {width})")
    else:
        value = trimmed(CExpression("value[0]"), width)
    return (
        BlockView(
            (Line(f"uint64_t value[{limbs(width)}] = {{0}};"), Line(read), *call.assign_output(value)), "", call.cite
        ),
    )


def _write_register(call: Call) -> Views:
    value = call.input(1)
    if width_of(call.statement.inputs[1].type) > 64:
        return (Line(f"macs_register_write({call.state}, {call.amount(0)}, ({value}).limb);", call.cite),)
    words = f"(const uint64_t[]){{{value}}}"
    return (Line(f"macs_register_write({call.state}, {call.amount(0)}, {words});", call.cite),)


def _hash(call: Call, payload: str = NO_PAYLOAD) -> Views:
    algorithm = call.statement.inputs[0]
    assert isinstance(algorithm, Text)
    if not call.assign_output(CExpression("0")):
        return ()  # nobody reads it, so nothing that it is made of is read here either
    lines, result = call.externs.hash(call.render, algorithm.value, flattened(call.statement.inputs[1]), payload)
    return _assign_hash(call, lines, result)


def _extend_hash(call: Call) -> Views:
    algorithm = call.statement.inputs[0]
    assert isinstance(algorithm, Text)
    values = flattened(call.statement.inputs[2])
    return _assign_hash(call, *call.externs.hash(call.render, algorithm.value, values, before=call.amount(1)))


def _assign_hash(call: Call, lines: Views, result: CExpression) -> Views:
    width = width_of(call.output_type())
    if width > 64:
        value = CExpression(f"macs_w{limbs(width)}_of({result})")
    else:
        value = trimmed(result, width) if width < 64 else cast(f"uint{natural(width)}_t", result)
    return (BlockView((*lines, *call.assign_output(value)), "", call.cite),)


def _hash_with_payload(call: Call) -> Views:
    return _hash(call, "packet->data + packet->payload_offset, packet->length - packet->payload_offset")


def _random(call: Call) -> Views:
    value = CExpression(f"macs_random_range(worker, {call.input(0)}, {call.input(1)})")
    return call.assign_effect(trimmed(value, width_of(call.output_type())))


def _digest(call: Call) -> Views:
    lines, size = pack_padded(call.render, "list", flattened(call.statement.inputs[0]))
    send = Line(f"macs_digest_send({call.state}, list, {size});")
    return (BlockView((Line(f"uint8_t list[{max(size, 1)}];"), *lines, send), "", call.cite),)


def _log(call: Call) -> Views:
    values = flattened(call.statement.inputs[1])
    texts = [f"({call.render(v)}).limb[0]" if width_of(v.type) > 64 else call.render(v).text for v in values]
    array = f"(const uint64_t[]){{{', '.join(texts)}}}" if texts else "NULL"
    return (Line(f"macs_log_message(worker, {call.input(0)}, {array}, {len(texts)});", call.cite),)


def _assert(call: Call) -> Views:
    return (Line(f"if (!({call.input(0)})) macs_assert_failed(worker, {string(call.cite)});", call.cite),)


def _request_clone(call: Call) -> Views:
    kind = call.statement.method.partition(".")[2]
    session, fields = call.amount(0), call.preserved()
    return (Line(f"macs_request_clone_{kind}(packet, {session}, {fields});", call.cite),)


def _request_again(call: Call) -> Views:
    kind = call.statement.method.partition(".")[0]
    return (Line(f"macs_request_{kind}(packet, {call.preserved()});", call.cite),)


def _request_truncate(call: Call) -> Views:
    return (Line(f"macs_request_truncate(packet, {call.amount(0)});", call.cite),)


def _request_cipher(call: Call) -> Views:
    kind = call.statement.method.partition(".")[2].upper()
    key, iv = (
        Line(f"{c_type(type_)}_store(macs_cipher_request_of(packet)->{part}, 0, {width_of(type_)}, {call.input(i)});")
        for i, (part, type_) in enumerate(zip(("key", "iv"), (x.type for x in call.statement.inputs), strict=True))
    )
    return (Line(f"macs_request_cipher(packet, MACS_{kind});", call.cite), key, iv)


_CALLS: dict[str, Callable[[Call], Views]] = {
    "counter.count": _count,
    "counter.count_length": _count_length,
    "direct_counter.count_length": _count_direct_length,
    "meter.execute_aware": _execute_aware,
    "direct_meter.execute": _execute_direct_meter,
    "direct_meter.execute_aware": _execute_direct_aware,
    "hash.extend": _extend_hash,
    "direct_counter.count": _count_direct,
    "meter.execute": _execute_meter,
    "direct_meter.read": _read_direct_meter,
    "register.read": _read_register,
    "register.write": _write_register,
    "hash.compute": _hash,
    "hash.compute_with_payload": _hash_with_payload,
    "random.range": _random,
    "digest.send": _digest,
    "log.message": _log,
    "assert.check": _assert,
    "clone.ingress": _request_clone,
    "clone.egress": _request_clone,
    "resubmit.request": _request_again,
    "recirculate.request": _request_again,
    "truncate.request": _request_truncate,
    "cipher.encrypt": _request_cipher,
    "cipher.decrypt": _request_cipher,
}


def _words(value: int, bits: int) -> tuple[str, ...]:
    """A number as C words of 64 bits, least significant first; none of zero."""
    return tuple(f"UINT64_C({value >> at & (1 << 64) - 1:#x})" for at in range(0, bits, 64)) if value else ()


def calls_in_actions(program: Program, table: Table) -> Iterator[CallExtern]:
    """The extern calls of the actions that a table may run."""
    for action in actions_of(program, table.name):
        for statement in walk(action.body):
            if isinstance(statement, CallExtern):
                yield statement


def _selector_values(table: Table) -> tuple[Expression, ...]:
    return tuple(key.expression for key in table.keys if key.match_kind is MatchKind.SELECTOR)


def _unaligned(values: tuple[Expression, ...]) -> bool:
    """Whether one does not fill whole bytes: the bits beside it are read when it is stored."""
    return any(not isinstance(value.type, Varbit) and width_of(value.type) % 8 for value in values)


def _name_of(value: Expression, number: int) -> str:
    """A control-plane name for a digest's field: that of what it is read from."""
    if isinstance(value, Read):
        return value.place.field if isinstance(value.place, FieldRef) else value.place.name.rpartition(".")[2]
    return f"field{number}"
