/* Tidies tables: what changes of entries have left slower than it could be is made anew when nobody waits for it.
 *
 * All tables are tidied before the first packet; later a table, one in a round of the control thread, when its entries
 * have not changed for a second, and for 50 times as long as tidying it took. So tidying takes two parts in a hundred
 * of the control thread's time at most, and none while a table is being filled. Threads: the control thread.
 */
#ifndef MACS_RUNTIME_TIDY_H
#define MACS_RUNTIME_TIDY_H

#include "runtime/switch.h"

/* All tables, at once. */
void macs_tidy_all(struct macs_switch *sw);

/* A table, if it is time for one. `now`: macs_switch_now(). */
void macs_tidy_look(struct macs_switch *sw, uint64_t now);

#endif
