"""The entries that a table begins with. docs/JSON_format.md, "match-action entry format"."""

from __future__ import annotations

from aux_frontend.bmv2_json.actions import Actions
from aux_frontend.bmv2_json.text import Node
from transpiler.hlir import expressions as ex, program as pr
from transpiler.hlir.arithmetic import ones, stored
from transpiler.hlir.types import Bits, Bool

Names = dict[int, str]  # the id of an action → its name in HLIR
ENTRIES_CONST = "entries_const"  # of a table: false where its entries can be changed, which BMv2's JSON has no word for
_BY_PRIORITY = (pr.MatchKind.TERNARY, pr.MatchKind.RANGE, pr.MatchKind.OPTIONAL)


def arguments(actions: Actions, number: Node, data: list[Node]) -> tuple[ex.Const, ...]:
    """The data that an action is given. Raises: Invalid."""
    parameters = actions.node(number).listed("runtime_data")
    if len(parameters) != len(data):
        raise number.fail(f"the action takes {len(parameters)} arguments, but {len(data)} are given")
    found = []
    for parameter, value in zip(parameters, data, strict=True):
        type_ = Bits(parameter.get("bitwidth").integer(1))
        found.append(ex.Const(stored(value.hexadecimal(), type_), type_, value.span))
    return tuple(found)


def call(actions: Actions, names: Names, entry: Node, number: Node) -> pr.ActionCall:
    """The action of an entry, or the default one. Raises: Invalid."""
    if actions.node(number) is None or number.integer() not in names:
        raise number.fail("this is not one of the table's actions")
    return pr.ActionCall(names[number.integer()], arguments(actions, number, entry.listed("action_data")), entry.span)


def entry(actions: Actions, names: Names, node: Node, keys: tuple[pr.TableKey, ...]) -> pr.TableEntry:
    """Of those that match the one with the smallest number wins; of prefixes, the longest. Raises: Invalid."""
    given = node.get("match_key").items()
    if len(given) != len(keys):
        raise node.get("match_key").fail(f"the table has {len(keys)} keys, but {len(given)} are given")
    sets = tuple(_key_set(one, key) for one, key in zip(given, keys, strict=True))
    action = node.get("action_entry")
    made = call(actions, names, action, action.get("action_id"))
    if any(key.match_kind in _BY_PRIORITY for key in keys):
        priority = pr.MAX_PRIORITY - node.get("priority").integer(0, pr.MAX_PRIORITY)
    else:
        lengths = [one.maybe("prefix_length") for one in given]
        priority = 1 + sum(length.integer(0, 1 << 16) for length in lengths if length is not None)
    return pr.TableEntry(sets, made, priority, node.span)


def _key_set(node: Node, key: pr.TableKey) -> ex.KeySet:
    type_, span = key.expression.type, node.span
    kind = node.get("match_type").text()
    if kind == "valid" or isinstance(type_, Bool):
        return ex.ExactSet(ex.Const(int(node.get("key").flag()), Bool(), span), span)
    assert isinstance(type_, Bits)

    def number(name: str) -> ex.Const:
        return ex.Const(stored(node.get(name).hexadecimal(), type_), type_, span)

    match kind:
        case "exact":
            return ex.ExactSet(number("key"), span)
        case "lpm":
            length = node.get("prefix_length").integer(0, type_.width)
            return _masked(number("key"), ones(length) << (type_.width - length), type_)
        case "ternary" | "optional":
            mask = number("mask").value if node.has("mask") else ones(type_.width)
            return _masked(number("key"), mask, type_)
        case "range":
            return ex.RangeSet(number("start"), number("end"), span)
    raise node.get("match_type").fail(f"the match type '{kind}' is not known")


def _masked(value: ex.Const, mask: int, type_: Bits) -> ex.KeySet:
    if mask == ones(type_.width):
        return ex.ExactSet(value, value.span)
    if mask == 0:
        return ex.AnySet(value.span)
    return ex.MaskSet(value, ex.Const(mask, type_, value.span), value.span)
