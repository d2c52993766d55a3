// State that lives on between packets: a register, counters, a direct counter; checksums over header and payload.
#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> slot; bit<8> value; bit<16> sum; }

struct headers_t { work_t work; }
struct meta_t { bit<8> before; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.work);
        transition accept;
    }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(hdr.work.isValid(), { hdr.work.slot, hdr.work.value }, hdr.work.sum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<8>>(16) sums;
    counter(16, CounterType.packets_and_bytes) slots;
    direct_counter(CounterType.packets_and_bytes) chosen;
    action forward(bit<9> port) { sm.egress_spec = port; }
    table choose {
        key = { hdr.work.slot : exact; }
        actions = { forward; NoAction; }
        default_action = NoAction();
        counters = chosen;
    }
    apply {
        if (sm.checksum_error == 1) {
            mark_to_drop(sm);
            return;
        }
        choose.apply();
        slots.count((bit<32>) hdr.work.slot);
        sums.read(meta.before, (bit<32>) hdr.work.slot);
        hdr.work.value = hdr.work.value + meta.before;
        sums.write((bit<32>) hdr.work.slot, hdr.work.value);
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }

control C(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.work.isValid(), { hdr.work.slot, hdr.work.value }, hdr.work.sum, HashAlgorithm.csum16);
    }
}

control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.work); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
