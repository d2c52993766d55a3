/* The state of a worker that may be in a long loop of the program; see loops.h. */
#ifndef MACS_RUNTIME_LOOP_H
#define MACS_RUNTIME_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What is known of one worker. */
struct macs_loop {
    _Atomic(const char *) told; /* FILE:LINE, by the worker; NULL: no new answer */
    _Atomic uint64_t told_in;   /* the number of the burst, by the worker, before `told` */
    uint32_t rounds;            /* by the worker: since the switch is to end, or a packet was dropped */
    uint64_t since_ns;          /* when it was first seen in a loop of this burst; 0: it is in none */
    uint64_t burst;
    const char *at;          /* where it was seen last */
    uint64_t stuck_since_ns; /* since_ns of the last time that it was stuck; 0: never */
    const char *stuck_at;    /* where that was, last */
    uint64_t stuck_ns;       /* for how long */
};

/* Whether the worker is stuck now. */
static inline bool macs_loop_is_stuck(const struct macs_loop *loop) {
    return loop->since_ns && loop->since_ns == loop->stuck_since_ns;
}

#endif
