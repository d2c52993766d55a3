"""Programs to explain, and a machine to explain them for, without building anything."""

from __future__ import annotations

import json
from pathlib import Path

from machine import MACHINE

from macsad import resources
from macsad.compilation import Request
from macsad.explain.explained import Explained
from macsad.explain.measuring import Machines, predicted
from transpiler.model.machine import machine_profile

HERE = machine_profile(MACHINE)

# What a page must not take for its own, in each place that a program's author writes.
HOSTILE_NAME = "<img src=x onerror=alert(1)>&quot;.p4"
HOSTILE = """#include <core.p4>
#include <v1model.p4>
// </td></table><script>alert("comment")</script>\u202e <style>*{display:none}</style> {{ 7 * 7 }} {% raw %}
header h_t { bit<32> a; bit<32> b; }
struct headers_t { h_t h; }
struct meta_t { bit<9> port; }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    @name("<script>alert('action')</script>") action send(bit<9> port) { s.egress_spec = port; log_msg("<b>{}</b>", {port}); }
    action drop() { mark_to_drop(s); }
    @name("I.<script>alert('table')</script>") table t {
        key = { hdr.h.a: exact @name("\\"><script>alert('key')</script>"); }
        actions = { send; drop; }
        default_action = drop();
        size = 1048576;
    }
    apply { if (hdr.h.isValid()) { t.apply(); } }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers_t hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def hostile(folder: Path) -> Path:
    """That program, in a file."""
    place = folder / HOSTILE_NAME
    place.write_text(HOSTILE)
    return place


def app(name: str) -> Path:
    return resources.share("apps") / name / f"{name}.p4"


def explained(program: Path, entries: int = 100_000, cores: int = 2) -> Explained:
    """As the model alone says it."""
    return predicted(Request(program, warnings=("no-all",)), Machines(HERE, None, "a machine"), cores, entries)


def machine_file(folder: Path) -> Path:
    place = folder / "machine.json"
    place.write_text(json.dumps(MACHINE))
    return place
