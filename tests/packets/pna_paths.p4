/* PNA: where packets go. The last call decides, mirrored copies come on top, a pass has its number, ports a direction. */
#include <core.p4>
#include <dpdk/pna.p4>

header h_t {
    bit<8> command;
    bit<8> port;
    bit<8> pass;
    bit<8> note;
    bit<32> a;
    bit<32> b;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    bit<8> kept;
}

parser Main(packet_in packet, out headers_t hdr, inout metadata_t meta, in pna_main_parser_input_metadata_t istd) {
    state start {
        packet.extract(hdr.h);
        transition select(istd.direction) {
            PNA_Direction_t.HOST_TO_NET: from_host;
            default: accept;
        }
    }
    state from_host {
        meta.kept = 0x80;
        transition accept;
    }
}

control Before(in headers_t hdr, inout metadata_t meta, in pna_pre_input_metadata_t istd,
               inout pna_pre_output_metadata_t ostd) {
    apply {
        if (istd.parser_error != error.NoError) {
            meta.kept = meta.kept | 0x40;
        }
        if (hdr.h.command == 8 && (PassNumberUint_t)istd.pass < 3) {
            recirculate();
        }
    }
}

control Work(inout headers_t hdr, inout metadata_t meta, in pna_main_input_metadata_t istd,
             inout pna_main_output_metadata_t ostd) {
    action to(bit<8> port) {
        send_to_port((PortId_t)(PortIdUint_t)port);
    }
    apply {
        hdr.h.pass = (bit<8>)(PassNumberUint_t)istd.pass;
        hdr.h.note = meta.kept;
        if (hdr.h.command == 0) {
            to(hdr.h.port);
        } else if (hdr.h.command == 1) {
            to(hdr.h.port);
            drop_packet();
        } else if (hdr.h.command == 2) {
            drop_packet();
            to(hdr.h.port);
        } else if (hdr.h.command == 3) {
            mirror_packet((MirrorSlotId_t)1, (MirrorSessionId_t)5);
            mirror_packet((MirrorSlotId_t)3, (MirrorSessionId_t)(MirrorSessionIdUint_t)(bit<16>)hdr.h.port);
            drop_packet();
        } else if (hdr.h.command == 4) {
            mirror_packet((MirrorSlotId_t)1, (MirrorSessionId_t)7);
            mirror_packet((MirrorSlotId_t)1, (MirrorSessionId_t)5);
            to(hdr.h.port);
        } else if (hdr.h.command == 5) {
            hdr.h.command = (PassNumberUint_t)istd.pass == 2 ? 8w0 : 8w5;
            mirror_packet((MirrorSlotId_t)0, (MirrorSessionId_t)5);
            recirculate();
            to(hdr.h.port);
        } else if (hdr.h.command == 6) {
            recirculate();
            drop_packet();
        } else if (hdr.h.command == 7) {
            hdr.h.a = SelectByDirection(istd.direction, hdr.h.a, hdr.h.b);
            hdr.h.b = (bit<32>)(PortIdUint_t)istd.input_port;
            to(hdr.h.port);
        } else if (hdr.h.command == 8) {
            to(hdr.h.port);
        } else if (hdr.h.command == 9) {
            hdr.h.setInvalid();
            mirror_packet((MirrorSlotId_t)2, (MirrorSessionId_t)5);
            recirculate();
        }
        if (istd.parser_error == error.PacketTooShort && (meta.kept & 0x40) != 0) {
            send_to_port((PortId_t)9);
        }
    }
}

control Out(packet_out packet, in headers_t hdr, in metadata_t meta, in pna_main_output_metadata_t ostd) {
    apply {
        packet.emit(hdr);
    }
}

PNA_NIC(Main(), Before(), Work(), Out()) main;
