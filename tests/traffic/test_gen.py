"""`macsad gen`: entries load, frames reach the tables and hit them as often as was asked for, on interpreter and switch."""

from __future__ import annotations

import json
from pathlib import Path

import generated
import pytest
import switches
from switch_harness import Switch as Running

from macsad import cli, generation
from macsad.compilation import Request
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Prefix

ROOT = Path(__file__).parents[2]
APPS = {path.stem: path for path in (ROOT / "apps").glob("*/*.p4")}
TABLES = ROOT / "tests" / "packets" / "tables.p4"
PROFILES = ROOT / "tests" / "packets" / "profiles.p4"


def make(program: Path, folder: Path, **wanted: object) -> None:
    generation.run(Request(program), switches.load(program), generated.order(folder, **wanted))


def hits(program: Path, folder: Path, port: int = 0) -> tuple[dict[str, float], int, int]:
    """Ratios of the tables that have entries; frames in; frames out."""
    hlir = switches.load(program)
    switch = Switch(hlir)
    counts = generated.load(switch, hlir, generated.commands(folder))
    frames = generated.frames(folder)
    ratios, out = generated.run(switch, frames, port)
    return {name: ratio for name, ratio in ratios.items() if counts[name]}, len(frames), out.total()


@pytest.mark.parametrize(
    "name",
    [
        "l2fwd",
        "l2fwd_14",
        "l3fwd",
        "l3fwd6",
        "ipv4fwd",
        "ipv6fwd",
        "ndn",
        "router",
        "flows",
        "heavyhitter",
        "firewall",
        "policer",
        "balancer",
    ],
)
def test_every_table_of_an_app_is_hit_by_every_frame(name: str, tmp_path: Path) -> None:
    make(APPS[name], tmp_path)
    ratios, sent_in, out = hits(APPS[name], tmp_path)
    assert set(ratios) == {table.name for table in switches.load(APPS[name]).tables if table.keys}
    assert set(ratios.values()) == {1.0}
    assert out == sent_in


@pytest.mark.parametrize(
    ("name", "hit"),
    [("l2fwd", 0.0), ("l3fwd", 0.0), *((n, 0.75) for n in ("l2fwd", "l3fwd", "ipv6fwd", "ndn", "router"))],
)
def test_as_often_as_asked_for(name: str, hit: float, tmp_path: Path) -> None:
    make(APPS[name], tmp_path, hit=hit)
    ratios, _, _ = hits(APPS[name], tmp_path)
    for table, ratio in ratios.items():
        fed = table.endswith("next_hops")  # by what a route says: it is looked up for those that hit one only
        assert ratio == pytest.approx(1.0 if fed else hit, abs=0.0 if hit in (0.0, 1.0) or fed else 0.09), table


@pytest.mark.parametrize("program", [TABLES, PROFILES], ids=["tables", "profiles"])
def test_all_kinds_of_match(program: Path, tmp_path: Path) -> None:
    make(program, tmp_path, hit=0.75, packets=1500)
    ratios, _, _ = hits(program, tmp_path)
    assert set(ratios) == {table.name for table in switches.load(program).tables if table.keys and not table.entries}
    assert list(ratios.values()) == pytest.approx([0.75] * len(ratios), abs=0.12)


def test_the_compiled_switch_says_the_same(tmp_path: Path) -> None:
    """What hits goes out, all else is dropped."""
    make(APPS["l3fwd"], tmp_path, hit=0.75, entries=5000, packets=3000)
    _, _, expected = hits_without_trace(APPS["l3fwd"], tmp_path)
    switch = Running(switches.build(APPS["l3fwd"]), tmp_path,
                     ["--port=0=ctl:", "--port=1=ctl:", "--entries", str(tmp_path / "entries.txt")])  # fmt: skip
    assert switch.do("table_num_entries routes").strip() == "5000"
    frames = generated.frames(tmp_path)
    accepted = 0
    while accepted < len(frames):
        accepted += switch.client.inject(0, frames[accepted : accepted + 500])
        switch.client.collect()
    stats = switch.client.stats()
    switch.stop()
    assert (stats["sent"], stats["drops"]["program"]) == (expected, len(frames) - expected)


def hits_without_trace(program: Path, folder: Path) -> tuple[None, int, int]:
    """What should come out, from the files alone: frames whose destination a prefix covers."""
    prefixes = set()
    for words in generated.commands(folder):
        (match,) = generated.keys_of(switches.load(program).tables[0], [words[3]])
        assert isinstance(match, Prefix)
        prefixes.add((match.length, match.value >> (32 - match.length)))
    lengths = {length for length, _ in prefixes}
    frames = generated.frames(folder)
    found = sum(
        any((length, int.from_bytes(frame[30:34], "big") >> (32 - length)) in prefixes for length in lengths)
        for frame in frames
    )
    return None, len(frames), found


