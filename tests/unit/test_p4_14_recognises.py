"""Which language a .p4 file is in, told by its content."""

from __future__ import annotations

from pathlib import Path

import pytest
from aux_frontend.p4_14.frontend import P4_14

OLD = """
header_type h_t { fields { a : 8; } }
header h_t h;
parser start { extract(h); return ingress; }
control ingress { }
"""
NEW = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; }
struct headers { h_t h; }
parser P(packet_in p, out headers hdr) { state start { p.extract(hdr.h); transition accept; } }
control ingress(inout headers hdr) { apply { } }
"""


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        (OLD, True),
        (NEW, False),
        ("// bit<8> x; #include <core.p4>\n" + OLD, True),
        ("/* header_type h_t { fields { a : 8; } }\n parser start { } */" + NEW, False),
        ("table t { reads { a.b : exact; } actions { c; } }", True),
        ("table t { key = { a.b : exact; } actions = { c; } }", False),
        ("action a(x) { modify_field(h.f, x); }", True),
        ("action a(bit<8> x) { hdr.h.f = x; }", False),
        ("control ingress { apply(t); }", True),
        ("control ingress() { apply { t.apply(); } }", False),
        ("typedef bit<48> mac_t;", False),
        ("metadata meta_t meta { a : 0; }", True),
        ("header h_t stack [4] ;", True),
        ("fields { a : 8; }", True),
        ("field_list_calculation c { }", True),
        ("calculated_field h.c[0] { }", True),
        ("parser_value_set known;", True),
        ("const int one = 1;", False),
        ("struct s_t<T> { }", False),
        ("state s { transition accept; }", False),
        *(
            (f"#include <{name}.p4>", False)
            for name in ("core", "v1model", "psa", "pna", "ebpf_model", "ubpf_model", "xdp_model")
        ),
        ("table t { reads { a.b : exact; } }", True),
        ("actions { a ; }", True),
        ("parser start { }", True),
        ("control ingress { }", True),
        ("field_list l { }", True),
        ("primitive_action p(x);", True),
        ("blackbox_type b { }", True),
        ("header_type h_t { }", True),
        ("header h_t { }", False),
        ("package P<T>(T t);", False),
        ("enum e_t { a }", False),
        ("header_union u_t { }", False),
        ("match_kind { exact } const bit one = 1;", False),
        ("key = { }", False),
        ("V1Switch(p) main;", False),
        ("t.apply();", False),
        ("varbit<32> v;", False),
    ],
)
def test_by_content(text: str, likely: bool) -> None:
    sure = P4_14().recognises(Path("program.p4"), text)
    assert 0.8 < sure < 1 if likely else sure < 0.3


def test_suffix_decides_when_nothing_is_declared() -> None:
    assert P4_14().recognises(Path("empty.p4_14"), "") == P4_14().recognises(Path("empty.p414"), "") == 1.0
    assert P4_14().recognises(Path("empty.p4"), "") < 0.5


def test_what_both_languages_have_is_weighed() -> None:
    """One sign of either: the heavier one tells which."""
    assert (
        P4_14().recognises(Path("p.p4"), "reads { } main;")
        > 0.5
        > P4_14().recognises(Path("p.p4"), "fields { } key = {")
    )
