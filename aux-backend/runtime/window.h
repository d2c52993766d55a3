/* Windows of time, for what watches a switch while packets flow: adapt.h, fall_back.h.
 *
 * Threads: the control thread.
 */
#ifndef MACS_RUNTIME_WINDOW_H
#define MACS_RUNTIME_WINDOW_H

#include "runtime/switch.h"

struct macs_received {
    uint64_t packets, bursts;
};

/* What the workers that receive now have received so far. */
struct macs_received macs_received_so_far(const struct macs_switch *sw);

/* Nanoseconds in whole milliseconds, `most` at most: never less than they are. */
int macs_window_milliseconds(uint64_t ns, int most);

#endif
