/* What a generated program exports, and what it may call: the interface between generated C and the runtime.
 *
 * By pipeline. For each burst the runtime fills the packets' records (struct macs_packet: handle, data, length,
 * contiguous, ingress_port, instance_type, ingress_ns), calls ingress(), reads the verdicts, replicates packets, calls
 * egress() for those that go out, and sends them in the order of the burst. Where ingress and egress are merged, egress
 * is NULL. The last of them runs the deparser: `length` and `data` are then those of the frame to send. ingress() may
 * have changed the frame too; it has made the ingress clones before.
 * A program with requests (macs_packet.requests) has an egress of its own, unless it only truncates or ciphers. clone()
 * turns the copied state of a packet into that of a clone: instance_type is the kind of clone, requests.preserved the
 * list of fields that it keeps.
 * Cut. ingress() of one worker ends some packets and hands over the others, MACS_HAND_OVER; another worker goes on with
 * these by ingress_back[0], a third one by ingress_back[1], ...; the last one with all of them as above, and with their
 * further passes from ingress() on (docs/placement.md).
 *
 * To completion. A program in which a packet goes through one pipeline, once, takes a received burst, fills the records
 * itself, and returns the packets with their verdicts (macs/run_to_completion.h): by run_to_completion(), or software
 * pipelined by prologue() and epilogue(). It returns the number of bytes received. Packets that are replicated or
 * recirculated go on through its egress() and ingress().
 */
#ifndef MACS_PROGRAM_H
#define MACS_PROGRAM_H

#include <macs/packet.h>
#include <macs/table.h>

#define MACS_PARTS_MAX 8u /* of a program that is cut */

enum macs_unit { MACS_PACKETS = 1, MACS_BYTES = 2, MACS_PACKETS_AND_BYTES = 3 };

enum macs_extern_kind {
    MACS_COUNTER,
    MACS_DIRECT_COUNTER,
    MACS_REGISTER,
    MACS_DIGEST,
    MACS_METER,
    MACS_DIRECT_METER,
    MACS_ACTION_PROFILE,
    MACS_ACTION_SELECTOR,
    MACS_CUSTOM_CRC,
};

struct macs_digest_field {
    const char *name;
    uint16_t bits;
};

struct macs_locks;
struct macs_steering;

/* A stateful extern instance. `size`: elements; direct ones: their table's size + 1, the last for the default entry.
 * State in `externs`: struct macs_counter, macs_register, macs_digest, macs_meter (macs/extern.h). */
struct macs_extern_desc {
    const char *name;
    const char *table;                      /* of a direct extern, a table of an action profile, else NULL */
    const struct macs_digest_field *fields; /* of a digest, of a register's element */
    const uint64_t *initial;                /* of a register: what its elements begin with; NULL: zero */
    const struct macs_locks *locks;         /* of a register: what its cells are held by; NULL: nothing need be */
    uint32_t stride;                        /* of a register: bytes from index to index */
    uint16_t leader; /* of a register: the instance that has its memory, itself outside bundles */
    uint16_t at;     /* of a register: the byte where its cells are in those of an index */
    uint32_t size;
    uint16_t bits; /* of a register's element; of a digest's record; of a custom CRC */
    uint16_t field_count;
    uint8_t kind; /* enum macs_extern_kind */
    uint8_t unit; /* enum macs_unit, of counters and meters */
};

/* The architecture's numbers for the ways on which the runtime sends packets: what instance_type becomes. */
struct macs_instances {
    uint8_t replicated, ingress_clone, egress_clone, resubmitted, recirculated;
};

struct macs_worker;
struct macs_cipher;
struct macs_decisions_shape;
struct macs_clock_desc;

typedef void macs_pipe_fn(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count);
typedef uint64_t macs_burst_fn(struct macs_worker *worker, const odp_packet_t handles[], unsigned count);
typedef uint64_t macs_prologue_fn(struct macs_worker *worker, void *burst, const odp_packet_t handles[],
                                  unsigned count);
typedef void macs_epilogue_fn(struct macs_worker *worker, void *burst, void *next);

struct macs_program {
    const char *name;
    const char *source;        /* P4 file */
    uint32_t state_bytes;      /* of the program's state behind struct macs_packet, that struct included */
    uint32_t parse_bytes;      /* the parser looks at no more than these first bytes of a frame */
    uint32_t grow_bytes;       /* the deparser may make a frame longer by at most this */
    uint32_t waited_at;        /* where struct macs_waited stands in a packet's state; 0: packets wait in no queues */
    uint32_t recirculate_port; /* of no interface; what goes there begins anew. 0: there is no such port */
    bool ordered;              /* a packet goes through all pipes before the next one begins: they share a state */
    bool uses_requests;        /* the program may set macs_packet.requests, and not only to cipher */
    bool tells_service;        /* egress is told the class of service of a packet (macs_packet.requests) */
    bool uses_time;            /* the program may look at the time: packets' or the worker's */
    bool reads_ahead;          /* the runtime prefetches the headers of the next packets while it binds one */
    bool avoids_huge_pages;    /* tables are never on huge pages */
    bool leaves_untidy;        /* tables stay as changes have left them (runtime/tidy.h) */
    bool sends_singly;         /* the runtime gathers no packets before it sends them */
    bool ciphers_singly;       /* nor before it ciphers their payloads */
    uint32_t workers, burst, sub_batch; /* unless the command line says others; 0: the runtime's */
    const char *cpus;                   /* likewise, as --cpus has them; or NULL */
    int (*start)(void); /* the target's, called when ODP has begun and before ports are opened: 0 or -errno; or NULL */
    const struct macs_cipher *cipher;             /* of programs that cipher payloads (macs/cipher.h), else NULL */
    const struct macs_decisions_shape *decisions; /* of programs with a cache of decisions (macs/decisions.h) */
    struct macs_instances instances;
    uint16_t table_count;
    uint16_t extern_count;
    uint16_t lock_count;
    uint16_t clock_count; /* stage clocks, see macs/clock.h; 0: none */
    const struct macs_clock_desc *clock_descs;
    uint16_t place_count;                 /* places that drop packets, see macs/cause.h */
    const char *const *places;            /* "FILE:LINE" each; "" for a number that is not used */
    struct macs_locks *locks;             /* lock_count of them, of groups of registers; made by the runtime */
    const struct macs_steering *steering; /* whose frames are whose, where registers can be sharded; else NULL */
    const struct macs_table_desc *table_descs;
    struct macs_table *tables; /* table_count of them, filled by the runtime before the first burst */
    const struct macs_extern_desc *extern_descs;
    void **externs; /* extern_count pointers to their state (macs/extern.h), filled by the runtime likewise */
    macs_burst_fn *run_to_completion; /* a received burst from end to end: the pipelines are for what goes on */
    macs_prologue_fn *prologue;       /* or its prologue; what is known of it then is in `burst_bytes` bytes */
    macs_epilogue_fn *epilogue;       /* and its epilogue; `next`: that whose prologue has run since, or NULL */
    size_t burst_bytes;
    macs_pipe_fn *ingress;
    macs_pipe_fn *ingress_back[MACS_PARTS_MAX]; /* of a program that is cut: its parts behind ingress(), then NULL */
    macs_pipe_fn *clone;
    macs_pipe_fn *egress;
};

/* The one program of this binary. */
extern const struct macs_program macs_program;

#endif
