/* Who looks at received frames before the program does: captures and traces. */
#ifndef MACS_RUNTIME_WATCH_H
#define MACS_RUNTIME_WATCH_H

#include "runtime/worker.h"

/* A worker shows a burst, where somebody looks (macs_switch.watched). */
void macs_watch_received(struct macs_thread *thread, const struct macs_input *input, const odp_packet_t handles[],
                         unsigned count);

#endif
