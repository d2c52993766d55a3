// PNA: the Portable NIC Architecture. Main parser, pre control (decryption), main control, main deparser, between host and net.
// Source: "P4 Portable NIC Architecture (PNA)" 0.7.
//
// With MACSAD_DPDK_EXTENSIONS: what <dpdk/pna.p4> adds.

#ifndef __PNA_P4__
#define __PNA_P4__

#include <core.p4>

// A kind of number that has a type of its own: see the same macro in psa.p4; here the two widths may differ.
#define MACSAD_PNA_TEXT(text) #text
#define MACSAD_PNA_NUMBER(Name, bits, header_bits, runtime_bits) \
    typedef bit<bits> Name##Uint_t; \
    @p4runtime_translation(MACSAD_PNA_TEXT(p4.org/pna/v1/Name##_t), runtime_bits) \
    type Name##Uint_t Name##_t; \
    typedef bit<header_bits> Name##InHeaderUint_t; \
    @p4runtime_translation(MACSAD_PNA_TEXT(p4.org/pna/v1/Name##InHeader_t), runtime_bits) \
    type Name##InHeaderUint_t Name##InHeader_t; \
    Name##_t pna_##Name##_header_to_int(in Name##InHeader_t x) { \
        return (Name##_t) (Name##Uint_t) (Name##InHeaderUint_t) x; \
    } \
    Name##InHeader_t pna_##Name##_int_to_header(in Name##_t x) { \
        return (Name##InHeader_t) (Name##InHeaderUint_t) (Name##Uint_t) x; \
    }

MACSAD_PNA_NUMBER(PortId, 32, 32, 32)
MACSAD_PNA_NUMBER(InterfaceId, 32, 32, 32)
MACSAD_PNA_NUMBER(MulticastGroup, 32, 32, 32)
MACSAD_PNA_NUMBER(MirrorSessionId, 16, 16, 16)
MACSAD_PNA_NUMBER(MirrorSlotId, 8, 8, 8)
MACSAD_PNA_NUMBER(ClassOfService, 8, 8, 8)
MACSAD_PNA_NUMBER(PacketLength, 16, 16, 16)
MACSAD_PNA_NUMBER(MulticastInstance, 16, 16, 16)
MACSAD_PNA_NUMBER(Timestamp, 64, 64, 64)
MACSAD_PNA_NUMBER(FlowId, 32, 32, 32)
MACSAD_PNA_NUMBER(ExpireTimeProfileId, 8, 8, 8)
MACSAD_PNA_NUMBER(PassNumber, 3, 8, 8)
MACSAD_PNA_NUMBER(SecurityAssocId, 32, 32, 64)

#undef MACSAD_PNA_NUMBER
#undef MACSAD_PNA_TEXT

typedef error ParserError_t;

const InterfaceId_t PNA_PORT_CPU = (InterfaceId_t) 0xfffffffd;
const MirrorSessionId_t PNA_MIRROR_SESSION_TO_CPU = (MirrorSessionId_t) 0;

match_kind {
    range,
    selector,
    optional
}

enum PNA_IdleTimeout_t {
    NO_TIMEOUT,
    NOTIFY_CONTROL,
    AUTO_DELETE     // of version 0.7
}

enum PNA_HashAlgorithm_t {
#ifdef MACSAD_DPDK_EXTENSIONS
    IDENTITY,
    CRC32,
    CRC32_CUSTOM,
    CRC16,
    CRC16_CUSTOM,
    ONES_COMPLEMENT16,
    TOEPLITZ,
#endif
    TARGET_DEFAULT
}

extern Hash<O> {
    Hash(PNA_HashAlgorithm_t algo);
    O get_hash<D>(in D data);
    // base + hash mod max
    O get_hash<T, D>(in T base, in D data, in T max);
}

extern Checksum<W> {
    Checksum(PNA_HashAlgorithm_t hash);
    void clear();
    void update<T>(in T data);
    W get();
}

extern InternetChecksum {
    InternetChecksum();
    void clear();
    void add<T>(in T data);
    void subtract<T>(in T data);
    bit<16> get();
    bit<16> get_state();
    void set_state(in bit<16> checksum_state);
}

enum PNA_CounterType_t {
    PACKETS,
    BYTES,
    PACKETS_AND_BYTES
}

@noWarn("unused")
extern Counter<W, S> {
    Counter(bit<32> n_counters, PNA_CounterType_t type);
#ifdef MACSAD_DPDK_EXTENSIONS
    void count(in S index);
    void count(in S index, in bit<32> pkt_len);
#else
    void count(in S index, @optional in bit<32> increment);
#endif
}

@noWarn("unused")
extern DirectCounter<W> {
    DirectCounter(PNA_CounterType_t type);
#ifdef MACSAD_DPDK_EXTENSIONS
    void count();
    void count(in bit<32> pkt_len);
#else
    void count(@optional in bit<32> increment);
#endif
}

enum PNA_MeterType_t {
    PACKETS,
    BYTES
}

enum PNA_MeterColor_t {
    RED,
    GREEN,
    YELLOW
}

extern Meter<S> {
    Meter(bit<32> n_meters, PNA_MeterType_t type);
    PNA_MeterColor_t execute(in S index, in PNA_MeterColor_t color);
    PNA_MeterColor_t execute(in S index);
#ifdef MACSAD_DPDK_EXTENSIONS
    PNA_MeterColor_t dpdk_execute(in S index, in PNA_MeterColor_t color, in bit<32> pkt_len);
    PNA_MeterColor_t dpdk_execute(in S index, in bit<32> pkt_len);
#endif
}

extern DirectMeter {
    DirectMeter(PNA_MeterType_t type);
#ifdef MACSAD_DPDK_EXTENSIONS
    PNA_MeterColor_t execute(in PNA_MeterColor_t color);
    PNA_MeterColor_t execute();
    PNA_MeterColor_t dpdk_execute(in PNA_MeterColor_t color, in bit<32> pkt_len);
    PNA_MeterColor_t dpdk_execute(in bit<32> pkt_len);
#else
    PNA_MeterColor_t execute(in PNA_MeterColor_t color, @optional in bit<32> pkt_len);
    PNA_MeterColor_t execute(@optional in bit<32> pkt_len);
#endif
}

extern Register<T, S> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    T read(in S index);
    void write(in S index, in T value);
}

extern Random<T> {
    Random(T min, T max);
    T read();
}

extern ActionProfile {
    ActionProfile(bit<32> size);
}

extern ActionSelector {
    ActionSelector(PNA_HashAlgorithm_t algo, bit<32> size, bit<32> outputWidth);
}

extern Digest<T> {
    Digest();
    void pack(in T data);
}

#ifdef MACSAD_DPDK_EXTENSIONS
enum ipsec_status {
    IPSEC_SUCCESS,
    IPSEC_ERROR
}

extern ipsec_accelerator {
    ipsec_accelerator();
    void set_sa_index<T>(in T sa_index);
    void set_ip_header_offset<T>(in T offset);
    void enable();
    void disable();
    // Whether the packet went through the accelerator, and how it ended there.
    bool from_ipsec(out ipsec_status status);
}
#endif

enum PNA_Direction_t {
    NET_TO_HOST,
    HOST_TO_NET
}

enum PNA_PacketPath_t {
    FROM_NET_PORT,
    FROM_NET_LOOPEDBACK,
    FROM_NET_RECIRCULATED,
    FROM_HOST,
    FROM_HOST_LOOPEDBACK,
    FROM_HOST_RECIRCULATED
}

struct pna_pre_input_metadata_t {
    PortId_t input_port;
    ParserError_t parser_error;
    PNA_Direction_t direction;
    PassNumber_t pass;
    bool loopedback;
}

struct pna_pre_output_metadata_t {
    bool decrypt;                   // the fields below are read when this is true
    SecurityAssocId_t said;
    bit<16> decrypt_start_offset;   // bytes
}

struct pna_main_parser_input_metadata_t {
    PNA_Direction_t direction;
    PassNumber_t pass;
    bool loopedback;
    PortId_t input_port;
}

struct pna_main_input_metadata_t {
    PNA_Direction_t direction;
    PassNumber_t pass;
    bool loopedback;
    Timestamp_t timestamp;
    ParserError_t parser_error;
    ClassOfService_t class_of_service;
    PortId_t input_port;
}

struct pna_main_output_metadata_t {
    ClassOfService_t class_of_service;
}

// What becomes of the packet: the last of these that the main control calls counts; mirrors come on top.
extern void drop_packet();
extern void send_to_port(PortId_t dest_port);
extern void recirculate();
extern void mirror_packet(MirrorSlotId_t mirror_slot_id, MirrorSessionId_t mirror_session_id);

// For the default action of a table with the property add_on_miss: puts in an entry for the key that missed.
extern bool add_entry<T>(string action_name, in T action_params, in ExpireTimeProfileId_t expire_time_profile_id);
extern FlowId_t allocate_flow_id();
extern void set_entry_expire_time(in ExpireTimeProfileId_t expire_time_profile_id);
extern void restart_expire_timer();

// One value for each direction, such as source here and destination there.
@pure
extern T SelectByDirection<T>(in PNA_Direction_t direction, in T n2h_value, in T h2n_value);

control PreControlT<PH, PM>(
    in PH pre_hdr,
    inout PM pre_user_meta,
    in pna_pre_input_metadata_t istd,
    inout pna_pre_output_metadata_t ostd);

parser MainParserT<MH, MM>(
    packet_in pkt,
    out MH main_hdr,
    inout MM main_user_meta,
    in pna_main_parser_input_metadata_t istd);

control MainControlT<MH, MM>(
    inout MH main_hdr,
    inout MM main_user_meta,
    in pna_main_input_metadata_t istd,
    inout pna_main_output_metadata_t ostd);

control MainDeparserT<MH, MM>(
    packet_out pkt,
    in MH main_hdr,
    in MM main_user_meta,
    in pna_main_output_metadata_t ostd);

package PNA_NIC<PH, PM, MH, MM>(
    MainParserT<MH, MM> main_parser,
    PreControlT<PH, PM> pre_control,
    MainControlT<MH, MM> main_control,
    MainDeparserT<MH, MM> main_deparser);

#endif
