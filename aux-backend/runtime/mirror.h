/* Clone sessions, which BMv2 calls mirroring: the port, or the multicast group, to which the clones of a session go,
 * how long they may be, and the queue that they wait in.
 *
 * Threads: macs_mirror_find from any worker; the others from the control thread.
 */
#ifndef MACS_RUNTIME_MIRROR_H
#define MACS_RUNTIME_MIRROR_H

#include <macs/packet.h>

#include "runtime/switch.h"

#define MACS_MIRROR_BYTES_MAX 0xffffffu
#define MACS_MIRROR_PRIORITY_MAX 63u

enum macs_mirror_kind { MACS_MIRROR_NONE, MACS_MIRROR_PORT, MACS_MIRROR_GROUP };

struct macs_mirror {
    enum macs_mirror_kind kind;
    uint32_t number;  /* of the port or the group */
    uint32_t bytes;   /* what is longer is cut; 0: clones are whole; at most MACS_MIRROR_BYTES_MAX */
    uint8_t priority; /* of the queue, where there are queues; the class of service that egress is told */
};

/* 0, or -EINVAL for a session beyond MACS_NO_SESSION - 1. What the session was before is replaced. */
int macs_mirror_set(struct macs_switch *sw, uint32_t session, struct macs_mirror mirror);
struct macs_mirror macs_mirror_get(const struct macs_switch *sw, uint32_t session);

/* Where clones of a session go: to one port, or to the replicas of a group. */
struct macs_mirror_targets {
    uint32_t count;
    uint32_t bytes;   /* as in macs_mirror */
    uint8_t priority; /* likewise */
    struct macs_replica single;
    const struct macs_sequence *group; /* NULL: `single` */
};

/* Good until the worker's next quiescent state. */
struct macs_mirror_targets macs_mirror_find(const struct macs_switch *sw, uint16_t session);

static inline struct macs_replica macs_mirror_target(const struct macs_mirror_targets *targets, uint32_t at) {
    return targets->group ? macs_multicast_replica(targets->group, at) : targets->single;
}

#endif
