"""Tables, their keys and entries, and action profiles."""

from __future__ import annotations

from aux_frontend.bmv2_json.entries import ENTRIES_CONST
from aux_frontend.bmv2_json.write.calls import Calls
from aux_frontend.bmv2_json.write.values import Inexpressible, Json, scalar_width
from transpiler.hlir import expressions as ex, program as pr
from transpiler.hlir.arithmetic import ones

_ORDER = ("range", "ternary", "lpm", "exact")  # the kind of a table is the first of these that one of its keys has
_KIND = {pr.MatchKind.OPTIONAL: "ternary"}


class Tables:
    """`numbers`: the numbers of HLIR's actions."""

    def __init__(self, program: pr.Program, calls: Calls, numbers: dict[str, int]) -> None:
        self.program = program
        self.calls = calls
        self.numbers = numbers
        self.profiles: dict[str, Json] = {}
        self._keys: dict[str, list[Json]] = {}

    def outcomes(self, name: str) -> list[str]:
        """The names of a table's actions, in the order of its action enum."""
        return [self.program.action[use.action].control_name for use in self.program.table[name].actions]

    def keys(self, name: str) -> list[Json]:
        """The primitives that put what is no field into one, before the table is applied."""
        before: list[Json] = []
        found: list[Json] = []
        selection: list[Json] = []
        for key in self.program.table[name].keys:
            if key.match_kind is pr.MatchKind.VALID and isinstance(key.expression, ex.IsValid):
                header = self.calls.values.header(key.expression.header)
                found.append({"match_type": "valid", "name": key.name, "target": header["value"], "mask": None})
                continue
            made, first = self.calls.field_of(key.expression)
            before += first
            if key.match_kind is pr.MatchKind.SELECTOR:
                selection.append(made)
                continue
            kind = "exact" if key.match_kind is pr.MatchKind.VALID else _KIND.get(key.match_kind, key.match_kind.value)
            found.append({"match_type": kind, "name": key.name, "target": made["value"], "mask": None})
        self._keys[name] = found
        self._profile(self.program.table[name], selection)
        return before

    def _profile(self, table: pr.Table, selection: list[Json]) -> None:
        if table.implementation is None or table.implementation in self.profiles:
            return
        instance = self.program.extern[table.implementation]
        profile = {"name": instance.name, "id": len(self.profiles), "max_size": instance.attribute("size")}
        if instance.kind == "action_selector":
            profile["selector"] = {"algo": instance.attribute("algorithm"), "input": selection}
        self.profiles[instance.name] = profile

    def table(self, name: str, following: Json) -> Json:
        """Raises: Inexpressible."""
        table, keys = self.program.table[name], self._keys[name]
        kinds = {"exact", *(key["match_type"] for key in keys)}
        externs = [self.program.extern[one] for one in table.direct]
        missing = self.program.action[table.default_action.action].control_name
        made = {
            "name": name, "key": keys, "match_type": next(kind for kind in _ORDER if kind in kinds), "type": "simple",
            "max_size": table.size, "with_counters": any(one.kind == "direct_counter" for one in externs),
            "support_timeout": table.ages,
            "direct_meters": next((one.name for one in externs if one.kind == "direct_meter"), None),
            "action_ids": [self.numbers[use.action] for use in table.actions], "actions": self.outcomes(name),
            "base_default_next": following.get("__MISS__", following.get(missing)), "next_tables": following,
        }  # fmt: skip
        if table.implementation is not None:
            selects = self.program.extern[table.implementation].kind == "action_selector"
            made |= {"type": "indirect_ws" if selects else "indirect", "action_profile": table.implementation}
            if self.program.action[table.default_action.action].body:
                raise Inexpressible(table.span, "a table of an action profile has no default action in BMv2's JSON")
            return made
        made["default_entry"] = {
            **self._call(table.default_action), "action_const": table.const_default, "action_entry_const": table.const_default,
        }  # fmt: skip
        if table.entries or table.const_entries:
            made["entries"] = [self._entry(table, entry) for entry in table.entries]
        if table.entries and not table.const_entries:
            made[ENTRIES_CONST] = False  # BMv2 does not look at it, and lets nobody change them
        return made

    def _call(self, call: pr.ActionCall) -> Json:
        data = [hex(argument.value) for argument in call.arguments]
        return {"action_id": self.numbers[call.action], "action_data": data}

    def _entry(self, table: pr.Table, entry: pr.TableEntry) -> Json:
        keys = [key for key in table.keys if key.match_kind is not pr.MatchKind.SELECTOR]
        match_key = [_part(sets, key) for sets, key in zip(entry.keys, keys, strict=True)]
        priority = pr.MAX_PRIORITY - entry.priority
        return {"match_key": match_key, "action_entry": self._call(entry.call), "priority": priority}


def _part(sets: ex.KeySet, key: pr.TableKey) -> Json:
    width = scalar_width(key.expression.type)
    value, mask = 0, 0
    match sets:
        case ex.ExactSet(value=ex.Const(value=value)):
            mask = ones(width)
        case ex.MaskSet(value=ex.Const(value=value), mask=ex.Const(value=mask)):
            pass
        case ex.RangeSet(low=ex.Const(value=low), high=ex.Const(value=high)) if key.match_kind is pr.MatchKind.RANGE:
            return {"match_type": "range", "start": hex(low), "end": hex(high)}
    kind = key.match_kind
    if kind is pr.MatchKind.RANGE and mask in (0, ones(width)):
        low, high = (value, value) if mask else (0, ones(width))
        return {"match_type": "range", "start": hex(low), "end": hex(high)}
    if kind is pr.MatchKind.LPM:
        return {"match_type": "lpm", "key": hex(value), "prefix_length": mask.bit_count()}
    if kind in (pr.MatchKind.TERNARY, pr.MatchKind.OPTIONAL):
        return {"match_type": "ternary", "key": hex(value), "mask": hex(mask)}
    if mask != ones(width):
        raise Inexpressible(sets.span, f"an entry of this kind for a key of kind {kind.value}")
    if kind is pr.MatchKind.VALID and isinstance(key.expression, ex.IsValid):
        return {"match_type": "valid", "key": bool(value)}
    return {"match_type": "exact", "key": hex(value)}
