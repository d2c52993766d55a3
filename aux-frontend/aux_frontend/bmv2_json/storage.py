"""Where the values of a program live: its headers, stacks, unions and metadata, by the names that the JSON has for them.

BMv2's "headers" are both headers of packets and metadata. Fields of the latter are variables, and those that the switch
itself gives and takes are the architecture's intrinsic values, found by BMv2's names for them and `field_aliases`
(behavioral-model, docs/JSON_format.md and docs/simple_switch.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from aux_frontend.bmv2_json.text import Invalid, Node
from aux_frontend.v1model.intrinsics import INTRINSICS, STANDARD
from aux_frontend.v1model.variables import new_variable, shared_variable
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Bool, Enum, Field, HeaderType, Type, Varbit

T = TypeVar("T")
INDEX = Bits(32)
MAX_WIDTH = 1 << 16
MAX_STACK = 4096
VALID = "$valid$"  # the hidden field that says whether a header is valid
PARSER_ERROR = (STANDARD, "parser_error")


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a field lives: `declared` is its type in the program, `stored` what the place holds."""

    place: ex.Place
    stored: Bits | Varbit
    declared: Bits | Varbit


@dataclass(frozen=True, slots=True)
class Layout:
    """A header type. `length`: the expression for the width of its varbit in bits, where the type has one."""

    name: str
    fields: Mapping[str, Bits | Varbit]
    length: Node | None
    span: Span


