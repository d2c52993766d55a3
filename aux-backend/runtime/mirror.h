/* Clone sessions ("mirroring"): the port, or the multicast group, that the clones of a session go to.
 *
 * Threads: macs_mirror_find from any worker, the others from the control thread.
 */
#ifndef MACS_RUNTIME_MIRROR_H
#define MACS_RUNTIME_MIRROR_H

#include <macs/packet.h>

#include "runtime/switch.h"

enum macs_mirror_kind { MACS_MIRROR_NONE, MACS_MIRROR_PORT, MACS_MIRROR_GROUP };

/* 0, or -EINVAL for a session beyond MACS_NO_SESSION - 1. What the session was before is replaced. */
int macs_mirror_set(struct macs_switch *sw, uint32_t session, enum macs_mirror_kind kind, uint32_t number);
enum macs_mirror_kind macs_mirror_get(const struct macs_switch *sw, uint32_t session, uint32_t *number);

/* Where clones of the session go: `count` replicas, good until the worker's next quiescent state. A session with a port
 * needs `single` for it. */
const struct macs_replica *macs_mirror_find(const struct macs_switch *sw, uint16_t session, struct macs_replica *single,
                                            uint32_t *count);

#endif
