/* Multicast groups: which (port, rid) pairs get a copy of a packet.
 *
 * As in BMv2's packet replication engine a node is a rid and a set of ports, and a group a list of nodes; a node is in
 * one group at most. Of each group the workers see one immutable list, replaced whole when the group changes.
 * Threads: macs_multicast_find from any worker, the others from the control thread. Errors are -errno.
 */
#ifndef MACS_RUNTIME_MULTICAST_H
#define MACS_RUNTIME_MULTICAST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/handles.h"

#define MACS_GROUPS 65536u /* group 0 is none */
#define MACS_NO_GROUP (-1)

struct macs_qsbr;

struct macs_replica {
    uint32_t port;
    uint16_t rid;
};

struct macs_group {
    uint32_t count;
    struct macs_replica replicas[];
};

struct macs_multicast_node {
    bool used;
    uint16_t rid;
    int32_t group; /* or MACS_NO_GROUP */
    uint32_t port_count;
    uint32_t *ports; /* ascending */
};

/* The nodes of a group in the order in which they were associated. */
struct macs_multicast_list {
    uint32_t count;
    uint32_t *nodes;
};

struct macs_multicast {
    struct macs_qsbr *qsbr;
    struct macs_handles handles; /* of nodes */
    uint32_t node_count;         /* of `nodes`, used or not */
    struct macs_multicast_node *nodes;
    struct macs_multicast_list *lists[MACS_GROUPS];
    struct macs_group *_Atomic groups[MACS_GROUPS];
};

int macs_multicast_create(struct macs_multicast **created, struct macs_qsbr *qsbr);
void macs_multicast_destroy(struct macs_multicast *multicast);

int macs_multicast_group_create(struct macs_multicast *multicast, uint16_t group);
int macs_multicast_group_destroy(struct macs_multicast *multicast, uint16_t group);

/* Ports may come in any order; -EINVAL when one is there twice. */
int macs_multicast_node_create(struct macs_multicast *multicast, uint16_t rid, const uint32_t *ports, uint32_t count,
                               uint32_t *handle);
int macs_multicast_node_update(struct macs_multicast *multicast, uint32_t handle, const uint32_t *ports,
                               uint32_t count);
int macs_multicast_node_destroy(struct macs_multicast *multicast, uint32_t handle);
/* -ENOENT: no such group; -ESRCH: no such node; -EBUSY: the node is in a group already. */
int macs_multicast_associate(struct macs_multicast *multicast, uint16_t group, uint32_t handle);
/* -EINVAL: the node is not in that group. */
int macs_multicast_dissociate(struct macs_multicast *multicast, uint16_t group, uint32_t handle);

/* The group's members, or NULL when there is no such group; valid until the caller's next quiescent state. */
static inline const struct macs_group *macs_multicast_find(const struct macs_multicast *multicast, uint16_t group) {
    return atomic_load_explicit(&multicast->groups[group], memory_order_acquire);
}

#endif
