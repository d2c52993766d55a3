/* A program that is cut falls back to all parts on each worker where these forward more, and takes workers for each
 * part again where those do (runtime/placement_trial.h says how; docs/placement.md). `--no-fall-back` turns it off.
 *
 * Threads: the control thread.
 */
#ifndef MACS_RUNTIME_FALL_BACK_H
#define MACS_RUNTIME_FALL_BACK_H

#include "runtime/placement_trial.h"
#include "runtime/switch.h"

struct macs_fall_back {
    bool on;
    uint64_t begun_ns, packets, bursts; /* when the window began, and what was counted then */
    struct macs_placement_trial trial;
};

/* On begins with the placement as it is. Off leaves the one that held last. Nothing where the program is not cut. */
void macs_fall_back_set(struct macs_switch *sw, bool on);

/* All parts on each worker from now on, or workers for each part: then it is off. -EBUSY: a worker hangs. */
int macs_fall_back_overrule(struct macs_switch *sw, bool cloned);

/* Look at what there is to do. Returns in how many milliseconds to look again, `most` at most. */
int macs_fall_back_look(struct macs_switch *sw, int most);

#endif
