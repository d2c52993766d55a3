"""Random well-typed PSA programs, from a seed and a size: the blocks that are made for v1model, in PSA's words.

Ingress and egress have a parser and a deparser each, of the same headers; the metadata goes from one to the other, to
clones, and to resubmitted and recirculated packets, or it does not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from context import Context
from controls import deparser, nested, pipe
from layout import Block, Node, block
from parsers import parser
from program import beginning
from scope import Place, Type, bits
from statements import body
from world import World

HEAD = ("#include <core.p4>", "#include <psa.p4>", "error { Odd, Even }", "struct none_t { }")
PATHS = ("NORMAL", "NORMAL_UNICAST", "NORMAL_MULTICAST", "CLONE_I2E", "CLONE_E2E", "RESUBMIT", "RECIRCULATE")
PATH = Place(
    "sm.packet_path", Type("enum", 32, "PSA_PacketPath_t", tuple(f"PSA_PacketPath_t.{p}" for p in PATHS)), False
)
INGRESS = (Place("((PortIdUint_t)sm.ingress_port)", bits(32), False), PATH)
EGRESS = (
    Place("((PortIdUint_t)sm.egress_port)", bits(32), False),
    PATH,
    Place("((EgressInstanceUint_t)sm.instance)", bits(16), False),
    Place("((ClassOfServiceUint_t)sm.class_of_service)", bits(8), False),
)

CLONED = "om.clone = true; om.clone_session_id = (CloneSessionId_t)16w"
OF_BOTH = (  # lines of v1model's blocks, and what stands there in PSA
    (r"sm\.egress_spec = 7w0 \+\+ sm\.egress_spec\[1:0\];", ";"),
    (r"sm\.egress_spec = (.*);", r"send_to_port(om, (PortId_t)(PortIdUint_t)(bit<9>)(\1));"),
    (r"sm\.mcast_grp = (\d+);", r"multicast(om, (MulticastGroup_t)32w\1);"),
    (r"clone_preserving_field_list\(CloneType\.\w+, (\d+), \d+\);", rf"{CLONED}\1;"),
    (r"register<(.*)>\((\d+)\) (\w+);", r"Register<\1, bit<32>>(\2) \3;"),
    (r"(r\d+)\.read\((.*?), (.*)\);", r"\2 = \1.read(\3);"),
    (r"counter\(8, (.*)\) (\w+);", r"Counter<bit<64>, bit<32>>(8, PSA_\1) \2;"),
    (r"direct_counter\((.*)\) (\w+);", r"DirectCounter<bit<64>>(PSA_\1) \2;"),
    (r"meter\(4, MeterType\.packets\) (\w+);", r"Meter<bit<32>>(4, PSA_MeterType_t.PACKETS) \1;"),
    (r"direct_meter<.*>\(.*\) (\w+);", r"DirectMeter(PSA_MeterType_t.PACKETS) \1;"),
    (r"(\w+)\.execute_meter<.*?>\((.*), (.*?)\);", r"if (\1.execute(\2) == PSA_MeterColor_t.RED) { \3 = 1; }"),
    (r"(dm\d+)\.read\((.*)\);", r"if (\1.execute() == PSA_MeterColor_t.RED) { \2 = 1; }"),
    (r"action_profile\((\d+)\) (\w+);", r"ActionProfile(\1) \2;"),
    (r"action_selector\(HashAlgorithm\.\w+, (.*)\) (\w+);", r"ActionSelector(PSA_HashAlgorithm_t.CRC16, \1) \2;"),
    (r"implementation = (.*)", r"psa_implementation = \1"),
    (r"counters = (.*)", r"psa_direct_counter = \1"),
    (r"meters = (.*)", r"psa_direct_meter = \1"),
)
OF_INGRESS = (
    (r"mark_to_drop\(sm\);", "ingress_drop(om);"),
    (r"resubmit_preserving_field_list\(\d\);", "om.resubmit = true;"),
    (r"clone\(CloneType\.I2E, \d\);", "send_to_port(om, PSA_PORT_RECIRCULATE);"),
)
OF_EGRESS = (
    (r"mark_to_drop\(sm\);", "egress_drop(om);"),
    (r"recirculate_preserving_field_list\((\d)\);", rf"{CLONED}5;"),
    (r"clone\(CloneType\.E2E, (\d)\);", rf"{CLONED}\1;"),
)
COUNTED = {"packets_and_bytes": "PACKETS_AND_BYTES", "packets": "PACKETS", "bytes": "BYTES"}


def make(seed: int, size: int = 2, *, pipelined: bool = False) -> tuple[Node, ...]:
    """The program of a seed; size 0 is small, 3 large. `pipelined`: see World."""
    world = World(Random(seed), size, ingress=INGRESS, egress=EGRESS, externs=False, pipelined=pipelined)
    world.recirculates = world.chance(0.0 if pipelined else 0.4)
    parts = beginning(world, HEAD)
    carried = "meta_t" if world.chance(0.2 if world.pipelined else 0.6) else "none_t"
    first = parser(world)
    for _ in range(world.upto(2)):
        parts.append(_in_psa(nested(world), True))
    parts += _ingress(world, first, carried) + _egress(world, carried)
    parts += ["IngressPipeline(P(), I(), D()) ingress;", "EgressPipeline(EP(), E(), ED()) egress;"]
    return (*parts, "PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;")


def _ingress(world: World, first: Block, carried: str) -> list[Node]:
    paths = (("RESUBMIT", "again"), ("RECIRCULATE", "round"))
    head = f"in psa_ingress_parser_input_metadata_t sm, in {carried} again, in {carried} round"
    control = "in psa_ingress_input_metadata_t sm, inout psa_ingress_output_metadata_t om"
    given = (("psa_clone_i2e(om)", "copy"), ("psa_resubmit(om)", "again"), ("psa_normal(om)", "normal"))
    tail = "in psa_ingress_output_metadata_t om"
    return [
        _parser("P", head, first, paths if carried == "meta_t" else ()),
        _in_psa(_control("I", control, pipe(world, "I")), True),
        _deparser(world, "D", tail, carried, given),
    ]


def _egress(world: World, carried: str) -> list[Node]:
    """Sometimes one that does nothing, which is no pipe of its own then."""
    bare = world.chance(0.8 if world.pipelined else 0.3)
    world.ingress = EGRESS  # of which parsers know the first two
    second = block("", [block("state start {", ["transition accept;"])]) if bare else parser(world)
    paths = (("CLONE_I2E", "copy"), ("CLONE_E2E", "later"), ("NORMAL_UNICAST", "normal"))
    head = f"in psa_egress_parser_input_metadata_t sm, in {carried} normal, in {carried} copy, in {carried} later"
    control = "in psa_egress_input_metadata_t sm, inout psa_egress_output_metadata_t om"
    made = block("", [block("apply {", [])]) if bare else pipe(world, "E")
    given = (("psa_clone_e2e(om)", "copy"), ("psa_recirculate(om, ed)", "again"))
    tail = "in psa_egress_output_metadata_t om, in psa_egress_deparser_input_metadata_t ed"
    return [
        _parser("EP", head, second, paths if carried == "meta_t" else ()),
        _in_psa(_control("E", control, made), False),
        _deparser(world, "ED", tail, carried, given, bare),
    ]


# --- blocks ----------------------------------------------------------------------------------------------------------


def _parser(name: str, parameters: str, made: Block, paths: tuple[tuple[str, str], ...]) -> Node:
    """With the metadata that a packet brings along, by the path that it came."""
    taken: list[Node] = [f"if (sm.packet_path == PSA_PacketPath_t.{path}) {{ meta = {m}; }}" for path, m in paths]
    states = [block(s.head, [*taken, *s.body]) if _starts(s) else s for s in made.body if isinstance(s, Block)]
    declared = [line for line in made.body if isinstance(line, str)]
    return block(
        f"parser {name}(packet_in packet, out headers_t hdr, inout meta_t meta, {parameters}) {{", [*declared, *states]
    )


def _starts(state: Block) -> bool:
    return state.head == "state start {"


def _control(name: str, parameters: str, made: Block) -> Block:
    return Block(f"control {name}(inout headers_t hdr, inout meta_t meta, {parameters}) {{", made.body)


def _deparser(
    world: World, name: str, tail: str, carried: str, given: tuple[tuple[str, str], ...], bare: bool = False
) -> Node:
    """Gives the metadata to whoever takes it, changes some headers, and emits them."""
    outs = ", ".join(f"out {carried} {m}" for _, m in given)
    head = f"control {name}(packet_out packet, {outs}, inout headers_t hdr, in meta_t meta, {tail}) {{"
    lines: list[Node] = [f"if ({asked}) {{ {m} = meta; }}" for asked, m in given] if carried == "meta_t" else []
    if not bare:
        scope = world.scope()
        scope.places = [replace(p, writable=p.writable and not p.text.startswith("meta")) for p in scope.places]
        scope.records = [replace(r, writable=r.writable and not r.text.startswith("meta")) for r in scope.records]
        lines += body(scope, Context(world.names), world.random.choice((0, 0, 1, 2)), 1)
        lines += next(b.body for b in deparser(world).body if isinstance(b, Block))
    return block(head, [block("apply {", lines)])


# --- words -----------------------------------------------------------------------------------------------------------


def _in_psa(node: Node, ingress: bool) -> Node:
    if isinstance(node, str):
        return _line(node, ingress)
    return Block(_first_life(node.head, ingress), tuple(_in_psa(n, ingress) for n in node.body), node.tail)


def _line(line: str, ingress: bool) -> str:
    line = line.replace("sm.ingress_port[1:0]", "((PortIdUint_t)sm.ingress_port)[1:0]")
    for pattern, words in (*OF_BOTH, *(OF_INGRESS if ingress else OF_EGRESS)):
        if found := re.fullmatch(pattern, line):
            return re.sub(r"CounterType\.(\w+)", lambda m: f"CounterType_t.{COUNTED[m[1]]}", found.expand(words))
    return line


def _first_life(head: str, ingress: bool) -> str:
    path = "NORMAL" if ingress else "NORMAL_UNICAST"
    return head.replace("sm.instance_type == 0", f"sm.packet_path == PSA_PacketPath_t.{path}")
