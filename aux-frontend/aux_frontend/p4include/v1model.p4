// v1model: the architecture of BMv2's simple_switch, and of P4-14 programs.
// One parser, checksum verification, ingress, a traffic manager (multicast, clones, queues), egress, checksum update, deparser.
// Source: the public documentation of simple_switch; P4-14 specification 1.0.5, section 6.
//
// V1MODEL_VERSION chooses between two generations of the interface: 20180101 (the default) and 20200408, in which port
// numbers have a name of their own and indexed externs take an index of any type.

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#include <core.p4>

#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif

const bit<32> __v1model_version = V1MODEL_VERSION;
const bool MACSAD_V1MODEL_VERSION_IS_KNOWN = static_assert(
    V1MODEL_VERSION >= 20180101 && V1MODEL_VERSION <= 20200408,
    "V1MODEL_VERSION must lie between 20180101 and 20200408");

match_kind {
    range,      // low..high
    optional,   // one exact value or anything
    selector    // not matched: its value takes part in the choice of an action selector's member
}

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#define MACSAD_V1MODEL_PORT PortId_t
#else
#define MACSAD_V1MODEL_PORT bit<9>
#endif

@metadata
@name("standard_metadata")
struct standard_metadata_t {
    MACSAD_V1MODEL_PORT ingress_port;
    MACSAD_V1MODEL_PORT egress_spec;     // what ingress asks for; 511 drops
    MACSAD_V1MODEL_PORT egress_port;     // what egress sees
    bit<32> instance_type;               // 0 normal, 1 ingress clone, 2 egress clone, 3 coalesced, 4 recirculated, 5 replicated, 6 resubmitted
    bit<32> packet_length;               // bytes, as received
    // Queueing: times in microseconds, depths in packets.
    @alias("queueing_metadata.enq_timestamp")
    bit<32> enq_timestamp;
    @alias("queueing_metadata.enq_qdepth")
    bit<19> enq_qdepth;
    @alias("queueing_metadata.deq_timedelta")
    bit<32> deq_timedelta;
    @alias("queueing_metadata.deq_qdepth")
    bit<19> deq_qdepth;
    @alias("intrinsic_metadata.ingress_global_timestamp")
    bit<48> ingress_global_timestamp;
    @alias("intrinsic_metadata.egress_global_timestamp")
    bit<48> egress_global_timestamp;
    @alias("intrinsic_metadata.mcast_grp")
    bit<16> mcast_grp;                   // 0: no multicast
    @alias("intrinsic_metadata.egress_rid")
    bit<16> egress_rid;                  // which replica this is
    bit<1> checksum_error;               // 1: verify_checksum found a wrong one
    error parser_error;                  // why the parser rejected, or NoError
    @alias("intrinsic_metadata.priority")
    bit<3> priority;                     // of the egress queue
}

enum CounterType {
    packets,
    bytes,
    packets_and_bytes
}

enum MeterType {
    packets,
    bytes
}

// What a meter answers.
#define V1MODEL_METER_COLOR_GREEN 0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED 2

// Arrays of counters, meters and registers. An index outside of the array counts, meters and writes nothing.
#if V1MODEL_VERSION >= 20200408

extern counter<I> {
    counter(bit<32> size, CounterType type);
    void count(in I index);
}

extern meter<I> {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in I index, out T result);
}

extern register<T, I> {
    register(bit<32> size);
    @noSideEffects
    void read(out T result, in I index);
    void write(in I index, in T value);
}

#else

extern counter {
    counter(bit<32> size, CounterType type);
    void count(in bit<32> index);
}

extern meter {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in bit<32> index, out T result);
}

extern register<T> {
    register(bit<32> size);
    @noSideEffects
    void read(out T result, in bit<32> index);
    void write(in bit<32> index, in T value);
}

#endif

// One counter or meter for each entry of the table whose property `counters` or `meters` names it.
extern direct_counter {
    direct_counter(CounterType type);
    void count();
}

extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

// Table implementations: entries name a member, or a group of members of which a hash picks one.
enum HashAlgorithm {
    crc32,
    crc32_custom,
    crc16,
    crc16_custom,
    random,
    identity,
    csum16,
    xor16
}

extern action_profile {
    action_profile(bit<32> size);
}

extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

// result = a number from lo to hi, both included.
extern void random<T>(out T result, in T lo, in T hi);

// result = base + hash(data) mod max; base when max is 0.
@pure
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);

// Sends the data to the control plane, to this receiver.
extern void digest<T>(in bit<32> receiver, in T data);

// The packet will not leave: egress_spec becomes the drop port, and there is no multicast.
@pure
extern void mark_to_drop(inout standard_metadata_t standard_metadata);
@deprecated("mark_to_drop takes standard_metadata as its argument now")
extern void mark_to_drop();

// Checksums over the fields of `data`, only where the condition holds. The forms _with_payload go on over the rest of
// the packet.
extern void verify_checksum<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
@pure
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
@noSideEffects
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);

@deprecated("verify_checksum and update_checksum replace it")
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

// Second passes of a packet. The forms _preserving_field_list keep the metadata fields that carry @field_list(index).
enum CloneType {
    I2E,    // ingress to egress
    E2E     // egress to egress
}

extern void clone(in CloneType type, in bit<32> session);
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);
extern void resubmit_preserving_field_list(bit<8> index);
extern void recirculate_preserving_field_list(bit<8> index);

@deprecated("clone_preserving_field_list replaces it")
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);
@deprecated("resubmit_preserving_field_list replaces it")
extern void resubmit<T>(in T data);
@deprecated("recirculate_preserving_field_list replaces it")
extern void recirculate<T>(in T data);

// Cuts the packet to this many bytes when it leaves.
extern void truncate(in bit<32> length);

// assert: a line in the log and a count when the check fails; the packet goes on. assume: the same, said to a verifier.
extern void assert(in bool check);
extern void assume(in bool check);

// A line in the switch's log; {} in the message stands for the next field of the data.
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

parser Parser<H, M>(
    packet_in b,
    out H parsedHdr,
    inout M meta,
    inout standard_metadata_t standard_metadata);

control VerifyChecksum<H, M>(inout H hdr, inout M meta);

@pipeline
control Ingress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);

@pipeline
control Egress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);

control ComputeChecksum<H, M>(inout H hdr, inout M meta);

@deparser
control Deparser<H>(packet_out b, in H hdr);

package V1Switch<H, M>(
    Parser<H, M> p,
    VerifyChecksum<H, M> vr,
    Ingress<H, M> ig,
    Egress<H, M> eg,
    ComputeChecksum<H, M> ck,
    Deparser<H> dep);

#undef MACSAD_V1MODEL_PORT

#endif
