/* The switch: the program, its tables and externs, ports, workers, and what they share. lifecycle.h makes it. */
#ifndef MACS_RUNTIME_SWITCH_H
#define MACS_RUNTIME_SWITCH_H

#include <macs/program.h>
#include <macs/qsbr.h>
#include <odp_api.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/bell.h"
#include "runtime/digest.h"
#include "runtime/log.h"
#include "runtime/multicast.h"
#include "runtime/options.h"
#include "runtime/port.h"

struct macs_adapt;
struct macs_fall_back;
struct macs_ports_gone;
struct macs_capture;
struct macs_queues;
struct macs_thread;
struct macs_trace;

/* What a packet has room for, in bytes: a program's state, its first segment, headers that are added in front. */
struct macs_room {
    uint32_t state, segment, headroom;
};

struct macs_switch {
    const struct macs_program *program;
    struct macs_options options;
    struct macs_log log;
    odp_instance_t instance;
    bool odp_global, odp_local;
    odp_pool_t pool;
    struct macs_room room;
    odp_time_t start;
    struct macs_qsbr *qsbr;
    unsigned table_count; /* of program->tables that have been made */
    uint32_t swaps;       /* programs that have taken the place of another one */
    struct macs_digest_queue digests;
    struct macs_multicast *multicast;
    struct macs_port ports[MACS_PORTS_MAX]; /* slots */
    unsigned port_count;                    /* slots that are or were in use */
    _Atomic uint32_t ports_version;
    struct macs_ports_gone *gone;               /* what ports that were taken away have counted: stats.h */
    uint8_t slot_of[UINT16_MAX + 1];            /* port number → slot + 1; 0: no such port */
    _Atomic uint8_t directions[UINT16_MAX + 1]; /* port number → enum macs_nic_direction */
    _Atomic uint64_t mirrors[MACS_NO_SESSION];  /* clone sessions, as runtime/mirror.c packs them */
    bool has_ctl;                               /* a `ctl:` port */
    struct macs_ctl_out ctl_out, ctl_pushed;
    struct macs_bell bell;              /* digests and pushed frames are there */
    struct macs_capture *capture;       /* with --pcap, else NULL */
    _Atomic(struct macs_trace *) trace; /* while somebody traces, else NULL */
    _Atomic bool watched;               /* workers show what they receive: capture or trace is there */
    struct macs_queues *queues;         /* NULL until a program has them */
    struct macs_thread **workers;
    unsigned worker_count;
    uint64_t loops_ns; /* when macs_loops_watch looked last */
    bool running;
    bool steered;            /* each frame goes to the worker that its registers' cells belong to: steering.h */
    _Atomic uint64_t budget; /* with --count: how many more packets may be received */
    _Atomic bool stopping;
    _Atomic bool ending;              /* the process was told to end: what may take long breaks off */
    _Atomic bool rest;                /* workers rest: runtime/rest.h */
    _Atomic uint32_t batch;           /* B << 16 | b: both change together */
    struct macs_adapt *adapt;         /* changes it, if it is on */
    _Atomic bool cloned;              /* each worker runs all parts of a program that is cut: runtime/parts.h */
    struct macs_fall_back *fall_back; /* changes that, if it is on */
    bool receives_nothing;            /* for workers that look at the ports anew */
};

/* Time since the switch started. Any thread. */
static inline uint64_t macs_switch_now(const struct macs_switch *sw) {
    return odp_time_diff_ns(odp_time_global(), sw->start);
}

/* Whether a copy may be sent to a port of that number, be there an interface or not. */
static inline bool macs_switch_takes_port(const struct macs_switch *sw, uint64_t number) {
    return number <= UINT16_MAX || (number == sw->program->recirculate_port && number);
}

/* Slot + 1 of the port of that number; 0: there is none. */
static inline unsigned macs_switch_slot(const struct macs_switch *sw, uint32_t number) {
    return odp_likely(number <= UINT16_MAX) ? sw->slot_of[number] : 0;
}

/* The port of that number, or NULL. */
static inline struct macs_port *macs_switch_port(struct macs_switch *sw, uint32_t number) {
    unsigned slot = macs_switch_slot(sw, number);
    return slot ? &sw->ports[slot - 1] : NULL;
}

/* Set B and b from the next burst on; 0 leaves one as it is, b is cut to B. -ERANGE beyond MACS_BURST_MAX. */
int macs_switch_set_batch(struct macs_switch *sw, uint32_t burst, uint32_t sub_batch);
void macs_switch_get_batch(const struct macs_switch *sw, uint32_t *burst, uint32_t *sub_batch);

#endif
