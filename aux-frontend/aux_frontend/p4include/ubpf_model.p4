// ubpf_model: a user-space BPF virtual machine inside of a software switch. Parser, pipeline, deparser.
// Source: the public documentation of p4c's uBPF back end.
//
// Since UBPF_MODEL_VERSION 20200515 (the default) the blocks have standard metadata.

#ifndef _UBPF_MODEL_P4_
#define _UBPF_MODEL_P4_

#include <core.p4>

#ifndef UBPF_MODEL_VERSION
#define UBPF_MODEL_VERSION 20200515
#endif

const bit<32> __ubpf_model_version = UBPF_MODEL_VERSION;

#if UBPF_MODEL_VERSION >= 20200515
#define MACSAD_UBPF_STANDARD , inout standard_metadata std

enum ubpf_action {
    ABORT,      // an error of the program
    DROP,
    PASS,
    REDIRECT    // to output_port
}

struct standard_metadata {
    bit<32> input_port;
    bit<32> packet_length;      // bytes
    ubpf_action output_action;
    bit<32> output_port;
    bool clone;
    bit<32> clone_port;
}
#else
#define MACSAD_UBPF_STANDARD
#endif

extern void mark_to_drop();
extern void mark_to_pass();

extern Register<T, S> {
    Register(bit<32> size);
    T read(in S index);
    void write(in S index, in T value);
}

// Nanoseconds since the machine started.
extern bit<48> ubpf_time_get_ns();

// Cuts the packet to this many bytes.
extern void truncate(in bit<32> len);

enum HashAlgorithm {
    lookup3
}

extern void hash<D>(out bit<32> result, in HashAlgorithm algo, in D data);

// An Internet checksum after a 16- or 32-bit field under it changed.
extern bit<16> csum_replace2(in bit<16> csum, in bit<16> old, in bit<16> new);
extern bit<16> csum_replace4(in bit<16> csum, in bit<32> old, in bit<32> new);

parser parse<H, M>(packet_in packet, out H headers, inout M meta MACSAD_UBPF_STANDARD);
control pipeline<H, M>(inout H headers, inout M meta MACSAD_UBPF_STANDARD);
@deparser
control deparser<H>(packet_out b, in H headers);

package ubpf<H, M>(parse<H, M> prs, pipeline<H, M> p, deparser<H> dprs);

#undef MACSAD_UBPF_STANDARD

#endif
