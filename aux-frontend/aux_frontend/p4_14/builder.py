"""The HLIR declarations that elaboration makes as it goes: variables, headers, intrinsics, extern instances."""

from __future__ import annotations

from dataclasses import dataclass, field

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.scope import FieldInfo, InstanceInfo, Layout, Scope
from aux_frontend.v1model.intrinsics import INTRINSICS, STANDARD
from aux_frontend.v1model.variables import new_variable, shared_variable
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr
from transpiler.hlir.arithmetic import stored
from transpiler.hlir.types import Bits, Bool, Enum, Field, HeaderType, Type, Varbit

ERRORS = Enum("error", pr.CORE_ERRORS)
INDEX = Bits(32)  # of stack elements and of lookups in counters, meters and registers


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a field lives: `declared` is what the program calls its type, `stored` what the place holds."""

    place: ex.Place
    stored: Bits | Varbit
    declared: Bits | Varbit
    saturating: bool


@dataclass
class Builder:
    """Grows while declarations are elaborated; `unsupported` is what `load` must refuse although the language has it."""

    scope: Scope
    variables: dict[str, pr.Variable] = field(default_factory=dict)
    externs: dict[str, pr.ExternInstance] = field(default_factory=dict)
    intrinsics: dict[str, str] = field(default_factory=dict)
    unsupported: list[tuple[Span, str]] = field(default_factory=list)
    statements: int = 0  # made so far by expanding calls, to stop programs that expand without end
    _slots: dict[tuple[str, str], Slot] = field(default_factory=dict)

    # --- variables ---------------------------------------------------------------------------------------------------

    def variable(self, name: str, type_: Type, storage: pr.Storage, span: Span) -> ex.VariableRef:
        """A new variable of that name, or of a name like it when it is taken."""
        return new_variable(self.variables, name, type_, storage, span)

    def shared(self, name: str, type_: Type, storage: pr.Storage, span: Span) -> ex.VariableRef:
        """The one variable of that name, made when it is first asked for. `name` has a `$`, which no P4-14 name has."""
        return shared_variable(self.variables, name, type_, storage, span)

    def intrinsic(self, name: str, type_: Type, span: Span) -> ex.VariableRef:
        """The intrinsic value of that architecture name, also when the program does not name it."""
        if name not in self.intrinsics:
            spelled = next((key for key, value in INTRINSICS.items() if value[0] == name), (STANDARD, name))
            variable = self.variable(".".join(spelled), type_, pr.Storage.INTRINSIC, span)
            self.intrinsics[name] = variable.name
        return ex.VariableRef(self.intrinsics[name], span)

    # --- fields ------------------------------------------------------------------------------------------------------

    def metadata_slot(self, instance: InstanceInfo, info: FieldInfo) -> Slot:
        """The variable of a metadata field: an intrinsic one, or one of the program's own."""
        key = (instance.name, info.name)
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = self._new_slot(instance, info)
        return slot

    def _new_slot(self, instance: InstanceInfo, info: FieldInfo) -> Slot:
        intrinsic = INTRINSICS.get((instance.name, info.name))
        if intrinsic is not None:
            place = self.intrinsic(intrinsic[0], intrinsic[1], info.span)
            return Slot(place, intrinsic[1], info.type, info.saturating)
        place = self.variable(f"{instance.name}.{info.name}", info.type, pr.Storage.METADATA, info.span)
        return Slot(place, info.type, info.type, info.saturating)

    def header_slot(self, header: ex.HeaderPlace, info: FieldInfo, span: Span) -> Slot:
        return Slot(ex.FieldRef(header, info.name, span), info.type, info.type, info.saturating)

    # --- declarations from the scope ---------------------------------------------------------------------------------

    def declare_metadata(self) -> None:
        """All metadata fields, so that they are numbered in the order of the program."""
        for instance in self.scope.metadata.values():
            if instance.name != STANDARD:
                for info in instance.layout.fields.values():
                    self.metadata_slot(instance, info)
        standard = self.scope.metadata[STANDARD]
        for name in ("ingress_port", "egress_spec", "egress_port", "instance_type", "packet_length"):
            self.metadata_slot(standard, standard.layout.fields[name])
        self.intrinsic("parser_error", ERRORS, standard.span)

    def headers(self) -> tuple[tuple[HeaderType, ...], tuple[pr.Header, ...], tuple[pr.HeaderStack, ...]]:
        used: dict[str, Layout] = {}
        headers: list[pr.Header] = []
        stacks: list[pr.HeaderStack] = []
        for instance in self.scope.headers.values():
            layout = instance.layout
            used[layout.name] = layout
            if instance.size is None:
                headers.append(pr.Header(instance.name, layout.name, instance.span))
                continue
            stack = pr.HeaderStack(instance.name, layout.name, instance.size, instance.span)
            stacks.append(stack)
            headers += [pr.Header(stack.element(i), layout.name, instance.span) for i in range(stack.size)]
        types = tuple(
            HeaderType(item.name, tuple(Field(f.name, f.type, f.span) for f in item.fields.values()), item.span)
            for item in used.values()
        )
        return types, tuple(headers), tuple(stacks)

    # --- extern instances --------------------------------------------------------------------------------------------

    def extern(self, name: str, kind: str, attributes: dict[str, int | str], span: Span) -> str:
        """A new instance of that name, or with its kind added when another extern has the name."""
        unique = name
        if unique in self.externs:
            unique = f"{name}.{kind}"
        self.externs[unique] = pr.ExternInstance(unique, kind, tuple(attributes.items()), span)
        return unique

    def digest(self, declaration: ast.FieldList) -> str:
        """The digest whose record is that field list."""
        name = declaration.name.text
        for candidate in (name, f"{name}.digest"):
            if candidate in self.externs and self.externs[candidate].kind == "digest":
                return candidate
        return self.extern(name, "digest", {}, declaration.name.span)


def annotations_of(pragmas: tuple[ast.Pragma, ...]) -> tuple[pr.Annotation, ...]:
    return tuple(pr.Annotation(p.name, " ".join(p.operands), p.span) for p in pragmas)


def truth(value: bool, span: Span) -> ex.Const:
    return ex.Const(int(value), Bool(), span)


def number(value: int, type_: Bits, span: Span) -> ex.Const:
    """A constant, cut to the width of its type."""
    return ex.Const(stored(value, type_), type_, span)