@dataclass(frozen=True, slots=True)
class Placed:
    """A header that an expression is, or one of a union. `others`: the headers of its union that it drives out."""

    place: ex.HeaderPlace
    layout: Layout
    others: tuple[ex.HeaderPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class Stack:
    """A header stack: its name in HLIR, its layout, its size."""

    name: str
    layout: Layout
    size: int


Union = dict[str, Placed]  # by the names of the members


@dataclass(frozen=True, slots=True)
class UnionStack:
    """A stack for each member, all of one size."""

    name: str
    members: Mapping[str, Stack]
    size: int


@dataclass
class Storage:
    """`root`: the whole document. Declarations with mistakes are reported and left out."""

    root: Node
    layouts: dict[str, Layout] = field(default_factory=dict)
    headers: dict[str, Placed] = field(default_factory=dict)
    metadata: dict[str, Layout] = field(default_factory=dict)
    stacks: dict[str, Stack] = field(default_factory=dict)
    unions: dict[str, Union] = field(default_factory=dict)
    union_stacks: dict[str, UnionStack] = field(default_factory=dict)
    variables: dict[str, pr.Variable] = field(default_factory=dict)
    intrinsics: dict[str, str] = field(default_factory=dict)
    errors: Enum = field(default_factory=lambda: Enum("error", pr.CORE_ERRORS))
    error_values: dict[int, int] = field(default_factory=dict)  # the program's number of an error → its ordinal

    def __post_init__(self) -> None:
        self.hlir_headers: dict[str, pr.Header] = {}
        self.hlir_stacks: list[pr.HeaderStack] = []
        self._slots: dict[tuple[str, str], Slot] = {}
        self._named: set[tuple[str, str]] = set()
        self._aliases: dict[tuple[str, str], tuple[str, str]] = {}
        self._by_id: dict[int, tuple[str, Layout, Span]] = {}
        self._element_names: dict[str, str] = {}
        for each, read in (
            ("header_types", self._layout), ("headers", self._header), ("header_stacks", self._stack),
            ("errors", self._error), ("field_aliases", self._alias),
        ):  # fmt: skip
            self.each(each, read)
        self._unions()
        self._intrinsics()

    def each(self, name: str, read: Callable[[Node], object]) -> None:
        """Read all elements of a member of the document."""
        try:
            elements = self.root.listed(name)
        except Invalid:
            return
        for element in elements:
            try:
                read(element)
            except Invalid:
                continue

    # --- variables ---------------------------------------------------------------------------------------------------

    def variable(self, name: str, type_: Type, storage: pr.Storage, span: Span) -> ex.VariableRef:
        """A new variable of that name, or of a name like it when it is taken."""
        return new_variable(self.variables, name, type_, storage, span)

    def shared(self, name: str, type_: Type, storage: pr.Storage, span: Span) -> ex.VariableRef:
        """The one variable of that name, made when it is first asked for; `name` has a `$`."""
        return shared_variable(self.variables, name, type_, storage, span)

    def intrinsic(self, name: str, type_: Type, span: Span) -> ex.VariableRef:
        """The architecture's value of that name, also where the program does not name it."""
        if name not in self.intrinsics:
            made = self.variable(f"{STANDARD}.{name}", type_, pr.Storage.INTRINSIC, span)
            self.intrinsics[name] = made.name
        return ex.VariableRef(self.intrinsics[name], span)

    def next_index(self, stack: str, span: Span) -> ex.VariableRef:
        """How many elements of a stack have been extracted."""
        return self.shared(f"{stack}.$next", INDEX, pr.Storage.METADATA, span)

    # --- declarations ------------------------------------------------------------------------------------------------

    def _layout(self, node: Node) -> None:
        name = node.get("name").text()
        fields: dict[str, Bits | Varbit] = {}
        flexible: Node | None = None
        for element in node.listed("fields"):
            parts = element.tuple(2, 3)
            field_name = parts[0].text()
            if field_name in fields:
                raise parts[0].fail(f"field '{field_name}' is there twice")
            if parts[1].value == "*":
                if flexible is not None:
                    raise element.fail("a header type has at most one field of variable width")
                flexible = element
                fields[field_name] = Varbit(8)
            else:
                signed = len(parts) == 3 and parts[2].flag()
                fields[field_name] = Bits(parts[1].integer(1, MAX_WIDTH), signed)
        if flexible is not None:
            fixed = sum(type_.width for type_ in fields.values() if isinstance(type_, Bits))
            most = node.get("max_length").integer(1, MAX_WIDTH // 8) * 8 - fixed
            if most <= 0:
                raise node.get("max_length").fail(f"the other fields alone take {fixed} bits")
            fields[flexible.items()[0].text()] = Varbit(most)
        if name in self.layouts:
            raise node.fail(f"header type '{name}' is there twice")
        self.layouts[name] = Layout(name, fields, node.maybe("length_exp"), node.span)

    def _header(self, node: Node) -> None:
        name = node.get("name").text()
        layout = self.find(self.layouts, node.get("header_type"), "header type")
        if name in self.metadata or name in self.headers:
            raise node.fail(f"header '{name}' is there twice")
        if node.told("metadata", False):
            self.metadata[name] = layout
            return
        number = node.get("id").integer()
        self._by_id[number] = (name, layout, node.span)
        self.headers[name] = Placed(ex.HeaderRef(name, node.span), layout)
        self.hlir_headers[name] = pr.Header(name, layout.name, node.span)

    def _stack(self, node: Node) -> None:
        name = node.get("name").text()
        layout = self.find(self.layouts, node.get("header_type"), "header type")
        ids = node.get("header_ids").items()
        self._new_stack(name, layout, ids, node)

    def _new_stack(self, name: str, layout: Layout, ids: list[Node], node: Node) -> Stack:
        """Elements are renamed: HLIR finds them by the stack's name and their place."""
        if not 0 < len(ids) <= MAX_STACK:
            raise node.fail(f"a stack has 1 to {MAX_STACK} elements")
        if name in self.stacks:
            raise node.fail(f"stack '{name}' is there twice")
        elements = []
        for identity in ids:
            found = self._by_id.get(identity.integer())
            if found is None:
                raise identity.fail("no header has this id")
            old, of, span = found
            if of is not layout:
                raise identity.fail(f"'{old}' is of type {of.name}, not {layout.name}")
            if self.hlir_headers.pop(old, None) is None:
                raise identity.fail(f"'{old}' is in a stack already")
            elements.append((old, span))
        for place, (old, span) in enumerate(elements):
            new = f"{name}[{place}]"
            if new in self.hlir_headers:
                raise node.fail(f"header '{new}' is not in stack '{name}'")
            self.hlir_headers[new] = pr.Header(new, layout.name, span)
            self.headers[old] = Placed(ex.HeaderRef(new, span), layout)
        stack = self.stacks[name] = Stack(name, layout, len(ids))
        self.hlir_stacks.append(pr.HeaderStack(name, layout.name, len(ids), node.span))
        return stack

    def _unions(self) -> None:
        types: dict[str, list[str]] = {}
        ids: dict[int, tuple[str, list[Node]]] = {}

        def union_type(node: Node) -> None:
            types[node.get("name").text()] = [part.tuple(2)[0].text() for part in node.listed("headers")]

        def union(node: Node) -> None:
            members = self.find(types, node.get("union_type"), "header union type")
            headers = node.get("header_ids").items()
            if len(headers) != len(members):
                raise node.fail(f"{len(headers)} headers for a union of {len(members)}")
            found = [self._by_id.get(identity.integer()) for identity in headers]
            if None in found:
                raise node.fail("no header has one of these ids")
            self._union(node.get("name").text(), members, [one[0] for one in found if one is not None])
            ids[node.get("id").integer()] = (node.get("name").text(), headers)

        def union_stack(node: Node) -> None:
            name = node.get("name").text()
            members = self.find(types, node.get("union_type"), "header union type")
            parts = []
            for identity in node.get("header_union_ids").items():
                if identity.integer() not in ids:
                    raise identity.fail("no header union has this id")
                parts.append(ids[identity.integer()])
                if len(parts[-1][1]) != len(members):
                    raise identity.fail(f"'{parts[-1][0]}' is a union of another type")
            stacks: dict[str, Stack] = {}
            for place, member in enumerate(members):
                columns = [headers[place] for _, headers in parts]
                layout = self._by_id[columns[0].integer()][1] if columns else None
                if layout is None:
                    raise node.fail("a stack has at least one element")
                stacks[member] = self._new_stack(f"{name}.{member}", layout, columns, node)
            for union_name, headers in parts:  # the elements have other names now
                self._union(union_name, members, [self._by_id[identity.integer()][0] for identity in headers])
            self.union_stacks[name] = UnionStack(name, stacks, len(parts))

        self.each("header_union_types", union_type)
        self.each("header_unions", union)
        self.each("header_union_stacks", union_stack)

    def _union(self, name: str, members: list[str], headers: list[str]) -> None:
        placed = [self.headers[header] for header in headers]
        made: Union = {}
        for member, header, one in zip(members, headers, placed, strict=True):
            others = tuple(other.place for other in placed if other.place != one.place)
            made[member] = self.headers[header] = Placed(one.place, one.layout, others)
        self.unions[name] = made

    def element_of_union(self, stack: UnionStack, index: ex.Expression, span: Span) -> Union:
        """The union at an index of a stack."""
        places = {name: element(member, index, span) for name, member in stack.members.items()}
        return {
            name: Placed(place, stack.members[name].layout, tuple(p for n, p in places.items() if n != name))
            for name, place in places.items()
        }

    def _error(self, node: Node) -> None:
        name, value = node.tuple(2)
        members = self.errors.members
        if name.text() not in members:
            self.errors = Enum("error", (*members, name.text()))
        number = value.integer()
        if number in self.error_values:
            raise value.fail(f"another error has the value {number}")
        self.error_values[number] = self.errors.members.index(name.text())

    def _alias(self, node: Node) -> None:
        known, actual = node.tuple(2)
        header, _, name = known.text().rpartition(".")
        parts = actual.tuple(2)
        self._aliases[header, name] = (parts[0].text(), parts[1].text())

    # --- fields ------------------------------------------------------------------------------------------------------

    def _intrinsics(self) -> None:
        """Tell which fields of metadata are the architecture's; declare all others in the order of the program."""
        start = self.root.at
        for known, (name, type_) in INTRINSICS.items():
            header, field_name = self._aliases.get(known, known)
            declared = self.metadata[header].fields.get(field_name) if header in self.metadata else None
            if isinstance(declared, Bits) and (header, field_name) not in self._slots:
                place = self.intrinsic(name, type_, self.metadata[header].span)
                self._slots[header, field_name] = Slot(place, type_, declared)
        for name in ("ingress_port", "egress_spec", "egress_port", "instance_type", "packet_length", "checksum_error"):
            self.intrinsic(name, INTRINSICS[STANDARD, name][1], start)
        self.intrinsic("parser_error", self.errors, start)
        for header, layout in self.metadata.items():
            for field_name, declared in layout.fields.items():
                if (header, field_name) not in self._slots and isinstance(declared, Bits):
                    place = self.variable(f"{header}.{field_name}", declared, pr.Storage.METADATA, layout.span)
                    self._slots[header, field_name] = Slot(place, declared, declared)
        if not self.error_values:
            self.error_values = {value: value for value in range(len(self.errors.members))}

    def parser_error(self) -> Slot | None:
        """Where the program reads the parser's error, as a number of its own; None where it does not."""
        key = self._aliases.get(PARSER_ERROR, PARSER_ERROR)
        return self._slots.get(key) if key in self._named else None

    def slot(self, node: Node) -> Slot:
        """The field that a pair of names is. Raises: Invalid."""
        header, name = node.tuple(2)
        key = (header.text(), name.text())
        if key[0] in self.metadata:
            found = self._slots.get(key)
            if found is None:
                raise name.fail(f"'{key[1]}' is not a field of '{key[0]}'")
            self._named.add(key)
            return found
        placed = self.headers.get(key[0])
        if placed is None:
            raise header.fail(f"header '{key[0]}' is not declared")
        return field_of(placed, key[1], name)

    def header(self, node: Node) -> Placed:
        """The header of a name. Raises: Invalid."""
        if node.text() in self.metadata:
            raise node.fail(f"'{node.text()}' is metadata, which cannot be used as a header here")
        return self.find(self.headers, node, "header")

    def find(self, known: Mapping[str, T], node: Node, what: str) -> T:
        """What a name means. Raises: Invalid."""
        found = known.get(node.text())
        if found is None:
            raise node.fail(f"{what} '{node.text()}' is not declared")
        return found

    def header_types(self) -> tuple[HeaderType, ...]:
        used = {header.type for header in self.hlir_headers.values()}
        return tuple(
            HeaderType(layout.name, tuple(Field(n, t, layout.span) for n, t in layout.fields.items()), layout.span)
            for layout in self.layouts.values()
            if layout.name in used
        )


def field_of(placed: Placed, name: str, node: Node) -> Slot:
    """A field of a header. Raises: Invalid."""
    type_ = placed.layout.fields.get(name)
    if type_ is None:
        raise node.fail(f"'{name}' is not a field of header type '{placed.layout.name}'")
    return Slot(ex.FieldRef(placed.place, name, node.span), type_, type_)


def element(stack: Stack, index: ex.Expression, span: Span) -> ex.HeaderPlace:
    """An element of a stack; one of a constant place is a header of its own."""
    if isinstance(index, ex.Const) and index.value < stack.size:
        return ex.HeaderRef(f"{stack.name}[{index.value}]", span)
    return ex.ElementRef(stack.name, index, span)


def drive_out(placed: Placed, span: Span) -> st.Body:
    """The other headers of a union become invalid where one becomes valid."""
    return tuple(st.SetValid(other, False, span) for other in placed.others)


def is_valid(header: ex.HeaderPlace, span: Span) -> ex.Expression:
    return ex.IsValid(header, span)


def flag(value: ex.Expression, span: Span) -> ex.Expression:
    """A bool as one bit."""
    return ex.Cast(value, Bits(1), span)


BOOL = Bool()
