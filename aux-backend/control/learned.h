/* Entries that packets have added, and those whose time is over: what the control thread does with them.
 *
 * Threads: the control thread.
 */
#ifndef MACS_CONTROL_LEARNED_H
#define MACS_CONTROL_LEARNED_H

#include "control/console.h"

/* Make entries of what packets have added, and reserve indices for the next ones. To be called before the control plane
 * looks at tables or changes them, and after. */
void macs_learned_settle(struct macs_console *console);

/* The same, take records back, and delete entries whose time is over. Nanoseconds after which to come again, at most.
 */
uint64_t macs_learned_serve(struct macs_console *console);

#endif
