"""Programs for architectures that are checked but not run: accepted, and refused with a place when they are to run."""

from __future__ import annotations

from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16

from transpiler.diagnostics import Diagnostics, NotRun
from transpiler.frontend import Source

HEADERS = """
header eth_t { bit<48> dst; bit<48> src; bit<16> kind; }
struct headers_t { eth_t eth; }
struct meta_t { bit<8> note; }
"""
EXTRACT = "state start { packet.extract(hdr.eth); transition accept; }"
MODELS = {
    "ebpf": (
        "ebpfFilter",
        f"""#include <core.p4>
        #include <ebpf_model.p4>
        {HEADERS}
        parser In(packet_in packet, out headers_t hdr) {{ {EXTRACT} }}
        control Filter(inout headers_t hdr, out bool pass) {{
            CounterArray(16, true) seen;
            action no() {{ pass = false; }}
            action yes() {{ pass = true; seen.increment(1); }}
            table kinds {{
                key = {{ hdr.eth.kind: exact; }} actions = {{ no; yes; }} default_action = no();
                implementation = hash_table(64);
            }}
            apply {{ pass = false; kinds.apply(); }}
        }}
        ebpfFilter(In(), Filter()) main;
        """,
    ),
    "ubpf": (
        "ubpf",
        f"""#include <core.p4>
        #include <ubpf_model.p4>
        {HEADERS}
        parser In(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata std) {{ {EXTRACT} }}
        control Work(inout headers_t hdr, inout meta_t meta, inout standard_metadata std) {{
            Register<bit<32>, bit<32>>(4) cells;
            apply {{ if (cells.read(0) == 7) {{ mark_to_drop(); }} else {{ std.output_action = ubpf_action.PASS; }} }}
        }}
        control Out(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.eth); }} }}
        ubpf(In(), Work(), Out()) main;
        """,
    ),
    "xdp": (
        "xdp",
        f"""#include <core.p4>
        #include <xdp_model.p4>
        {HEADERS}
        parser In(packet_in packet, out headers_t hdr) {{ {EXTRACT} }}
        control Work(inout headers_t hdr, in xdp_input given, out xdp_output wanted) {{
            apply {{ wanted.output_port = given.input_port; wanted.output_action = xdp_action.XDP_TX; }}
        }}
        control Out(in headers_t hdr, packet_out packet) {{ apply {{ packet.emit(hdr.eth); }} }}
        xdp(In(), Work(), Out()) main;
        """,
    ),
}


@pytest.mark.parametrize("model", MODELS)
def test_checked_but_not_run(model: str, tmp_path: Path) -> None:
    package, text = MODELS[model]
    file = tmp_path / "model.p4"
    file.write_text(text)
    diagnostics = Diagnostics()
    P4_16().check(Source(file), diagnostics)
    assert diagnostics.render() == ""
    with pytest.raises(NotRun) as why:
        P4_16().load(Source(file), diagnostics)
    main = text.splitlines().index(next(line for line in text.splitlines() if line.endswith(" main;"))) + 1
    assert why.value.span.line == main
    assert f"programs for the package '{package}' can be checked but not run" in why.value.message
