/* Handlers of the messages of the control protocol. */
#ifndef MACS_CONTROL_MESSAGES_H
#define MACS_CONTROL_MESSAGES_H

#include "control/client.h"

/* The client's request has come whole. Its payload is changed in place and has room for one byte more. */
void macs_message_begin(struct macs_client *client);

/* Process it for a time slice. True: it is done, and its reply is queued. */
bool macs_message_handle(struct macs_server *server, struct macs_client *client);

/* Answer a client's COLLECT if all that was injected is through. */
void macs_message_collect(struct macs_server *server, struct macs_client *client);

/* Workers that rest for a client go on, when he is gone (`gone`) or has taken too long. */
void macs_message_end_hold(struct macs_server *server, const struct macs_client *gone);

#endif
