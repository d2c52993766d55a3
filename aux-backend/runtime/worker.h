/* A worker: a thread and its own data. A packet, and every copy of it, stays with the worker that received it; but
 * where the program is cut, workers run one part of it, and go on with what those of the part before hand over. */
#ifndef MACS_RUNTIME_WORKER_H
#define MACS_RUNTIME_WORKER_H

#include <macs/program.h>
#include <macs/run_to_completion.h>
#include <macs/worker.h>
#include <pthread.h>

#include "runtime/clocks.h"
#include "runtime/counters.h"
#include "runtime/handover.h"
#include "runtime/loop.h"
#include "runtime/switch.h"

/* An input queue that the worker polls. */
struct macs_input {
    struct macs_port *port;
    unsigned slot;           /* of the port */
    bool handed;             /* what others leave to this worker, or what is injected */
    unsigned handed_to;      /* of port->handed */
    odp_pktin_queue_t queue; /* else of an interface */
};

/* The transmit burst of a port; sent at the end of a burst or when full. */
struct macs_output {
    unsigned count;
    odp_pktout_queue_t queue; /* of an interface */
    odp_packet_t packets[MACS_BURST_MAX];
};

/* A burst whose prologue has run: see macs/run_to_completion.h. */
struct macs_in_flight {
    void *state;            /* the program's */
    uint64_t epoch;         /* before the prologue: its lookups hold no older pointers */
    struct macs_port *port; /* that it came from */
    unsigned count;         /* packets; 0: its epilogue has run, too */
};

struct macs_backlog;
struct macs_departures;
struct macs_recirculation;
struct macs_thread;

/* How packets go through the switch: what stands here is chosen when the worker is made (datapath.c). All functions own
 * the packets that they are given. */
struct macs_datapath {
    /* A received burst. Returns its bytes. */
    uint64_t (*burst)(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[], unsigned count);
    /* Process packets (at least one) by the pipelines, with all copies and further passes. */
    void (*pass)(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);
    /* The same for a burst after run to completion, if some of its packets continue. */
    void (*resume)(struct macs_thread *thread, const odp_packet_t handles[], const macs_verdict verdicts[],
                   unsigned count);
    /* Act on the verdict of ingress on a packet. */
    void (*dispatch)(struct macs_thread *thread, struct macs_departures *departures, struct macs_packet *packet);
    /* Process packets by egress, and send them. */
    void (*egress)(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);
    /* Send a packet to its egress port. */
    void (*leave)(struct macs_thread *thread, struct macs_packet *packet);
};

struct macs_thread {
    struct macs_worker worker; /* first: generated code knows the thread by it */
    struct macs_switch *sw;
    const struct macs_datapath *datapath;
    struct macs_qsbr_reader *reader;
    pthread_t pthread;
    int cpu;                        /* or -1 */
    _Atomic bool resting;           /* in no burst, and will look at macs_switch.rest before the next one */
    _Atomic int status;             /* 0 running, 1 not yet, else -errno */
    _Atomic uint32_t ports_version; /* of the ports that it knows */
    unsigned input_count;
    struct macs_input *inputs;
    unsigned queue_count;                     /* of the inputs that are an interface's */
    odp_pktin_queue_t *queues;                /* theirs */
    unsigned *input_of;                       /* and the numbers of the inputs */
    struct macs_output *outputs;              /* by slot */
    uint64_t filled;                          /* bit s: outputs[s] holds packets */
    unsigned gathered;                        /* packets of a port that are sent together at most */
    struct macs_sessions *sessions;           /* of the program's cipher; NULL when it has none */
    struct macs_in_flight bursts[2];          /* of programs that are software pipelined */
    unsigned latest;                          /* whose prologue ran last */
    uint64_t counted_epoch;                   /* of the oldest burst that has counts which are deferred */
    struct macs_recirculation *recirculation; /* of programs that make requests, else NULL */
    unsigned part;                            /* of a program that is cut; 0: the first, or all of the program */
    struct macs_handover *to_next;            /* to a worker of the next part; NULL: it is the last one */
    struct macs_backlog *backlog;             /* of programs with queues, else NULL */
    struct macs_worker_stats stats;
    struct macs_clocks *clocks; /* of its stages; NULL: the program has none */
    uint64_t sampled_in;        /* bursts until the next one that is sampled, or the end of one */
    struct macs_loop loop;
};

static inline struct macs_thread *macs_thread_of(const struct macs_worker *worker) {
    return (struct macs_thread *)(uintptr_t)worker;
}

static inline void macs_thread_read_time(struct macs_thread *thread) {
    if (thread->sw->program->uses_time)
        thread->worker.now_ns = macs_switch_now(thread->sw);
}

/* Free a packet and count why. */
static inline void macs_thread_drop(struct macs_thread *thread, odp_packet_t handle, unsigned cause) {
    if (cause >= MACS_CAUSE_PLACE && cause - MACS_CAUSE_PLACE < MACS_CAUSE_PLACES)
        macs_stats_add(&thread->stats.dropped_at[cause - MACS_CAUSE_PLACE], 1);
    macs_stats_add(&thread->stats.drops[cause < MACS_CAUSES ? cause : MACS_CAUSE_PROGRAM], 1);
    odp_packet_free(handle);
}

#endif
