/* The stage clocks of a worker: macs/clock.h says what they are.
 *
 * Bursts are sampled so seldom that they are 2^21 cycles apart, at least half of that: the distance in bursts adapts,
 * and is random, so that no traffic with a period of its own is sampled at one place of it. A sample in which the
 * system took the worker from its CPU is left out. Threads: the worker's own. Others may read the sums.
 */
#ifndef MACS_RUNTIME_CLOCKS_H
#define MACS_RUNTIME_CLOCKS_H

#include <macs/clock.h>
#include <stdatomic.h>

/* Cycles between two samples, about. */
#define MACS_CLOCK_DISTANCE (UINT64_C(1) << 21)

/* Bursts from one sample to the next on average, at most; a power of two. */
#define MACS_CLOCK_PERIOD_MAX 65536u

struct macs_clock {
    _Atomic uint64_t calls, packets, cycles;     /* in sampled bursts; a call has a packet at least */
    uint64_t new_calls, new_packets, new_cycles; /* in this one, until it ends */
};

struct macs_clocks {
    uint64_t last;    /* the counter at the last lap */
    uint64_t ended;   /* and at the end of the last sample */
    uint64_t reading; /* cycles that a lap takes by itself, not counted */
    uint64_t random;  /* of its own: the program's random numbers do not depend on clocks */
    uint64_t period;  /* bursts from one sample to the next, on average */
    long switches;    /* involuntary ones of the thread, when the next burst was chosen to be sampled */
    _Atomic uint64_t sampled, interrupted; /* bursts; those that were left out */
    unsigned count;
    struct macs_clock rows[];
};

/* For the runtime and so many steps of the program. NULL: no memory. */
struct macs_clocks *macs_clocks_create(unsigned steps, uint64_t seed);
void macs_clocks_destroy(struct macs_clocks *clocks);

/* The next burst is to be sampled. */
void macs_clocks_arm(struct macs_clocks *clocks);

/* Its time begins; where nothing was received, it begins again. */
void macs_clocks_begin(struct macs_clocks *clocks);

/* It ends. Returns how many bursts there are from now to the next one, that included. */
uint64_t macs_clocks_end(struct macs_clocks *clocks);

/* Such a number for the first time. */
uint64_t macs_clocks_distance(struct macs_clocks *clocks);

#endif