# --- what can be asked for -------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for folder, seed in (("a", 7), ("b", 7), ("c", 8)):
        make(APPS["l3fwd6"], tmp_path / folder, seed=seed, hit=0.5, flows="zipf:1.2", size="imix")
    same, other = (tmp_path / "a", tmp_path / "b"), tmp_path / "c"
    for name in ("entries.txt", "packets.pcap"):
        one, two = ((folder / name).read_bytes() for folder in same)
        assert one == two != (other / name).read_bytes()


def test_what_was_made_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--entries", "50", "--packets", "200", "-o", str(tmp_path / "t"), "--json"]
    assert cli.call(["gen", str(APPS["l3fwd"]), *options]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["entries"], one["hit"]) for one in told["tables"]] == [("L3Ingress.routes", 50, 1.0)]
    assert told["frames"] == 200 and told["empty"] == [] and told["replies_file"] is None
    assert told["entries_file"] == str(tmp_path / "t" / "entries.txt") and Path(told["packets_file"]).exists()


def test_flows(tmp_path: Path) -> None:
    seen = {}
    for flows in ("uniform", "zipf:1", "one"):
        make(APPS["ndn"], tmp_path, flows=flows, packets=4000)
        frames = generated.frames(tmp_path)
        seen[flows] = sorted((frames.count(frame) for frame in set(frames)), reverse=True)
    assert seen["one"] == [4000]
    assert len(seen["uniform"]) == 100 and seen["uniform"][0] < 80
    assert len(seen["zipf:1"]) == 100 and 600 < seen["zipf:1"][0] < 950  # of the first flow: 4000 / H(100) = 771


def test_sizes_and_what_goes_with_them(tmp_path: Path) -> None:
    make(APPS["ipv4fwd"], tmp_path, size="imix", packets=1200)
    frames = generated.frames(tmp_path)
    assert {len(frame) for frame in frames} == {64, 594, 1518}
    assert 600 < sum(len(frame) == 64 for frame in frames) < 800
    assert all(int.from_bytes(frame[16:18], "big") == len(frame) - 14 for frame in frames)
    assert set(generated.internet_checksums(frames)) == {0xFFFF}


def test_prefixes_are_as_long_as_asked_for(tmp_path: Path) -> None:
    def lengths(**wanted: object) -> list[int]:
        make(APPS["l3fwd"], tmp_path, packets=1, entries=20000, **wanted)
        return [int(words[3].partition("/")[2]) for words in generated.commands(tmp_path)]

    usual = lengths()
    assert 0.59 < usual.count(24) / len(usual) < 0.64 and max(usual) == 24 and min(usual) >= 8
    assert set(lengths(lengths=("28-30",))) == {28, 29, 30}
    assert lengths(lengths=("routes=16:1,20:3",)).count(20) == 15000


def test_prefixes_as_in_the_internet_are_of_unicast_addresses(tmp_path: Path) -> None:
    """As docs/gen.md says: below 224.0.0.0."""
    make(APPS["l3fwd"], tmp_path, entries=5_000, packets=1)
    keys = [words[3].partition("/")[0] for words in generated.commands(tmp_path)]
    assert len(keys) == 5_000 and max(int(key, 0) for key in keys) < 0xE0000000


def test_port(tmp_path: Path) -> None:
    make(APPS["l2fwd"], tmp_path, port=3, ports=4)
    assert {int(words[-1], 0) for words in generated.commands(tmp_path) if "dmac" in words[1]} == {0, 1, 2}
    ratios, sent_in, out = hits(APPS["l2fwd"], tmp_path, port=3)
    assert set(ratios.values()) == {1.0} and out == sent_in


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--table", "routs=5"], 2, "no table 'routs'"),
        (["--table", "routes"], 2, "not NAME=N"),
        (["--table", "routes=9999999"], 1, "its size is 1048576"),
        (["--lengths", "24-48"], 2, "beyond the 32 bits"),
        (["--lengths", "many"], 2, "neither dfz"),
        (["--hit", "1.5"], 2, "1.5"),
        (["--flows", "zipf:x"], 2, "zipf:x"),
        (["--size", "20"], 2, "take 34 bytes"),
        (["--size", "huge"], 2, "huge"),
        (["-o", "/dev/null/x"], 1, "/dev/null/x"),
    ],
)
def test_what_cannot_be_is_said(
    arguments: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["gen", str(APPS["l3fwd"]), "-o", str(tmp_path), *arguments]) == code
    assert said in capsys.readouterr().err


