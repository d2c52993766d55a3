/* What the switch sends by itself, to clients that have subscribed: digests, entries that nothing has hit for long,
 * frames of `ctl:` ports.
 *
 * Threads: the control thread.
 */
#ifndef MACS_CONTROL_PUSHES_H
#define MACS_CONTROL_PUSHES_H

#include <odp_api.h>

#include "control/client.h"

/* SUBSCRIBE: the client gets what the flags say, and the frames of the ports whose numbers these are, none of which any
 * other client gets or collects; digests, if the payload is empty. False: it is not flags and a list of `ctl:` ports.
 */
bool macs_pushes_subscribe(struct macs_server *server, struct macs_client *client, const uint8_t *payload,
                           size_t length);

/* A client is gone. */
void macs_pushes_forget(struct macs_server *server, const struct macs_client *client);

/* Who waits for what workers ring for has changed: they need not ring where nobody does. */
void macs_pushes_want(struct macs_server *server);

/* Send what has come since the last call; entries are looked at a few times a second. What is sent while nobody has
 * subscribed is lost, but for entries: these are looked at when somebody has. A client with much unread loses it. */
void macs_pushes_send(struct macs_server *server);

/* There is something to send that clients have room for. */
bool macs_pushes_wait(const struct macs_server *server);

/* Append a frame: u16 port, u32 length, bytes. False: no memory. The packet is freed. */
bool macs_frame_put(struct macs_bytes *frames, odp_packet_t packet);

#endif
