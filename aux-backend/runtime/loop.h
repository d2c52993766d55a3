/* Loops of the program that go on for long: where they keep a worker, and how it gets out of them when the switch ends.
 *
 * The control thread leaves a wish with the worker now and then (macs/worker.h); a worker in such a loop tells the
 * place and the burst that it is in. One that is seen in the same burst for MACS_KEPT_NS is *kept*. Workers of programs
 * without such loops never look. Threads: the control thread, but for what is the worker's.
 */
#ifndef MACS_RUNTIME_LOOP_H
#define MACS_RUNTIME_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MACS_KEPT_NS UINT64_C(1000000000)

struct macs_switch;

/* What is known of one worker. */
struct macs_loop {
    _Atomic(const char *) told; /* FILE:LINE, by the worker; NULL: nothing new */
    _Atomic uint64_t told_in;   /* the number of the burst, by the worker, before `told` */
    uint32_t rounds;            /* by the worker: since the switch is to end, or a packet was dropped */
    uint64_t since_ns;          /* when it was first seen in a loop of this burst; 0: it is in none */
    uint64_t burst;
    const char *at;         /* where it was seen last */
    uint64_t kept_since_ns; /* since_ns of the last time that it was kept; 0: it never was */
    const char *kept_at;    /* where that was, last */
    uint64_t kept_ns;       /* for how long */
};

/* Look where the workers are, if that is some time ago; say so when one begins to be kept. */
void macs_loops_watch(struct macs_switch *sw);

/* Every worker is to leave its loop and to drop the packet; likewise later ones of its burst that loop for long. */
void macs_loops_end(struct macs_switch *sw);

/* All workers have ended: tell of those that had to leave a loop. */
void macs_loops_ended(struct macs_switch *sw);

/* A worker that is kept now, or NULL. */
const struct macs_loop *macs_loops_kept(const struct macs_switch *sw, unsigned *worker);

/* Whether the worker is kept now. */
static inline bool macs_loop_keeps(const struct macs_loop *loop) {
    return loop->since_ns && loop->since_ns == loop->kept_since_ns;
}

#endif
