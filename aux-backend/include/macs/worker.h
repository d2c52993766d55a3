/* A worker: a thread that receives bursts from its ports, runs the program over them, and sends.
 *
 * This is what generated code uses of it; the rest is in runtime/worker.h.
 */
#ifndef MACS_WORKER_H
#define MACS_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the control thread asks of a worker that is in a loop of the program. */
enum macs_loop_request {
    MACS_GO_ON = 0, /* nothing */
    MACS_TELL,      /* to answer with its place */
    MACS_END,       /* to drop the packet: the switch ends */
};

/* Counts that are added later, see macs/counter.h. */
#define MACS_DEFERRED_COUNTS 64u /* a power of two */
struct macs_count;
struct macs_near_counts { /* whose lines are in the cache */
    uint32_t number;
    uint32_t bytes[MACS_DEFERRED_COUNTS];
    struct macs_count *counts[MACS_DEFERRED_COUNTS];
};
struct macs_deferred_count {
    struct macs_count *count; /* NULL: it is added */
    uint64_t bytes;
};
struct macs_deferred_counts { /* of large counters: a ring of the latest ones */
    uint32_t first;           /* the number of the first one that may not be added; numbers wrap around */
    uint32_t next;            /* of the next one */
    uint32_t latest;          /* of the first one of the latest burst */
    struct macs_deferred_count ring[MACS_DEFERRED_COUNTS];
};

/* The most locks that a worker may hold, see macs/hold.h. */
#define MACS_HELD_MAX 8
struct macs_lock;

struct macs_clocks;
struct macs_decisions;

struct macs_worker {
    uint32_t index;                    /* 0 … workers-1: selects this worker's share of counters */
    uint32_t burst;                    /* B: packets taken at once, 1 … MACS_BURST_MAX */
    uint32_t sub_batch;                /* b: lookups in flight at once, 1 … B */
    uint64_t now_ns;                   /* time since the switch started, read once a burst if the program looks at it */
    uint64_t random;                   /* state of macs_random_next */
    struct macs_clocks *clocks;        /* while a burst is sampled, else NULL: see macs/clock.h */
    uint32_t port;                     /* that the burst was received from, by its number */
    const uint8_t *slot_of;            /* port number → slot + 1; 0: no such port */
    const _Atomic uint8_t *directions; /* port number → enum macs_nic_direction */
    _Atomic uint8_t loop_request;      /* enum macs_loop_request, by the control thread */
    struct macs_lock *own;             /* of what it has to itself; NULL: it has nothing */
    bool holds_own;
    uint32_t held_count;
    struct macs_lock *held[MACS_HELD_MAX]; /* in ascending order */
    struct macs_lock *only_held;           /* the one that it holds; NULL: none or several */
    struct macs_deferred_counts deferred;
    struct macs_decisions *decisions; /* see macs/decisions.h; NULL: the program has none */
    bool deciding;                    /* packets look for decisions there */
    struct macs_near_counts near_counts;
};

struct macs_packet;

/* What a port is of, as PNA's PNA_Direction_t has it: of the net, as all are at first, or of the host. */
enum macs_nic_direction { MACS_NET_TO_HOST = 0, MACS_HOST_TO_NET };

/* Of a packet that was received from the port of that number. */
static inline uint8_t macs_direction_of(const struct macs_worker *worker, uint32_t port) {
    return port <= UINT16_MAX ? atomic_load_explicit(&worker->directions[port], memory_order_relaxed)
                              : (uint8_t)MACS_NET_TO_HOST;
}

/* A worker in a loop at `place` (FILE:LINE) does what the control thread asks. True: the packet is to be dropped. */
bool macs_loop_tell(struct macs_worker *worker, const char *place);

/* At the begin of each round of a loop that may be long. Cost: a load and a branch, if nothing is asked. */
static inline bool macs_loop_ends(struct macs_worker *worker, const char *place) {
    return __builtin_expect(atomic_load_explicit(&worker->loop_request, memory_order_relaxed) != MACS_GO_ON, 0) &&
           macs_loop_tell(worker, place);
}

/* Make the ingress clones that the packet requests, of its frame as it is now: egress processes them before it. */
void macs_clone_ingress(struct macs_worker *worker, struct macs_packet *packet);

/* Make the egress clones that the packet requests: egress processes them after this burst. */
void macs_clone_egress(struct macs_worker *worker, const struct macs_packet *packet);

/* 64 random bits (SplitMix64, Steele et al. 2014): fast and repeatable from the seed, not for secrets. */
static inline uint64_t macs_random_next(struct macs_worker *worker) {
    uint64_t mixed = worker->random += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

/* A number between low and high, both included; low if they are the wrong way round. */
static inline uint64_t macs_random_range(struct macs_worker *worker, uint64_t low, uint64_t high) {
    if (high <= low)
        return low;
    uint64_t span = high - low + 1; /* 0: the whole range of 64 bits */
    uint64_t value = macs_random_next(worker);
    return span ? low + value % span : value;
}

#endif
