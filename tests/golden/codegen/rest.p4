// The parts that the programs beside this file do not care about.
control NoVerify(inout headers_t hdr, inout metadata_t meta) { apply { } }
control NoEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) { apply { } }
control NoCompute(inout headers_t hdr, inout metadata_t meta) { apply { } }
control Emit(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), NoVerify(), I(), NoEgress(), NoCompute(), Emit()) main;