HASHED = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> a; bit<32> b; }
struct H { h_t h; }
struct M { bit<16> hash; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action go(bit<9> port) { s.egress_spec = port; }
    table hashed { key = { m.hash: exact; } actions = { go; NoAction; } default_action = NoAction(); }
    table plain { key = { h.h.b[15:4]: exact; } actions = { go; NoAction; } default_action = NoAction(); }
    apply {
        hash(m.hash, HashAlgorithm.crc16, 16w0, { h.h.a, h.h.b }, 32w65536);
        hashed.apply();
        PLAIN
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def test_a_key_that_cannot_be_chosen_is_hit_by_a_single_frame(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "hashed.p4"
    program.write_text(HASHED.replace("PLAIN", "plain.apply();"))
    assert cli.call(["gen", str(program), "-o", str(tmp_path), "--entries", "50", "--packets", "400"]) == 0
    told = capsys.readouterr()
    assert "by single frames, with 2 entries of their own: I.hashed\n" in told.out and "warning" not in told.err
    ratios, _, _ = hits(program, tmp_path)
    assert ratios["I.plain"] == 1.0 and 0.02 < ratios["I.hashed"] < 0.15
    program.write_text(HASHED.replace("PLAIN", ""))
    assert cli.call(["gen", str(program), "-o", str(tmp_path)]) == 1
    assert "no table was found" in capsys.readouterr().err


def test_a_checksum_over_many_headers_is_of_those_that_are_there(tmp_path: Path) -> None:
    program = tmp_path / "many.p4"
    program.write_text("""
#include <core.p4>
#include <v1model.p4>
header head_t { bit<8> what; bit<8> rest; bit<16> sum; }
header word_t { bit<16> w; }
struct headers_t { head_t head; word_t a; word_t b; word_t c; word_t d; }
struct meta_t { }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.head);
        packet.extract(hdr.a);
        transition select(hdr.head.what) { 1: b; 2: c; default: d; }
    }
    state b { packet.extract(hdr.b); transition d; }
    state c { packet.extract(hdr.c); transition accept; }
    state d { packet.extract(hdr.d); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(true, { hdr.head.rest, hdr.head.what, hdr.a, hdr.b, hdr.c, hdr.d }, hdr.head.sum, HashAlgorithm.csum16);
    }
}
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action send(bit<9> port) { sm.egress_spec = port; }
    table t { key = { hdr.a.w: exact; hdr.head.what: exact; } actions = { send; } default_action = send(1); }
    apply { t.apply(); sm.egress_spec = 1; if (sm.checksum_error == 1) { sm.egress_spec = 2; } }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
""")
    make(program, tmp_path, entries=100, packets=300)
    sent_in = generated.frames(tmp_path)
    assert len({frame[2:4] for frame in sent_in}) > 50
    _, out = generated.run(Switch(switches.load(program)), sent_in)
    assert out == {1: len(sent_in)}


@pytest.mark.parametrize(("entries", "members"), [(100, 100), (1, 4)])
def test_there_are_as_many_members_and_groups_as_entries(entries: int, members: int, tmp_path: Path) -> None:
    """And four different members in each group, which others have too."""
    make(APPS["balancer"], tmp_path, entries=entries)
    lines = generated.commands(tmp_path)
    by_command = {
        word: [line for line in lines if line[0].endswith(word)] for word in ("member", "create_group", "to_group")
    }
    assert len(by_command["member"]) == len(by_command["create_group"]) == members
    groups: dict[int, set[int]] = {}
    for _, _, member, group in by_command["to_group"]:
        groups.setdefault(int(group, 0), set()).add(int(member, 0))
    assert len(groups) == members and all(len(group) == 4 and max(group) < members for group in groups.values())
    assert set().union(*groups.values()) == set(range(members))


@pytest.mark.parametrize("size", [1, 3])
def test_a_member_is_once_in_a_group_of_a_small_selector(size: int, tmp_path: Path) -> None:
    program = tmp_path / "small.p4"
    text = APPS["balancer"].read_text()
    assert "crc32, 65536, 16) servers" in text
    program.write_text(text.replace("crc32, 65536, 16) servers", f"crc32, {size}, 16) servers"))
    make(program, tmp_path, entries=100)
    added = [(group, member) for word, _, member, group in
             (line for line in generated.commands(tmp_path) if line[0] == "act_prof_add_member_to_group")]  # fmt: skip
    assert len(added) == len(set(added)) == size * size
