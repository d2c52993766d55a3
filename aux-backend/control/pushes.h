/* What the switch sends by itself: digests, and entries that nothing has hit for long, to clients that have subscribed.
 *
 * Threads: the control thread.
 */
#ifndef MACS_CONTROL_PUSHES_H
#define MACS_CONTROL_PUSHES_H

#include "control/client.h"

/* Send what has come since the last call; entries are looked at a few times a second. What is sent while nobody has
 * subscribed is lost, but for entries: these are looked at when somebody has. A client with much unread loses it. */
void macs_pushes_send(struct macs_server *server);

#endif
