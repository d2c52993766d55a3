/* A lane: a worker's thread and all that belongs to it alone. A packet stays in the lane that received it, and so do
 * its copies. */
#ifndef MACS_RUNTIME_LANE_H
#define MACS_RUNTIME_LANE_H

#include <macs/program.h>
#include <macs/straight.h>
#include <macs/worker.h>
#include <pthread.h>

#include "runtime/loop.h"
#include "runtime/stats.h"
#include "runtime/switch.h"

/* An input queue that the lane polls. */
struct macs_input {
    struct macs_port *port;
    unsigned slot;           /* of the port */
    odp_pktin_queue_t queue; /* of an interface */
};

/* Packets on their way to a port; sent at the end of a burst or when full. */
struct macs_output {
    unsigned count;
    odp_pktout_queue_t queue; /* of an interface */
    odp_packet_t packets[MACS_BURST_MAX];
};

/* A burst that a straight program has opened. */
struct macs_opened {
    void *burst;            /* the program's */
    uint64_t epoch;         /* before it was opened: its lookups hold no older pointers */
    struct macs_port *port; /* that it came from */
    unsigned count;         /* packets; 0: it is closed */
};

struct macs_lane {
    struct macs_worker worker; /* first: generated code knows the lane by it */
    struct macs_switch *sw;
    struct macs_qsbr_reader *reader;
    pthread_t thread;
    int cpu;            /* or -1 */
    _Atomic int status; /* 0 running, 1 not yet, else -errno */
    unsigned input_count;
    struct macs_input *inputs;
    struct macs_output *outputs;    /* by slot */
    uint64_t filled;                /* bit s: outputs[s] holds packets */
    unsigned gathered;              /* packets of a port that are sent together at most */
    struct macs_sessions *sessions; /* of the program's cipher; NULL when it has none */
    struct macs_opened bursts[2];   /* of programs that open them */
    unsigned opened;                /* which of them was opened last */
    struct macs_again *again;       /* packets that go through the program again; NULL when it asks for no such thing */
    struct macs_worker_stats stats;
    struct macs_loop loop;
};

static inline struct macs_lane *macs_lane_of(const struct macs_worker *worker) {
    return (struct macs_lane *)(uintptr_t)worker;
}

/* 0 or -errno (logged). The lane does not run yet. */
int macs_lane_create(struct macs_lane **created, struct macs_switch *sw, unsigned index);
/* The lane's thread has ended, or never ran. */
void macs_lane_destroy(struct macs_lane *lane);

/* The thread; its argument is the lane. Returns when the switch stops. */
void *macs_lane_run(void *lane);

/* Receive a burst from the input, process it and all second lives that it leads to, send what comes of it; or open it
 * and do that to the one opened before. Returns how many packets were received. */
unsigned macs_lane_poll(struct macs_lane *lane, const struct macs_input *input);

/* Finish the burst that is open, if one is. */
void macs_lane_drain(struct macs_lane *lane);

/* Send a port's buffer, or all of them. */
void macs_lane_flush_port(struct macs_lane *lane, unsigned slot);
void macs_lane_flush(struct macs_lane *lane);

/* The frames of some packets together. */
static inline struct macs_extent macs_extent_of(const odp_packet_t packets[], unsigned count) {
    struct macs_extent extent = {0, 0};
    for (unsigned i = 0; i < count; i++) {
        uint32_t length = odp_packet_len(packets[i]);
        __asm__("" : "+r"(length)); /* one by one: gathering into a vector takes longer */
        macs_extent_add(&extent, length);
    }
    return extent;
}

/* Free a packet and count why. */
static inline void macs_lane_drop(struct macs_lane *lane, odp_packet_t handle, unsigned cause) {
    macs_stats_add(&lane->stats.drops[cause < MACS_CAUSES ? cause : MACS_CAUSE_PROGRAM], 1);
    odp_packet_free(handle);
}

/* Put a packet into a port's buffer, or drop it. Owns the packet from here on. */
static inline void macs_lane_put(struct macs_lane *lane, unsigned slot, odp_packet_t handle, uint32_t length) {
    if (odp_unlikely(length > macs_port_tx_max(&lane->sw->ports[slot]))) {
        macs_lane_drop(lane, handle, MACS_CAUSE_TOO_LONG);
        return;
    }
    struct macs_output *output = &lane->outputs[slot];
    output->packets[output->count++] = handle;
    lane->filled |= UINT64_C(1) << slot;
    if (odp_unlikely(output->count == lane->gathered)) {
        macs_lane_flush_port(lane, slot);
        lane->filled &= ~(UINT64_C(1) << slot);
    }
}

/* Send a packet to its egress port, or drop it. Owns the packet from here on. */
static inline void macs_lane_send(struct macs_lane *lane, struct macs_packet *packet) {
    unsigned slot = macs_switch_slot(lane->sw, packet->egress_port);
    if (odp_likely(slot))
        macs_lane_put(lane, slot - 1, packet->handle, packet->length);
    else
        macs_lane_drop(lane, packet->handle, MACS_CAUSE_NO_PORT);
}

#endif
