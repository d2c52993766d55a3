/* The control server: clients on a Unix stream socket, served by one thread that never waits for any of them.
 *
 * Whoever has sent requests gets a slice of a few milliseconds, one client after the other; a request that takes longer
 * goes on in its client's next slice. So nobody waits for long, however much the others ask for. One step, as adding an
 * entry, is not divided.
 * The socket is its owner's alone (mode 0600). A path where nobody listens any more is taken over; one where somebody
 * does is refused. Messages: control/protocol.h. Whatever a client sends costs no more than its connection.
 */
#ifndef MACS_CONTROL_SERVER_H
#define MACS_CONTROL_SERVER_H

#include "control/client.h"

/* Make way at `path`; NULL: nowhere. 0 or -errno, told in the switch's log. Nothing is there yet for anybody to find.
 */
int macs_server_prepare(struct macs_server *server, struct macs_console *console, const char *path);
/* Listen there: from now on the socket is there, and answers. 0 or -errno, told in the log. */
int macs_server_listen(struct macs_server *server);
void macs_server_close(struct macs_server *server);

/* Serve what there is to serve, push digests; waits at most `timeout_ms`, less when `wake` (a descriptor) is readable.
 */
void macs_server_poll(struct macs_server *server, int wake, int timeout_ms);

#endif
