// Every packet path of PSA: normal (unicast, multicast), clones at both ends, resubmit, recirculate, drops; with what each
// takes along. `todo` says what is to be done; at_ingress, at_egress: how the packet came there; carried: the metadata.
#include <core.p4>
#include <psa.p4>

const bit<8> NOTHING = 0;
const bit<8> SEND = 1;
const bit<8> MULTICAST = 2;
const bit<8> CLONE = 3;
const bit<8> CLONE_AND_DROP = 4;
const bit<8> RESUBMIT = 5;
const bit<8> RECIRCULATE = 6;
const bit<8> CLONE_LATER = 7;
const bit<8> DROP_LATER = 8;
const bit<8> CLONE_LATER_AND_DROP = 9;
const bit<8> DROP_AFTER_ALL = 10;

header work_t {
    bit<8> todo;
    bit<8> arg;
    bit<8> at_ingress;
    bit<8> at_egress;
    bit<8> carried;
    bit<8> service;
    bit<8> instance;
    bit<8> rejected;
}

header tag_t { bit<8> value; }

struct headers_t { work_t work; tag_t tag; }
struct metadata_t { bit<8> mark; bit<8> tagged; }

struct mark_t { bit<8> mark; }
struct marks_t { mark_t inner; tag_t tag; tag_t[2] tags; }

control Number(in PSA_PacketPath_t path, out bit<8> number) {
    apply {
        switch (path) {
            PSA_PacketPath_t.NORMAL: { number = 0x10; }
            PSA_PacketPath_t.NORMAL_UNICAST: { number = 0x11; }
            PSA_PacketPath_t.NORMAL_MULTICAST: { number = 0x12; }
            PSA_PacketPath_t.CLONE_I2E: { number = 0x13; }
            PSA_PacketPath_t.CLONE_E2E: { number = 0x14; }
            PSA_PacketPath_t.RESUBMIT: { number = 0x15; }
            PSA_PacketPath_t.RECIRCULATE: { number = 0x16; }
        }
    }
}

parser InParser(packet_in packet, out headers_t hdr, inout metadata_t meta, in psa_ingress_parser_input_metadata_t istd,
                in mark_t resubmitted, in mark_t recirculated) {
    state start {
        meta.mark = 0;
        transition select(istd.packet_path) {
            PSA_PacketPath_t.RESUBMIT: again;
            PSA_PacketPath_t.RECIRCULATE: round;
            default: first;
        }
    }
    state again {
        meta.mark = resubmitted.mark;
        transition first;
    }
    state round {
        meta.mark = recirculated.mark;
        transition first;
    }
    state first {
        packet.extract(hdr.work);
        transition accept;
    }
}

control In(inout headers_t hdr, inout metadata_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    Number() number;
    apply {
        if (istd.parser_error != error.NoError) {
            hdr.tag.setValid();
            hdr.tag.value = istd.parser_error == error.PacketTooShort ? 8w0xee : 0;
            send_to_port(ostd, (PortId_t) 9);
            exit;
        }
        number.apply(istd.packet_path, hdr.work.at_ingress);
        hdr.work.carried = meta.mark;
        PortId_t port = (PortId_t) (PortIdUint_t) hdr.work.arg;
        ostd.class_of_service = (ClassOfService_t) 3;
        if (hdr.work.todo == MULTICAST && istd.ingress_port != PSA_PORT_RECIRCULATE) {
            multicast(ostd, (MulticastGroup_t) (MulticastGroupUint_t) hdr.work.arg);
        } else if (hdr.work.todo == CLONE || hdr.work.todo == CLONE_AND_DROP) {
            ostd.clone = true;
            ostd.clone_session_id = (CloneSessionId_t) (CloneSessionIdUint_t) hdr.work.arg;
            if (hdr.work.todo == CLONE) { send_to_port(ostd, (PortId_t) 1); }
        } else if (hdr.work.todo == RESUBMIT) {
            send_to_port(ostd, port);
            ostd.resubmit = istd.packet_path == PSA_PacketPath_t.NORMAL;
        } else if (hdr.work.todo == RECIRCULATE) {
            send_to_port(ostd, istd.ingress_port == PSA_PORT_RECIRCULATE ? port : PSA_PORT_RECIRCULATE);
        } else if (hdr.work.todo == DROP_AFTER_ALL) {
            send_to_port(ostd, port);
            ingress_drop(ostd);
        } else if (hdr.work.todo != NOTHING) {
            send_to_port(ostd, port);
        }
    }
}

control InDeparser(packet_out packet, out mark_t clone, out mark_t resubmit, out marks_t normal, inout headers_t hdr,
                   in metadata_t meta, in psa_ingress_output_metadata_t istd) {
    apply {
        if (psa_clone_i2e(istd)) { clone.mark = 0xc1; }
        if (psa_resubmit(istd)) { resubmit.mark = 0x5b; }
        if (psa_normal(istd)) {
            normal.inner.mark = 0xa0;
            normal.tags[1].setValid();
            normal.tags[1].value = 5;
        }
        packet.emit(hdr);
    }
}

parser OutParser(packet_in packet, out headers_t hdr, inout metadata_t meta, in psa_egress_parser_input_metadata_t istd,
                 in marks_t normal, in mark_t first, in mark_t second) {
    state start {
        meta.tagged = 0;
        transition select(istd.packet_path) {
            PSA_PacketPath_t.CLONE_I2E: from_ingress;
            PSA_PacketPath_t.CLONE_E2E: from_egress;
            default: usual;
        }
    }
    state from_ingress {
        meta.mark = first.mark;
        transition rest;
    }
    state from_egress {
        meta.mark = second.mark;
        transition rest;
    }
    state usual {
        meta.mark = normal.inner.mark;
        meta.tagged = normal.tags[1].isValid() && !normal.tags[0].isValid() && !normal.tag.isValid()
            ? normal.tags[1].value : 0;
        transition rest;
    }
    state rest {
        packet.extract(hdr.work);
        transition accept;
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, in psa_egress_input_metadata_t istd,
            inout psa_egress_output_metadata_t ostd) {
    Number() number;
    apply {
        if (istd.parser_error != error.NoError) { exit; }
        bool clone = istd.packet_path == PSA_PacketPath_t.CLONE_E2E;
        number.apply(istd.packet_path, hdr.work.at_egress);
        hdr.work.carried = clone ? meta.mark : hdr.work.carried | meta.mark | meta.tagged;
        hdr.work.service = (bit<8>) (ClassOfServiceUint_t) istd.class_of_service;
        hdr.work.instance = (bit<8>) (EgressInstanceUint_t) istd.instance;
        if (clone) { return; }
        if (hdr.work.todo == CLONE_LATER || hdr.work.todo == CLONE_LATER_AND_DROP) {
            ostd.clone = true;
            ostd.clone_session_id = (CloneSessionId_t) 2;
        }
        if (hdr.work.todo == DROP_LATER || hdr.work.todo == CLONE_LATER_AND_DROP) { egress_drop(ostd); }
    }
}

control OutDeparser(packet_out packet, out mark_t clone, out mark_t again, inout headers_t hdr, in metadata_t meta,
                    in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply {
        if (psa_clone_e2e(istd)) { clone.mark = 0xc2; }
        if (psa_recirculate(istd, edstd)) { again.mark = 0x06; }
        packet.emit(hdr);
    }
}

IngressPipeline(InParser(), In(), InDeparser()) ingress;
EgressPipeline(OutParser(), Out(), OutDeparser()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
