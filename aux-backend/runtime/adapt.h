/* `--adapt`: the switch chooses B and b by what packets cost, while they flow (runtime/batch_search.h says how).
 *
 * It takes what is counted anyway: packets, bursts and the CPU time of workers. Threads: the control thread.
 */
#ifndef MACS_RUNTIME_ADAPT_H
#define MACS_RUNTIME_ADAPT_H

#include "runtime/batch_search.h"
#include "runtime/switch.h"

struct macs_adapt {
    bool on, paused;
    uint64_t begun_ns, cpu_ns, packets, bursts; /* when the window began, and what was counted then */
    struct macs_batch_search search;
};

/* On begins with B and b as they are. Off leaves those that were chosen last. */
void macs_adapt_set(struct macs_switch *sw, bool on);

/* As macs_switch_set_batch, for somebody who wants B and b to stay so: then it is off. */
int macs_adapt_overrule(struct macs_switch *sw, uint32_t burst, uint32_t sub_batch);

/* Whether it searches now. */
bool macs_adapt_searches(const struct macs_switch *sw);

/* It waits while something else changes what packets cost; behind that its window begins anew. */
void macs_adapt_pause(struct macs_switch *sw, bool paused);

/* Look at what there is to do. Returns in how many milliseconds to look again, `most` at most. */
int macs_adapt_look(struct macs_switch *sw, int most);

#endif
