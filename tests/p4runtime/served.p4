/* What a controller meets: keys of all kinds, direct and indexed resources, packets from and to it. */
#include <core.p4>
#include <v1model.p4>

@controller_header("packet_in")
header in_t { bit<9> port; bit<7> pad; }
@controller_header("packet_out")
header out_t { bit<9> port; bit<7> pad; }
header eth_t { bit<48> dst; bit<48> src; bit<16> kind; }
@p4runtime_translation("example.org/Name", string)
@p4runtime_translation_mappings({{"gold", 7}, {"silver", 8}})
type bit<16> name_t;
@p4runtime_translation("example.org/PortName", string)
type bit<9> port_name_t;
@p4runtime_translation("example.org/PortNumber", bit<32>)
type bit<9> port_number_t;
struct learn_t { bit<48> src; bit<9> port; bool known; }
struct headers_t { out_t o; in_t i; eth_t eth; }
struct meta_t { bit<4> small; bool special; name_t name; port_number_t port; }

const bit<9> CPU = 64;

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<16>>(4) special;
    state start {
        meta.special = false;
        transition select(std.ingress_port) {
            CPU: from_controller;
            default: ethernet;
        }
    }
    state from_controller { packet.extract(hdr.o); transition ethernet; }
    state ethernet {
        packet.extract(hdr.eth);
        transition select(hdr.eth.kind) { special: mark; default: accept; }
    }
    state mark { meta.special = true; transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    counter(8, CounterType.packets_and_bytes) seen;
    meter(4, MeterType.packets) police;
    register<bit<48>>(4) last;
    direct_counter(CounterType.packets_and_bytes) forwarded;
    direct_meter<bit<2>>(MeterType.bytes) coloured;
    bit<2> colour;
    action drop() { mark_to_drop(std); }
    action forward(bit<9> port) { std.egress_spec = port; }
    action count_forward(bit<9> port) { forwarded.count(); std.egress_spec = port; }
    action metered() { coloured.read(colour); }
    action to_controller() { std.egress_spec = CPU; }
    table exact_t {
        key = { hdr.eth.dst: exact; }
        actions = { count_forward; drop; @defaultonly to_controller; }
        default_action = drop();
        counters = forwarded;
        size = 65536;
    }
    table aging_t {
        key = { hdr.eth.src: exact; }
        actions = { forward; NoAction; }
        default_action = NoAction();
        support_timeout = true;
        size = 64;
    }
    table lpm_t { key = { hdr.eth.src: lpm; } actions = { forward; NoAction; } default_action = NoAction(); size = 4096; }
    table all_t {
        key = { hdr.eth.kind: ternary; std.ingress_port: range; meta.small: optional; }
        actions = { drop; NoAction; metered; }
        default_action = NoAction();
        meters = coloured;
        size = 128;
    }
    action_selector(HashAlgorithm.crc16, 32w64, 32w16) ways;
    @max_group_size(8)
    action_selector(HashAlgorithm.crc16, 32w64, 32w16) few;
    action_profile(4) hops;
    table selector_t {
        key = { hdr.eth.kind: exact; hdr.eth.dst: selector; }
        actions = { forward; drop; NoAction; }
        implementation = ways;
        size = 64;
    }
    table few_t {
        key = { hdr.eth.kind: exact; hdr.eth.src: selector; }
        actions = { forward; }
        implementation = few;
        size = 64;
    }
    table member_t {
        key = { hdr.eth.kind: exact; }
        actions = { forward; NoAction; }
        implementation = hops;
        size = 8;
    }
    action to_port(port_name_t port) { std.egress_spec = (bit<9>) port; }
    action to_wide(port_number_t port) { std.egress_spec = (bit<9>) port; }
    @name("name_t") table names {
        key = { meta.name: exact; }
        actions = { to_port; NoAction; }
        size = 8;
    }
    table wide_t {
        key = { meta.port: exact; }
        actions = { to_wide; NoAction; }
        size = 8;
    }
    table const_t {
        key = { hdr.eth.kind: exact; }
        actions = { NoAction; drop; }
        const default_action = NoAction();
        const entries = { 0xdead: drop(); 0xbeef: NoAction(); }
    }
    apply {
        colour = 0;
        meta.small = hdr.eth.kind[3:0];
        meta.name = (name_t) hdr.eth.dst[15:0];
        meta.port = (port_number_t) std.ingress_port;
        if (hdr.eth.kind == 0x4C45) {
            digest<learn_t>(1, { hdr.eth.src, std.ingress_port, true });
        }
        seen.count((bit<32>) std.ingress_port & 7);
        police.execute_meter<bit<2>>((bit<32>) std.ingress_port & 3, colour);
        last.write(0, hdr.eth.src);
        if (hdr.o.isValid()) {
            std.egress_spec = hdr.o.port;
            hdr.o.setInvalid();
        } else {
            exact_t.apply();
            lpm_t.apply();
            aging_t.apply();
            all_t.apply();
            if (hdr.eth.kind == 0x4E4D) { names.apply(); wide_t.apply(); }
            if (meta.special) { std.egress_spec = 1; }
            if (!selector_t.apply().hit) { few_t.apply(); member_t.apply(); }
            const_t.apply();
        }
        if (colour == 2) { mark_to_drop(std); }
        if (std.egress_spec == CPU) {
            hdr.i.setValid();
            hdr.i.port = std.ingress_port;
            hdr.i.pad = 0;
        }
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.i); packet.emit(hdr.eth); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
