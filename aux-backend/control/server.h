/* The control server: serves clients on a Unix stream socket. One thread, which never waits for a client.
 *
 * Clients with requests take turns, a few milliseconds each. A request that takes longer goes on in its client's next
 * turn. So no client waits long, whatever the others ask for. A single step, such as adding an entry, is not divided.
 * Only the owner may use the socket (mode 0600). A path on which no process listens is taken over; a path on which one
 * listens is refused. control/protocol.h has the messages. Malformed input costs a client only its own connection.
 */
#ifndef MACS_CONTROL_SERVER_H
#define MACS_CONTROL_SERVER_H

#include "control/client.h"

/* Make way at `path`; NULL: nowhere. 0 or -errno, told in the switch's log. Nothing is there yet for anybody to find.
 */
int macs_server_prepare(struct macs_server *server, struct macs_console *console, const char *path);
/* Listen at the socket. 0, or -errno (logged). */
int macs_server_listen(struct macs_server *server);
void macs_server_close(struct macs_server *server);

/* Serve what there is to serve, push digests; waits at most `timeout_ms`, less when `wake` (a descriptor) is readable.
 */
void macs_server_poll(struct macs_server *server, int wake, int timeout_ms);

#endif
