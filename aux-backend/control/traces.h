/* Traces for a client: it gives a filter, and gets the frames that workers receive and that pass it. One at a time.
 *
 * Threads: the control thread.
 */
#ifndef MACS_CONTROL_TRACES_H
#define MACS_CONTROL_TRACES_H

#include "control/client.h"
#include "runtime/trace.h"

/* The filter of a TRACE; false: the payload is none. */
bool macs_traces_filter(const uint8_t *payload, size_t length, struct macs_trace_filter *filter);

/* Begin to trace for a client, or end it. False: another one traces, or a worker hangs; the client does not trace. */
bool macs_traces_start(struct macs_server *server, struct macs_client *client, const struct macs_trace_filter *filter);
bool macs_traces_stop(struct macs_server *server, const struct macs_client *client);

/* Send what has been taken. What a client with much unread has no room for waits, and then is lost. */
void macs_traces_push(struct macs_server *server);

#endif
