/* Stage clocks: what a sampled burst adds to them, that nothing is kept of one in which the system took the worker from
 * its CPU, and how far apart samples are. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <odp_api.h>

#include "runtime/clocks.h"

enum { STEPS = 2, CLOCKS = MACS_CLOCKS_OF_RUNTIME + STEPS };

#define LONG (UINT64_C(1) << 38) /* cycles: longer than a test is kept from its CPU */

static long switches = 3, of_others = 50;

/* Of the thread, as the system tells it. */
int getrusage(__rusage_who_t who, struct rusage *usage) {
    usage->ru_nivcsw = who == RUSAGE_THREAD ? switches : ++of_others;
    return 0;
}

static struct macs_clocks *clocks;

static bool has(unsigned number, uint64_t calls, uint64_t packets) {
    const struct macs_clock *row = &clocks->rows[number];
    return row->calls == calls && row->packets == packets && !row->new_calls && !row->new_packets && !row->new_cycles;
}

/* A burst of 8 packets: the first step twice and once for none, the last one for none. */
static void sample(long switches_meanwhile) {
    macs_clocks_arm(clocks);
    macs_clocks_begin(clocks);
    macs_clocks_lap(clocks, MACS_CLOCK_RECEIVE, 8);
    macs_clocks_lap(clocks, MACS_CLOCKS_OF_RUNTIME, 5);
    macs_clocks_lap(clocks, MACS_CLOCKS_OF_RUNTIME, 3);
    macs_clocks_lap(clocks, MACS_CLOCKS_OF_RUNTIME, 0);
    macs_clocks_lap(clocks, CLOCKS - 1, 0);
    switches += switches_meanwhile;
    macs_clocks_end(clocks);
}

static void check_sums(void) {
    for (unsigned number = 0; number < CLOCKS; number++)
        assert(has(number, 0, 0));
    for (unsigned times = 1; times < 4; times++) {
        sample(0);
        sample(1); /* is left out */
        assert(clocks->sampled == times && clocks->interrupted == times);
        assert(has(MACS_CLOCK_RECEIVE, times, 8 * times) && has(MACS_CLOCKS_OF_RUNTIME, 2 * times, 8 * times));
        assert(has(MACS_CLOCK_BETWEEN, 0, 0) && has(MACS_CLOCK_SEND, 0, 0) && has(CLOCKS - 1, 0, 0));
        assert(clocks->rows[CLOCKS - 1].cycles == 0); /* it had no packets */
    }
    /* the time since the lap before, without what a lap takes; begun anew where nothing came */
    macs_clocks_begin(clocks);
    clocks->last -= LONG;
    macs_clocks_lap(clocks, 0, 1);
    assert(clocks->rows[0].new_cycles >= LONG - clocks->reading);
    macs_clocks_lap(clocks, 1, 1);
    assert(clocks->rows[1].new_cycles < LONG);
    clocks->last -= LONG;
    macs_clocks_begin(clocks);
    macs_clocks_lap(clocks, 2, 1);
    assert(clocks->rows[2].new_cycles < LONG);
    const uint64_t before = clocks->rows[0].cycles;
    macs_clocks_arm(clocks);
    macs_clocks_end(clocks);
    assert(clocks->rows[0].cycles - before >= LONG - clocks->reading);
}

/* The period after a sample that ended so many cycles behind the one before. */
static uint64_t period_after(uint64_t period, uint64_t passed) {
    uint64_t begin, distance;
    do { /* until nothing came in between */
        begin = odp_cpu_cycles();
        clocks->period = period;
        clocks->ended = begin - passed;
        distance = macs_clocks_end(clocks);
        assert(clocks->ended - begin < LONG);
    } while (!passed && clocks->ended - begin >= MACS_CLOCK_DISTANCE / 2);
    assert(distance >= 1 && distance <= 2 * clocks->period - 1);
    return clocks->period;
}

static void check_distances(void) {
    assert(period_after(8, 0) == 16 && period_after(1, 0) == 2);
    assert(period_after(8, MACS_CLOCK_DISTANCE * 4) == 4 && period_after(2, LONG) == 1);
    assert(period_after(1, LONG) == 1); /* each burst */
    assert(period_after(MACS_CLOCK_PERIOD_MAX / 2, 0) == MACS_CLOCK_PERIOD_MAX);
    assert(period_after(MACS_CLOCK_PERIOD_MAX, 0) == MACS_CLOCK_PERIOD_MAX);
    clocks->period = 4;
    unsigned seen = 0;
    for (unsigned i = 0; i < 200; i++) {
        const uint64_t distance = macs_clocks_distance(clocks);
        assert(distance >= 1 && distance <= 7);
        seen |= 1u << distance;
    }
    assert(seen == 0xfe);
    clocks->period = 1;
    assert(macs_clocks_distance(clocks) == 1);
}

int main(void) {
    clocks = macs_clocks_create(STEPS, 1);
    assert(clocks && clocks->count == CLOCKS && clocks->period > 1 && clocks->sampled == 0);
    check_sums();
    check_distances();
    macs_clocks_destroy(clocks);
    puts("ok");
    return 0;
}
