/* Multicast groups: the (port, rid) pairs that get a copy of a packet.
 *
 * As in BMv2's packet replication engine, a node is a rid, a set of ports and a set of link aggregation groups, and a
 * group is a list of nodes. A node is in one group at most. Of each link aggregation group one port gets a copy: the
 * one that BMv2 takes, whose hash is the same for all packets. Workers see one version of a list (macs/sequence.h) of
 * all replicas of a group. Threads: macs_multicast_find from any worker; the others from the control thread. Errors:
 * -errno.
 */
#ifndef MACS_RUNTIME_MULTICAST_H
#define MACS_RUNTIME_MULTICAST_H

#include <macs/sequence.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/handles.h"

#define MACS_GROUPS 65536u /* group 0 is none */
#define MACS_LAGS 256u
#define MACS_LAG_HASH 0xffu
#define MACS_NO_GROUP (-1)

struct macs_qsbr;

struct macs_replica {
    uint32_t port;
    uint16_t rid;
    uint32_t node; /* the control thread's: whose replica it is */
};

#define MACS_NO_NODE UINT32_MAX

struct macs_multicast_node {
    bool used;
    uint16_t rid;
    int32_t group;       /* or MACS_NO_GROUP */
    uint64_t associated; /* when, in the order of all that were: so are the replicas of a group */
    uint32_t next;       /* in the group, or MACS_NO_NODE */
    uint32_t previous;
    uint32_t port_count;
    uint32_t lag_count;
    uint32_t *ports; /* ascending */
    uint32_t *lags;  /* likewise */
    uint32_t copies; /* in the list of its group */
};

struct macs_lag {
    bool known;
    uint32_t count;
    uint32_t *ports; /* ascending */
};

/* Where the copies of a node go. In any order, none twice. */
struct macs_targets {
    const uint32_t *ports, *lags;
    uint32_t port_count, lag_count;
};

/* The nodes of a group in the order in which they were associated, those without ports too. */
struct macs_multicast_nodes {
    uint32_t first;
    uint32_t last;
};

struct macs_multicast {
    struct macs_qsbr *qsbr;
    struct macs_handles handles; /* of nodes */
    uint32_t node_count;         /* of `nodes`, used or not */
    struct macs_multicast_node *nodes;
    uint64_t associated; /* how many ever were */
    struct macs_lag lags[MACS_LAGS];
    struct macs_multicast_nodes group_nodes[MACS_GROUPS];
    struct macs_sequence *_Atomic groups[MACS_GROUPS]; /* of replicas */
};

int macs_multicast_create(struct macs_multicast **created, struct macs_qsbr *qsbr);
void macs_multicast_destroy(struct macs_multicast *multicast);

int macs_multicast_group_create(struct macs_multicast *multicast, uint16_t group);
int macs_multicast_group_destroy(struct macs_multicast *multicast, uint16_t group);

/* -EINVAL when a port or a link aggregation group is there twice. */
int macs_multicast_node_create(struct macs_multicast *multicast, uint16_t rid, const struct macs_targets *targets,
                               uint32_t *handle);
int macs_multicast_node_update(struct macs_multicast *multicast, uint32_t handle, const struct macs_targets *targets);
int macs_multicast_node_destroy(struct macs_multicast *multicast, uint32_t handle);
/* -ENOENT: no such group; -ESRCH: no such node; -EBUSY: the node is in a group already. */
int macs_multicast_associate(struct macs_multicast *multicast, uint16_t group, uint32_t handle);
/* -EINVAL: the node is not in that group. */
int macs_multicast_dissociate(struct macs_multicast *multicast, uint16_t group, uint32_t handle);

/* The ports of a link aggregation group; none: no copies. One that was never set has none. -EINVAL when a port is there
 * twice. Any other error: some nodes may have the new port, and the call can be made again. */
int macs_multicast_lag_set(struct macs_multicast *multicast, uint32_t lag, const uint32_t *ports, uint32_t count);

/* Forget all groups, nodes and link aggregation groups. After an error it can be called again. */
int macs_multicast_clear(struct macs_multicast *multicast);

/* The group's replicas, or NULL when there is no such group; valid until the caller's next quiescent state. */
static inline const struct macs_sequence *macs_multicast_find(const struct macs_multicast *multicast, uint16_t group) {
    return atomic_load_explicit(&multicast->groups[group], memory_order_acquire);
}

static inline struct macs_replica macs_multicast_replica(const struct macs_sequence *group, uint32_t at) {
    return *(const struct macs_replica *)macs_sequence_at(group, sizeof(struct macs_replica), at);
}

#endif
