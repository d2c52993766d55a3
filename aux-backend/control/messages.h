/* What each message of the control protocol does. */
#ifndef MACS_CONTROL_MESSAGES_H
#define MACS_CONTROL_MESSAGES_H

#include "control/client.h"
#include "control/server.h"

/* Do a whole message and queue its reply. The payload is changed in place and has room for one byte more. */
void macs_message_handle(struct macs_server *server, struct macs_client *client, uint8_t type, uint8_t *payload,
                         size_t length);

/* Answer a client's COLLECT if all that was injected is through. */
void macs_message_collect(struct macs_server *server, struct macs_client *client);

/* Take the queued digests and push them to whoever has subscribed. */
void macs_message_push_digests(struct macs_server *server);

#endif
