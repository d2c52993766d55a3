#include "runtime/clocks.h"

#include <odp_api.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "runtime/counters.h"

/* Laps that are made to see what one takes, and bursts to the first sample on average. */
#define TRIALS 32u
#define FIRST_PERIOD 64u

static uint64_t now(void) {
    return odp_cpu_cycles();
}

/* How many times the system has taken this thread from its CPU. */
static long involuntary_switches(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
}

/* The least that a lap took. */
static uint64_t cost_of_reading(struct macs_clocks *clocks) {
    struct macs_clock *row = &clocks->rows[0];
    uint64_t least = UINT64_MAX;
    macs_clocks_begin(clocks);
    for (unsigned i = 0; i < TRIALS; i++) {
        row->new_cycles = 0;
        macs_clocks_lap(clocks, 0, 1);
        least = row->new_cycles < least ? row->new_cycles : least;
    }
    row->new_calls = row->new_packets = row->new_cycles = 0;
    return least;
}

struct macs_clocks *macs_clocks_create(unsigned steps, uint64_t seed) {
    const unsigned count = MACS_CLOCKS_OF_RUNTIME + steps;
    struct macs_clocks *clocks = calloc(1, sizeof(struct macs_clocks) + count * sizeof(struct macs_clock));
    if (!clocks)
        return NULL;
    clocks->count = count;
    clocks->reading = cost_of_reading(clocks);
    clocks->random = seed;
    clocks->period = FIRST_PERIOD;
    return clocks;
}

void macs_clocks_destroy(struct macs_clocks *clocks) {
    free(clocks);
}

void macs_clocks_arm(struct macs_clocks *clocks) {
    clocks->switches = involuntary_switches();
}

void macs_clocks_begin(struct macs_clocks *clocks) {
    clocks->last = now();
}

/* A linear congruence: its high bits are random enough (Knuth, TAOCP 2, 3.3.4). */
uint64_t macs_clocks_distance(struct macs_clocks *clocks) {
    clocks->random = clocks->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (clocks->random >> 40) % (2 * clocks->period - 1) + 1;
}

/* What the burst has counted, into the sums, or away. */
static void keep(struct macs_clocks *clocks, bool counts) {
    for (unsigned i = 0; i < clocks->count; i++) {
        struct macs_clock *row = &clocks->rows[i];
        if (counts && row->new_packets) {
            macs_stats_add(&row->calls, row->new_calls);
            macs_stats_add(&row->packets, row->new_packets);
            macs_stats_add(&row->cycles, row->new_cycles);
        }
        row->new_calls = row->new_packets = row->new_cycles = 0;
    }
    macs_stats_add(counts ? &clocks->sampled : &clocks->interrupted, 1);
}

uint64_t macs_clocks_end(struct macs_clocks *clocks) {
    keep(clocks, involuntary_switches() == clocks->switches);
    const uint64_t at = now(), passed = at - clocks->ended;
    clocks->ended = at;
    if (passed < MACS_CLOCK_DISTANCE / 2 && clocks->period < MACS_CLOCK_PERIOD_MAX)
        clocks->period *= 2;
    else if (passed > MACS_CLOCK_DISTANCE * 2 && clocks->period > 1)
        clocks->period /= 2;
    return macs_clocks_distance(clocks);
}

__attribute__((cold, noinline)) void macs_clocks_lap(struct macs_clocks *clocks, unsigned number, uint32_t packets) {
    const uint64_t at = now(), took = at - clocks->last;
    struct macs_clock *row = &clocks->rows[number];
    row->new_calls += packets != 0;
    row->new_packets += packets;
    row->new_cycles += took > clocks->reading ? took - clocks->reading : 0;
    clocks->last = at;
}
