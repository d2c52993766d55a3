// Tutorial-sized mistakes in one pipeline.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
header ethernet_t { mac_t dst; mac_t src; bit<16> type; }
header ipv4_t { bit<8> ttl; bit<16> checksum; bit<32> src; bit<32> dst; }
struct headers_t { ethernet_t ethernet; ipv4_t ipv4; ipv4_t[2] inner; }
struct meta_t { bit<1> seen; }

control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t smeta) {
    register<bit<32>>(1024) flows;
    counter(16, CounterType.bytes) bytes;
    bit<32> value;
    action forward(mac_t mac, bit<9> port) {
        smeta.egress_spec = mac;
        hdr.ethernet.dst = port;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 8w1 - 16w1;
    }
    table routes {
        key = { hdr.ipv4.dst : lpm; }
        actions = { forward; }
        default_action = forward(1);
    }
    apply {
        if (meta.seen) { routes.apply(); }
        if (hdr.ipv4) { routes.apply(); }
        hdr.ipv4.isValid = true;
        bytes.count(smeta.ingress_port);
        flows.read(0, value);
        flows.read(value, hdr.ipv4.src << 1);
        hash(value, HashAlgorithm.crc16, 16w0, hdr.ipv4.src, 16w10);
        mark_to_drop();
        routes.apply(hdr);
        hdr.ethernet = hdr.ipv4;
        hdr.inner[2].ttl = 1;
        forward(hdr.ethernet.src);
        digest(1, meta);
        random(value, 0, 10);
    }
}
