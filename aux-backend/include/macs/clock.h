/* Stage clocks: where the time of a worker goes, always there and seldom read.
 *
 * About a thousand bursts a second are sampled. In a sampled burst the worker reads the cycle counter behind each step
 * (a lap), and adds what went by since the last lap to the clock of that step. So the clocks of a burst add up to all
 * of it. In other bursts a lap is a load and a branch. Threads: a worker's own.
 */
#ifndef MACS_CLOCK_H
#define MACS_CLOCK_H

#include <macs/worker.h>

/* Clocks of the runtime; those of the program's steps stand behind them. */
enum macs_clock_of_runtime {
    MACS_CLOCK_RECEIVE, /* the port */
    MACS_CLOCK_BETWEEN, /* what the runtime does before packets come to a pipeline: records, traffic manager, copies */
    MACS_CLOCK_SEND,    /* behind the last step: traffic manager, the rest of the sending, counts */
    MACS_CLOCKS_OF_RUNTIME
};

/* What a clock of the program times: the function over a burst, the stage's number there, the step, what the stage
 * begins with. */
struct macs_clock_desc {
    const char *function;
    uint16_t stage;
    const char *step;
    const char *title;
};

void macs_clocks_lap(struct macs_clocks *clocks, unsigned number, uint32_t packets);

/* The time since the last lap is that of this clock, which has worked on so many packets. */
static inline void macs_lap(struct macs_worker *worker, unsigned number, uint32_t packets) {
    if (__builtin_expect(worker->clocks != NULL, 0))
        macs_clocks_lap(worker->clocks, number, packets);
}

#endif
