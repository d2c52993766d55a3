"""Random programs of tables that drop, for v1model: with their entries, constant or not, and frames for them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

PORTS = 4
METAS = ("a", "b", "c")
HEAD = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> k0; bit<8> k1; bit<8> k2; bit<8> res; }
struct headers_t { h_t h; }
struct meta_t { bit<8> a; bit<8> b; bit<8> c; }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply {} }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    counter(8, CounterType.packets) seen;
    action drop() { mark_to_drop(s); }
    action count_drop() { seen.count(1); mark_to_drop(s); }
    action count() { seen.count((bit<32>) m.a & 7); }
    action send(bit<9> port) { s.egress_spec = port; }
    action nothing() {}
    action mark(bit<8> v) { hdr.h.res = hdr.h.res ^ v; }
    action flood(bit<16> group) { s.mcast_grp = group; }
"""
TAIL = """}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    apply { hdr.h.res = hdr.h.res + m.a; if (hdr.h.k0 == 2) { mark_to_drop(s); } }
}
control C(inout headers_t hdr, inout meta_t m) { apply {} }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


@dataclass(frozen=True)
class Made:
    """A table's name, match kind, default action, and entries: each a value and an action with its argument, "" for none."""

    name: str
    ternary: bool
    default: tuple[str, str]
    entries: tuple[tuple[int, str, str], ...]

    @property
    def lines(self) -> list[str]:
        """Commands that make them."""
        mask, priority = ("&&&0xff", " 1") if self.ternary else ("", "")
        adding = [
            f"table_add {self.name} {action} {value}{mask} => {argument}{priority}"
            for value, action, argument in self.entries
        ]
        return [f"table_set_default {self.name} {' '.join(self.default)}", *adding]


def text(seed: int, constant: bool = True) -> str:
    """A program."""
    return _made(seed, constant)[0]


def tables(seed: int) -> list[Made]:
    """Its tables, where they are not constant in it."""
    return _made(seed, False)[1]


def _made(seed: int, constant: bool) -> tuple[str, list[Made]]:
    some = Random(seed)
    sets = [f"    action set_{one}(bit<8> v) {{ m.{one} = v; }}\n" for one in METAS]
    count = some.randint(2, 6)
    both = [_table(some, number, constant) for number in range(count)]
    body = _body(some, list(range(count)), 0)
    whole = HEAD + "".join(sets) + "".join(one for one, _ in both) + f"    apply {{\n{body}    }}\n" + TAIL
    return whole, [made for _, made in both]


def frames(seed: int, count: int = 60) -> list[bytes]:
    some = Random(seed)
    return [bytes((some.randrange(4), some.randrange(4), some.randrange(4), 0)) for _ in range(count)]


def _table(some: Random, number: int, constant: bool) -> tuple[str, Made]:
    key = some.choice(("hdr.h.k0", "hdr.h.k1", "hdr.h.k2", *(f"m.{one}" for one in METAS)))
    kinds = ["drop", "nothing", some.choice(("send", "send", *(f"set_{one}" for one in METAS), "mark"))]
    if some.random() < 0.3:
        kinds.append(some.choice(("count", "count_drop", "flood", "set_a", "mark")))
    kinds = list(dict.fromkeys(kinds))
    some.shuffle(kinds)
    calls = {kind: _argument(some, kind) for kind in kinds}
    found = [(value, some.choice(kinds)) for value in range(4) if some.random() < 0.8]
    default, match = some.choice(kinds), some.choice(("exact", "ternary"))
    entries = "".join(f"            {value}: {kind}({calls[kind]});\n" for value, kind in found)
    says = (
        f"        const default_action = {default}({calls[default]});\n        const entries = {{\n{entries}        }}\n"
        if constant
        else "        default_action = nothing();\n"
    )
    made = Made(
        f"t{number}", match == "ternary", (default, calls[default]), tuple((v, kind, calls[kind]) for v, kind in found)
    )
    return (
        f"    table t{number} {{\n        key = {{ {key}: {match}; }}\n"
        f"        actions = {{ {'; '.join(kinds)}; }}\n{says}    }}\n"
    ), made


def _argument(some: Random, kind: str) -> str:
    if kind == "flood":
        return str(some.randrange(2))
    parameter = kind in ("send", "mark") or kind.startswith("set_")
    return str(some.randrange(PORTS)) if parameter else ""


def _body(some: Random, left: list[int], depth: int) -> str:
    """Applies each of the tables once."""
    made, space = "", "    " * (depth + 2)
    while left:
        what = some.random()
        if what < 0.55 or depth == 2:
            made += f"{space}t{left.pop(0)}.apply();\n"
        elif what < 0.7:
            inner = [left.pop(0) for _ in range(min(len(left), some.randint(1, 2)))]
            test = some.choice(("hdr.h.k0 == 1", "hdr.h.k1 > 1", "m.a == 2", "m.b != 0", "s.egress_spec == 511"))
            other = some.choice(("mark_to_drop(s);", "m.c = 1;", "", "return;"))
            made += f"{space}if ({test}) {{\n{_body(some, inner, depth + 1)}{space}}} else {{ {other} }}\n"
        elif what < 0.8:
            made += f"{space}if (hdr.h.k{some.randrange(3)} == {some.randrange(4)}) {{ mark_to_drop(s); }}\n"
        elif what < 0.9:
            made += f"{space}if (t{left.pop(0)}.apply().hit) {{ m.b = m.b + 1; }}\n"
        else:
            made += space + some.choice(("m.a = m.b + 1;", "hdr.h.res = m.c;", "s.egress_spec = 1;", "m.b = 3;")) + "\n"
    return made
