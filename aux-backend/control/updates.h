/* The message UPDATE: many changes in binary form, each answered with a status. docs/control.md has the changes.
 *
 * Threads: the control thread.
 */
#ifndef MACS_CONTROL_UPDATES_H
#define MACS_CONTROL_UPDATES_H

#include "control/client.h"

/* Begin the client's request: NULL, or what is wrong with the message as a whole. */
const char *macs_updates_begin(struct macs_client_request *request);

/* Process changes for a time slice. True: all are done, and request->answer has a status and a number for each. */
bool macs_updates_run(struct macs_console *console, struct macs_client_request *request);

#endif
