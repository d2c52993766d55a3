"""Tables and action profiles. docs/JSON_format.md, "pipelines"."""

from __future__ import annotations

from dataclasses import dataclass, field

from aux_frontend.bmv2_json import entries
from aux_frontend.bmv2_json.actions import Actions
from aux_frontend.bmv2_json.entries import Names
from aux_frontend.bmv2_json.expressions import Expressions
from aux_frontend.bmv2_json.externs import WIDE_HASH, Externs
from aux_frontend.bmv2_json.storage import Storage
from aux_frontend.bmv2_json.text import Node
from transpiler.diagnostics import Span
from transpiler.externs.algorithms import ALGORITHMS
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.types import Bits

DEFAULT_SIZE = 1024
NO_ACTION = "NoAction"
KINDS = {kind.value: kind for kind in pr.MatchKind if kind is not pr.MatchKind.SELECTOR}
TYPES = ("simple", "indirect", "indirect_ws")


@dataclass
class Tables:
    """`tables` by name; `names` has, for each, what its actions are called."""

    storage: Storage
    externs: Externs
    actions: Actions
    tables: dict[str, pr.Table] = field(default_factory=dict)
    names: dict[str, Names] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._selections: dict[str, tuple[pr.TableKey, ...]] = {}  # by action profile
        self._profiles: dict[str, str] = {}  # the extern instance of each
        self._plain: dict[int, str] = {}  # actions that tables share, by id
        self.values = Expressions(self.storage, self.externs.register)

    # --- action profiles ---------------------------------------------------------------------------------------------

    def profile(self, node: Node) -> None:
        """Raises: Invalid."""
        size = node.maybe("max_size")
        self._profile(node.get("name").text(), size, node.maybe("selector"), node.span)

    def _profile(self, name: str, size: Node | None, selector: Node | None, span: Span) -> None:
        attributes: dict[str, int | str] = {"size": (size.integer(0, pr.MAX_SIZE) if size else 0) or DEFAULT_SIZE}
        keys: tuple[pr.TableKey, ...] = ()
        kind = "action_profile"
        if selector is not None:
            kind = "action_selector"
            algorithm = self.externs.algorithm(selector.get("algo"))
            attributes |= {"algorithm": algorithm, "width": ALGORITHMS[algorithm].bits or WIDE_HASH}
            keys = tuple(self._selector_key(item) for item in selector.listed("input"))
        self._selections[name] = keys
        self._profiles[name] = self.externs.add(name, kind, attributes, span)

    def _selector_key(self, item: Node) -> pr.TableKey:
        return pr.TableKey(
            self.values.exact(item).value, pr.MatchKind.SELECTOR, _field_name(item.get("value")), item.span
        )

    # --- one table ---------------------------------------------------------------------------------------------------

    def table(self, node: Node) -> pr.Table:
        """Raises: Invalid."""
        name = node.get("name").text()
        if name in self.tables:
            raise node.fail(f"table '{name}' is there twice")
        keys = tuple(self._key(item) for item in node.listed("key"))
        implementation = self._implementation(node, name)
        direct, prologue = self._direct(node, name)
        names = self._actions(node, prologue)
        uses = tuple(pr.ActionUse(made, node.span) for made in names.values())
        default, uses = self._default(node, names, uses)
        given = node.maybe("entries")
        declared = () if given is None else tuple(given.items())
        timeouts = node.told("support_timeout", False)
        size = node.maybe("max_size")
        table = pr.Table(
            name=name,
            keys=(*keys, *(self._selections[implementation] if implementation else ())),
            actions=uses,
            default_action=default,
            const_default=is_constant(node),
            entries=tuple(entries.entry(self.actions, names, one, keys) for one in declared),
            const_entries=given is not None and node.told(entries.ENTRIES_CONST, True),
            size=max((size.integer(0, pr.MAX_SIZE) if size else 0) or DEFAULT_SIZE, len(declared)),
            implementation=self._profiles[implementation] if implementation else None,
            direct=direct,
            span=node.span,
            annotations=(pr.Annotation(pr.SUPPORT_TIMEOUT, "true", node.span),) if timeouts else (),
        )
        self.tables[name] = table
        self.names[name] = names
        return table

    def _key(self, item: Node) -> pr.TableKey:
        kind = item.get("match_type")
        if kind.text() not in KINDS:
            raise kind.fail(f"the match type '{kind.text()}' is not known: expected {', '.join(KINDS)}")
        target, given = item.get("target"), item.maybe("name")
        span = item.span
        if kind.text() == "valid":
            header = target if isinstance(target.value, str) else target.items()[0]
            value: ex.Expression = ex.IsValid(self.storage.header(header).place, span)
            return pr.TableKey(value, pr.MatchKind.VALID, given.text() if given else header.text(), span)
        value = self._value(target)
        mask = item.maybe("mask")
        if mask is not None:
            type_ = value.type
            assert isinstance(type_, Bits)
            bits = mask.hexadecimal() & ones(type_.width)
            if bits != ones(type_.width):
                value = ex.Binary(ex.BinaryOp.AND, value, ex.Const(bits, type_, span), type_, span)
        return pr.TableKey(value, KINDS[kind.text()], given.text() if given else _field_name(target), span)

    def _value(self, target: Node) -> ex.Expression:
        header, name = target.tuple(2)
        if name.text() == "$valid$":
            return ex.Cast(ex.IsValid(self.storage.header(header).place, target.span), Bits(1), target.span)
        return self.values.read(self.storage.slot(target), target).value

    def _implementation(self, node: Node, table: str) -> str | None:
        """The action profile, which older versions declare with the table."""
        kind = node.get("type")
        if kind.text() not in TYPES:
            raise kind.fail(f"'{kind.text()}' is not a type of table: expected {', '.join(TYPES)}")
        if kind.text() == "simple":
            return None
        if (named := node.maybe("action_profile")) is not None:
            if named.text() not in self._selections:
                raise named.fail(f"action profile '{named.text()}' is not declared")
            return named.text()
        name = node.get("act_prof_name").text()
        if name not in self._selections:
            selector = node.get("selector") if kind.text() == "indirect_ws" else None
            self._profile(name, None, selector, node.span)
        return name

    def _direct(self, node: Node, table: str) -> tuple[tuple[str, ...], st.Body]:
        """What has an element for each entry, and what actions begin with: the colour of a meter is in its field before."""
        direct: list[str] = []
        if node.told("with_counters", False):
            counter = self.externs.direct_counters.get(table)
            if counter is None:
                attributes: dict[str, int | str] = {"unit": "packets_and_bytes", "automatic": 1}
                counter = self.externs.add(f"{table}.counter", "direct_counter", attributes, node.span)
            direct.append(counter)
        prologue: st.Body = ()
        if (meters := node.maybe("direct_meters")) is not None:
            meter = self.externs.find(meters, "direct_meter")
            slot = self.storage.slot(self.externs.results[meter])
            before = ex.Read(slot.place, slot.stored, node.span)
            prologue = (st.CallExtern("direct_meter.read", meter, (before,), (slot.place,), node.span),)
            direct.append(meter)
        return tuple(direct), prologue

    # --- actions -----------------------------------------------------------------------------------------------------

    def _actions(self, node: Node, prologue: st.Body) -> Names:
        names: Names = {}
        for number in self.action_ids(node):
            if prologue or number not in self._plain:
                made = self.actions.make(number, prologue)
                names[number] = made.name
                if not prologue:
                    self._plain[number] = made.name
            else:
                names[number] = self._plain[number]
        return names

    def action_ids(self, node: Node) -> list[int]:
        """The ids of a table's actions; older versions name them only. Raises: Invalid."""
        found: dict[int, None] = {}
        if node.has("action_ids"):
            for number in node.listed("action_ids"):
                self.actions.node(number)
                found[number.integer()] = None
            return list(found)
        for name in node.listed("actions"):
            if name.text() not in self.actions.ids:
                raise name.fail(f"action '{name.text()}' is not declared")
            found[self.actions.ids[name.text()]] = None
        return list(found)

    def _default(
        self, node: Node, names: Names, uses: tuple[pr.ActionUse, ...]
    ) -> tuple[pr.ActionCall, tuple[pr.ActionUse, ...]]:
        default = node.maybe("default_entry")
        if default is not None:
            number = default.get("action_id")
            if number.integer() not in names:
                self.actions.node(number)
                made = self.actions.make(number.integer())
                names[number.integer()] = made.name
                uses = (*uses, pr.ActionUse(made.name, node.span, default_only=True))
            return entries.call(self.actions, names, default, number), uses
        name = self._no_action(node.span)
        return pr.ActionCall(name, (), node.span), (*uses, pr.ActionUse(name, node.span, default_only=True))

    def _no_action(self, span: Span) -> str:
        """A miss without default entry does nothing."""
        name = f"$miss.{NO_ACTION}"
        if name not in self.actions.made:
            note = pr.Annotation("name", f'"{NO_ACTION}"', span)
            self.actions.made[name] = pr.Action(name, (), (), span, (note,))
        return name


def is_constant(node: Node) -> bool:
    """Whether the control plane cannot change what a table does on a miss. Raises: Invalid."""
    default = node.maybe("default_entry")
    return default is not None and (default.told("action_entry_const", False) or default.told("action_const", False))


def _field_name(target: Node) -> str:
    header, name = target.tuple(2)
    return f"{header.text()}.{name.text()}"
