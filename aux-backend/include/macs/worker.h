/* A worker: one thread that receives bursts from its ports, runs the program over them and sends.
 * What generated code needs to know of it; the rest is private to runtime/. */
#ifndef MACS_WORKER_H
#define MACS_WORKER_H

#include <stdint.h>

struct macs_worker {
    uint32_t index;     /* 0 … workers-1: selects this worker's share of counters */
    uint32_t burst;     /* B: packets taken at once, 1 … MACS_BURST_MAX */
    uint32_t sub_batch; /* b: lookups in flight at once, 1 … B */
    uint64_t now_ns;    /* time since the switch started, read once a burst */
};

#endif
