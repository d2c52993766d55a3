/* Clone sessions, which BMv2 calls mirroring: the port, or the multicast group, to which the clones of a session go.
 *
 * Threads: macs_mirror_find from any worker; the others from the control thread.
 */
#ifndef MACS_RUNTIME_MIRROR_H
#define MACS_RUNTIME_MIRROR_H

#include <macs/packet.h>

#include "runtime/switch.h"

enum macs_mirror_kind { MACS_MIRROR_NONE, MACS_MIRROR_PORT, MACS_MIRROR_GROUP };

/* 0, or -EINVAL for a session beyond MACS_NO_SESSION - 1. What the session was before is replaced. */
int macs_mirror_set(struct macs_switch *sw, uint32_t session, enum macs_mirror_kind kind, uint32_t number);
enum macs_mirror_kind macs_mirror_get(const struct macs_switch *sw, uint32_t session, uint32_t *number);

/* Where clones of a session go: to one port, or to the replicas of a group. */
struct macs_mirror_targets {
    uint32_t count;
    struct macs_replica single;
    const struct macs_sequence *group; /* NULL: `single` */
};

/* Good until the worker's next quiescent state. */
struct macs_mirror_targets macs_mirror_find(const struct macs_switch *sw, uint16_t session);

static inline struct macs_replica macs_mirror_target(const struct macs_mirror_targets *targets, uint32_t at) {
    return targets->group ? macs_multicast_replica(targets->group, at) : targets->single;
}

#endif
