"""P4Info of an HLIR program. P4Runtime spec 1.4 section 6, p4info.proto.

Objects come in the order of the program. What is @hidden is left out, and references to it as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir import interface as it, program as pr, statements as st
from transpiler.hlir.traverse import program_statements
from transpiler.hlir.types import Bits, Bool, Enum, Type, width_of
from transpiler.p4info import annotations as notes, ids, package, types
from transpiler.p4info.ids import Kind, Named
from transpiler.p4info.messages import Message, enum_value, message_class

_EXTERN_KINDS = {
    "counter": Kind.COUNTER,
    "direct_counter": Kind.DIRECT_COUNTER,
    "meter": Kind.METER,
    "direct_meter": Kind.DIRECT_METER,
    "register": Kind.REGISTER,
    "digest": Kind.DIGEST,
    "action_profile": Kind.ACTION_PROFILE,
    "action_selector": Kind.ACTION_PROFILE,
}
_UNITS = {"packets": "PACKETS", "bytes": "BYTES", "packets_and_bytes": "BOTH"}
_MATCH_TYPES = {
    pr.MatchKind.EXACT: "EXACT",
    pr.MatchKind.VALID: "EXACT",
    pr.MatchKind.LPM: "LPM",
    pr.MatchKind.TERNARY: "TERNARY",
    pr.MatchKind.RANGE: "RANGE",
    pr.MatchKind.OPTIONAL: "OPTIONAL",
}
_PROFILE_NOTES = frozenset({"max_group_size", "selector_size_semantics", "max_member_weight"})


def build(program: pr.Program, diagnostics: Diagnostics) -> Message:
    """The P4Info message. Raises: Rejected when an annotation for the control plane makes no sense."""
    info = _Builder(program, diagnostics).build()
    diagnostics.raise_if_errors()
    return info


class _Builder:
    """One program's message under construction."""

    def __init__(self, program: pr.Program, diagnostics: Diagnostics) -> None:
        self.program = program
        self.diagnostics = diagnostics
        self.info = message_class("P4Info")()
        self.tables = self._applied_tables()
        self.actions = self._distinct_actions()
        self.direct = {name: table for table in self.tables for name in table.direct}
        self.externs = [e for e in program.externs if not notes.hidden(e.annotations) and self._reachable(e)]
        self.definitions = {d.name: d for d in program.interface.definitions}
        named = list(self._named())
        self.ids = ids.assign(named, diagnostics)
        self.aliases = ids.aliases(item.name for item in named)
        self.parameter_ids = {
            name: ids.assign_fields([p.annotations for p in self._parameters(action)], diagnostics)
            for name, action in self.actions.items()
        }

    def _distinct_actions(self) -> dict[str, pr.Action]:
        """Control-plane name → action; one that is bound differently in several tables is one action to a controller."""
        used = {use.action for table in self.tables for use in table.actions}
        called = self.program.interface.called_actions
        actions: dict[str, pr.Action] = {}
        for action in (
            *(a for a in self.program.actions if a.name in used),
            *(pr.Action(a.name, (), (), a.span, a.annotations) for a in called),
        ):
            if not notes.hidden(action.annotations):
                actions.setdefault(action.control_name, action)
        return actions

    def _applied_tables(self) -> list[pr.Table]:
        """Tables that packets may meet: others are not in the switch either."""
        statements = program_statements(self.program)
        applied = {statement.table for statement in statements if isinstance(statement, st.ApplyTable)}
        return [t for t in self.program.tables if t.name in applied and not notes.hidden(t.annotations)]

    def _reachable(self, instance: pr.ExternInstance) -> bool:
        """A direct resource is there if its table is."""
        if instance.kind not in _EXTERN_KINDS:
            return False  # P4Info has no form for it
        return not instance.kind.startswith("direct_") or instance.name in self.direct

    def _named(self) -> Iterator[Named]:
        for table in self.tables:
            yield Named(Kind.TABLE, table.name, table.annotations, table.span)
        for name, action in self.actions.items():
            yield Named(Kind.ACTION, name, action.annotations, action.span)
        for instance in self.externs:
            yield Named(_EXTERN_KINDS[instance.kind], instance.name, instance.annotations, instance.span)
        for value_set in self.program.value_sets:
            if not notes.hidden(value_set.annotations):
                yield Named(Kind.VALUE_SET, value_set.name, value_set.annotations, value_set.span)
        for header in self.program.interface.controller_headers:
            if not notes.hidden(header.annotations):
                yield Named(Kind.CONTROLLER_HEADER, header.type, header.annotations, header.span)

    def build(self) -> Message:
        package.fill(self.info.pkg_info, self.program, self.diagnostics)
        for table in self.tables:
            self._table(table)
        for name, action in self.actions.items():
            self._action(name, action)
        for instance in self.externs:
            self._extern(instance)
        for value_set in self.program.value_sets:
            if not notes.hidden(value_set.annotations):
                self._value_set(value_set)
        for header in self.program.interface.controller_headers:
            if not notes.hidden(header.annotations):
                self._controller_header(header)
        types.fill(self.info.type_info, self.program, self.diagnostics)
        return self.info

    def _preamble(
        self, message: Message, kind: Kind, name: str, annotations: tuple[it.Annotation, ...], *without: str
    ) -> None:
        message.id = self.ids[kind, name]
        message.name = name
        message.alias = self.aliases[name]
        notes.add(message, annotations, without)
        notes.document(message, annotations)

    # --- tables and actions ------------------------------------------------------------------------------------------

    def _table(self, table: pr.Table) -> None:
        message = self.info.tables.add()
        ours = (pr.SUPPORT_TIMEOUT, pr.ADD_ON_MISS, pr.AUTO_DELETE)
        self._preamble(message.preamble, Kind.TABLE, table.name, table.annotations, *ours)
        self._match_fields(message, table)
        for use in table.actions:
            name = self.program.action[use.action].control_name
            if name in self.actions:
                self._action_ref(message.action_refs.add(), name, use)
        self._default_action(message, table)
        profile = self.program.extern[table.implementation] if table.implementation else None
        if profile is not None and not notes.hidden(profile.annotations):
            message.implementation_id = self.ids[_EXTERN_KINDS[profile.kind], profile.name]
        for direct in (self.program.extern[name] for name in table.direct):
            if not notes.hidden(direct.annotations):
                message.direct_resource_ids.append(self.ids[_EXTERN_KINDS[direct.kind], direct.name])
        message.size = table.size
        timeout = notes.find(table.annotations, "support_timeout")
        if timeout is not None and notes.text(timeout) != "false":
            message.idle_timeout_behavior = enum_value("Table.IdleTimeoutBehavior", "NOTIFY_CONTROL")
        message.is_const_table = table.const_entries
        message.has_initial_entries = bool(table.entries)

    def _match_fields(self, message: Message, table: pr.Table) -> None:
        numbers = ids.assign_fields([key.annotations for key in table.keys], self.diagnostics)
        for key, number in zip(table.keys, numbers, strict=True):
            if key.match_kind is pr.MatchKind.SELECTOR:
                continue
            field = message.match_fields.add()
            field.id = number
            field.name = _key_name(key)
            self._match(field, key.match_kind, key.annotations)
            self._typed(field, key.expression.type, key.type_name)

    def _match(self, field: Message, kind: pr.MatchKind, annotations: tuple[it.Annotation, ...], *without: str) -> None:
        field.match_type = enum_value("MatchField.MatchType", _MATCH_TYPES[kind])
        notes.add(field, annotations, without)
        notes.document(field, annotations)

    def _typed(self, message: Message, type_: Type, type_name: str, enums: bool = False) -> None:
        """bitwidth and type_name. Values of a translated type have the width that the controller sees, strings none.

        An error has no width either; nor, where `enums` says so, has an enum, but its name.
        """
        definition = self.definitions.get(type_name)
        width = 0 if type_ == self.program.errors else width_of(type_)
        match definition:
            case it.NewTypeDefinition():
                message.type_name.name = type_name
                translated = types.translation(definition, self.diagnostics)
                width = translated[1] if translated else width
            case it.EnumDefinition() if enums and isinstance(type_, Enum):
                message.type_name.name = type_name
                width = 0
        message.bitwidth = width

    def _action_ref(self, message: Message, name: str, use: pr.ActionUse) -> None:
        message.id = self.ids[Kind.ACTION, name]
        scope = "TABLE_ONLY" if use.table_only else "DEFAULT_ONLY" if use.default_only else "TABLE_AND_DEFAULT"
        message.scope = enum_value("ActionRef.Scope", scope)
        notes.add(message, use.annotations)

    def _default_action(self, message: Message, table: pr.Table) -> None:
        call = table.default_action
        name = self.program.action[call.action].control_name
        if name not in self.actions:
            return
        number = self.ids[Kind.ACTION, name]
        if table.const_default:
            message.const_default_action_id = number
        message.initial_default_action.action_id = number
        for parameter, value in zip(self.parameter_ids[name], call.arguments, strict=True):
            argument = message.initial_default_action.arguments.add()
            argument.param_id = parameter
            argument.value = types.octets(value.value)

    def _parameters(self, action: pr.Action) -> list[pr.Variable]:
        return [self.program.variable[name] for name in action.parameters]

    def _action(self, name: str, action: pr.Action) -> None:
        message = self.info.actions.add()
        self._preamble(message.preamble, Kind.ACTION, name, action.annotations)
        for parameter, number in zip(self._parameters(action), self.parameter_ids[name], strict=True):
            field = message.params.add()
            field.id = number
            field.name = parameter.name.removeprefix(f"{action.name}.")
            self._typed(field, parameter.type, parameter.type_name, enums=True)
            notes.add(field, parameter.annotations)
            notes.document(field, parameter.annotations)

    # --- externs -----------------------------------------------------------------------------------------------------

    def _extern(self, instance: pr.ExternInstance) -> None:
        match _EXTERN_KINDS[instance.kind]:
            case Kind.ACTION_PROFILE:
                self._profile(instance)
            case Kind.COUNTER | Kind.METER as kind:
                message = self._counter_like(instance, kind)
                self._indexed(message, instance)
            case Kind.DIRECT_COUNTER | Kind.DIRECT_METER as kind:
                message = self._counter_like(instance, kind)
                message.direct_table_id = self.ids[Kind.TABLE, self.direct[instance.name].name]
            case Kind.REGISTER:
                message = self.info.registers.add()
                self._preamble(message.preamble, Kind.REGISTER, instance.name, instance.annotations)
                self._indexed(message, instance)
                types.data_spec(message.type_spec, instance.data or Bits(int(instance.attribute("width"))))
            case Kind.DIGEST:
                message = self.info.digests.add()
                self._preamble(message.preamble, Kind.DIGEST, instance.name, instance.annotations)
                types.data_spec(message.type_spec, instance.data or self._record(instance))

    def _indexed(self, message: Message, instance: pr.ExternInstance) -> None:
        message.size = instance.attribute("size")
        if instance.index_type:
            message.index_type_name.name = instance.index_type

    def _counter_like(self, instance: pr.ExternInstance, kind: Kind) -> Message:
        message = getattr(self.info, f"{kind.name.lower()}s").add()
        self._preamble(message.preamble, kind, instance.name, instance.annotations)
        spec = "MeterSpec" if "meter" in instance.kind else "CounterSpec"
        message.spec.unit = enum_value(f"{spec}.Unit", _UNITS[str(instance.attribute("unit"))])
        return message

    def _profile(self, instance: pr.ExternInstance) -> None:
        message = self.info.action_profiles.add()
        self._preamble(message.preamble, Kind.ACTION_PROFILE, instance.name, instance.annotations, *_PROFILE_NOTES)
        message.size = instance.attribute("size")
        message.table_ids.extend(
            self.ids[Kind.TABLE, table.name] for table in self.tables if table.implementation == instance.name
        )
        message.with_selector = instance.kind == "action_selector"
        given = {name: note for name in _PROFILE_NOTES if (note := notes.find(instance.annotations, name)) is not None}
        if not message.with_selector:
            for note in given.values():
                self.diagnostics.warning(note.span, "annotation", f"@{note.name} is for action selectors")
            return
        if "max_group_size" in given:
            message.max_group_size = self._number(given["max_group_size"])
        if "selector_size_semantics" in given:
            self._size_semantics(message, given["selector_size_semantics"])
        if "max_member_weight" in given:
            if message.HasField("sum_of_members"):
                message.sum_of_members.max_member_weight = self._number(given["max_member_weight"])
            else:
                note = given["max_member_weight"]
                self.diagnostics.warning(note.span, "annotation", f'@{note.name} needs "sum_of_members" as semantics')

    def _size_semantics(self, message: Message, note: it.Annotation) -> None:
        semantics = notes.text(note).lower()
        if semantics in ("sum_of_weights", "sum_of_members"):
            getattr(message, semantics).SetInParent()
        else:
            self.diagnostics.error(note.span, f'@{note.name} is "sum_of_weights" or "sum_of_members"')

    def _number(self, note: it.Annotation) -> int:
        value = notes.number(note)
        if value is None or not 0 <= value < 1 << 31:
            self.diagnostics.error(note.span, f"@{note.name} is a number from 0 to 2**31 - 1")
            return 0
        return value

    def _record(self, instance: pr.ExternInstance) -> it.TupleType:
        """The record of a digest that has no P4 type: a tuple of what is sent."""
        for statement in program_statements(self.program):
            if isinstance(statement, st.CallExtern) and statement.instance == instance.name:
                items = getattr(statement.inputs[0], "items", ())
                return it.TupleType(tuple(_scalar(item.type) for item in items))
        return it.TupleType(())

    # --- fields ------------------------------------------------------------------------------------------------------

    def _value_set(self, value_set: pr.ValueSet) -> None:
        message = self.info.value_sets.add()
        self._preamble(message.preamble, Kind.VALUE_SET, value_set.name, value_set.annotations)
        message.size = value_set.size
        fields = value_set.fields or tuple(_unnamed(value_set.types, value_set.span))
        numbers = ids.assign_fields([field.annotations for field in fields], self.diagnostics)
        for field, number, type_, kind in zip(fields, numbers, value_set.types, value_set.match_kinds, strict=True):
            match = message.match.add()
            match.id = number
            match.name = field.name
            self._match(match, kind, field.annotations, "match")
            self._typed(match, type_, field.type_name)

    def _controller_header(self, header: it.ControllerHeader) -> None:
        """Its name and alias are what @controller_header says, so that controllers find "packet_in" and "packet_out"."""
        message = self.info.controller_packet_metadata.add()
        self._preamble(message.preamble, Kind.CONTROLLER_HEADER, header.type, header.annotations)
        message.preamble.name = message.preamble.alias = header.name
        numbers = ids.assign_fields([field.annotations for field in header.fields], self.diagnostics)
        for field, number in zip(header.fields, numbers, strict=True):
            if notes.hidden(field.annotations):
                continue
            metadata = message.metadata.add()
            metadata.id = number
            metadata.name = field.name
            self._typed(metadata, Bits(field.width), field.type_name)
            notes.add(metadata, field.annotations)


def _key_name(key: pr.TableKey) -> str:
    """Its name; controllers know the validity of a header as `hdr.$valid$`, as p4c spells it."""
    name = key.name.removesuffix(".isValid()")
    return f"{name}.$valid$" if name != key.name or key.match_kind is pr.MatchKind.VALID else name


def _unnamed(all_types: Iterable[Type], span: Span) -> Iterator[it.InterfaceField]:
    return (it.InterfaceField("", width_of(type_), span) for type_ in all_types)


def _scalar(type_: Type) -> it.DataType:
    return type_ if isinstance(type_, Bits | Bool) else Bits(width_of(type_))
