/* Whether a program that is cut runs with a part on each worker, or with all parts on each: what forwards more, while
 * packets flow.
 *
 * Time is cut into windows, and what was received in each one is given to the trial, which answers how the next one
 * runs. It *watches* what holds, in long windows, and *tries* both in turn, in short ones. The other way takes its
 * place where its median is better by more than 5 %, and by more than its windows differ.
 *
 * It tries when bursts are full for the first time, when less is received than before, and now and then. What that
 * costs is counted, and is at most 0.5 % of the time in the long run. Where bursts are not full there is less to do
 * than the workers could do, and nothing changes.
 *
 * It knows nothing of the switch: runtime/fall_back.h connects them. Threads: one.
 */
#ifndef MACS_RUNTIME_PLACEMENT_TRIAL_H
#define MACS_RUNTIME_PLACEMENT_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define MACS_TRIAL_TURNS 6u /* windows of each way */
#define MACS_TRIAL_WATCH_NS UINT64_C(100000000)
#define MACS_TRIAL_TRY_NS UINT64_C(10000000)

/* What all workers that receive did in a window; `burst`: packets that they take at once. */
struct macs_trial_window {
    uint64_t packets, bursts, wall_ns;
    uint32_t burst;
};

struct macs_placement_trial {
    bool cloned; /* what holds: all parts on each worker */
    bool trying;
    unsigned turn; /* windows of the trial so far */
    unsigned counts[2];
    double rates[2][MACS_TRIAL_TURNS]; /* packets a nanosecond: of what holds, of the other way */
    double expected;                   /* of what holds; 0: not known yet */
    double credit_ns;                  /* time that trials may cost */
    double lost_ns;                    /* that they have cost so far */
    uint64_t watched_ns;               /* since the last one */
    unsigned less;                     /* windows in a row in which less was received */
    unsigned fruitless;                /* trials in a row that changed nothing, up to a limit */
    uint64_t trials, changes;
};

void macs_placement_trial_begin(struct macs_placement_trial *trial, bool cloned);

/* It is given up; what holds stays. */
void macs_placement_trial_end(struct macs_placement_trial *trial);

/* How long the next window is to be. */
uint64_t macs_placement_trial_window_ns(const struct macs_placement_trial *trial);

/* The window has ended. Returns whether all parts are on each worker in the next one. */
bool macs_placement_trial_step(struct macs_placement_trial *trial, const struct macs_trial_window *window);

#endif
