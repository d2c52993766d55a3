#include "runtime/multicast.h"

#include <errno.h>
#include <macs/qsbr.h>
#include <stdlib.h>
#include <string.h>

int macs_multicast_create(struct macs_multicast **created, struct macs_qsbr *qsbr) {
    struct macs_multicast *multicast = calloc(1, sizeof(*multicast));
    if (!multicast)
        return -ENOMEM;
    multicast->qsbr = qsbr;
    *created = multicast;
    return 0;
}

static void forget_targets(struct macs_multicast_node *node) {
    free(node->ports);
    free(node->lags);
    node->ports = node->lags = NULL;
}

void macs_multicast_destroy(struct macs_multicast *multicast) {
    if (!multicast)
        return;
    macs_qsbr_drop(multicast->qsbr, multicast);
    for (uint32_t group = 0; group < MACS_GROUPS; group++)
        macs_sequence_destroy(atomic_load(&multicast->groups[group]));
    for (uint32_t i = 0; i < multicast->node_count; i++)
        forget_targets(&multicast->nodes[i]);
    for (uint32_t lag = 0; lag < MACS_LAGS; lag++)
        free(multicast->lags[lag].ports);
    free(multicast->nodes);
    macs_handles_fini(&multicast->handles);
    free(multicast);
}

static struct macs_sequence *group_at(const struct macs_multicast *multicast, uint16_t group) {
    return atomic_load_explicit(&multicast->groups[group], memory_order_relaxed);
}

/* The index of a node's replicas in its group: after those of all nodes that were associated before. */
static uint32_t place_of(const struct macs_multicast *multicast, const struct macs_multicast_node *node) {
    const struct macs_sequence *list = group_at(multicast, (uint16_t)node->group);
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (multicast->nodes[macs_multicast_replica(list, middle).node].associated < node->associated)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The replicas of a node: one for each port, and one for each link aggregation group that has ports. `list` has room.
 */
static uint32_t replicate(const struct macs_multicast *multicast, const struct macs_multicast_node *node,
                          struct macs_replica *list) {
    const uint32_t handle = (uint32_t)(node - multicast->nodes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->port_count; i++)
        list[count++] = (struct macs_replica){node->ports[i], node->rid, handle};
    for (uint32_t i = 0; i < node->lag_count; i++) {
        const struct macs_lag *lag = &multicast->lags[node->lags[i]];
        if (lag->count)
            list[count++] = (struct macs_replica){lag->ports[MACS_LAG_HASH % lag->count], node->rid, handle};
    }
    return count;
}

/* Let the workers see the replicas of a node in its group, or none, where those that it had have been. */
static int publish(struct macs_multicast *multicast, struct macs_multicast_node *node, bool any) {
    struct macs_sequence *old = group_at(multicast, (uint16_t)node->group), *list = old;
    int status = macs_qsbr_reserve(multicast->qsbr, 1);
    if (status)
        return status;
    struct macs_replica *replicas = malloc((node->port_count + node->lag_count) * sizeof(*replicas) + 1);
    if (!replicas)
        return -ENOMEM;
    const uint32_t count = any ? replicate(multicast, node, replicas) : 0;
    status = macs_sequence_splice(&list, sizeof(*replicas), place_of(multicast, node), node->copies, replicas, count);
    free(replicas);
    if (status)
        return status;
    node->copies = count;
    atomic_store_explicit(&multicast->groups[node->group], list, memory_order_release);
    macs_qsbr_defer(multicast->qsbr, macs_sequence_retire, multicast, old);
    return 0;
}

int macs_multicast_group_create(struct macs_multicast *multicast, uint16_t group) {
    if (!group)
        return -EINVAL;
    if (group_at(multicast, group))
        return -EEXIST;
    struct macs_sequence *list = macs_sequence_create();
    if (!list)
        return -ENOMEM;
    multicast->group_nodes[group] = (struct macs_multicast_nodes){MACS_NO_NODE, MACS_NO_NODE};
    atomic_store_explicit(&multicast->groups[group], list, memory_order_release);
    return 0;
}

int macs_multicast_group_destroy(struct macs_multicast *multicast, uint16_t group) {
    struct macs_sequence *list = group_at(multicast, group);
    if (!list)
        return -ENOENT;
    int status = macs_qsbr_reserve(multicast->qsbr, 1);
    if (status)
        return status;
    for (uint32_t i = multicast->group_nodes[group].first; i != MACS_NO_NODE; i = multicast->nodes[i].next) {
        multicast->nodes[i].group = MACS_NO_GROUP;
        multicast->nodes[i].copies = 0;
    }
    atomic_store_explicit(&multicast->groups[group], NULL, memory_order_release);
    macs_qsbr_defer(multicast->qsbr, macs_sequence_release, multicast, list);
    return 0;
}

static int compare_numbers(const void *a, const void *b) {
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* A sorted copy of the numbers. */
static int sorted_copy(const uint32_t *numbers, uint32_t count, uint32_t **sorted) {
    uint32_t *copy = calloc(count ? count : 1, sizeof(*copy));
    if (!copy)
        return -ENOMEM;
    if (count)
        memcpy(copy, numbers, count * sizeof(*copy));
    qsort(copy, count, sizeof(*copy), compare_numbers);
    for (uint32_t i = 1; i < count; i++) {
        if (copy[i] == copy[i - 1]) {
            free(copy);
            return -EINVAL;
        }
    }
    *sorted = copy;
    return 0;
}

/* Room for twice as many nodes. */
static int more_nodes(struct macs_multicast *multicast) {
    uint32_t count = multicast->node_count ? 2 * multicast->node_count : 16, taken;
    struct macs_multicast_node *nodes = realloc(multicast->nodes, count * sizeof(*nodes));
    if (!nodes)
        return -ENOMEM;
    memset(nodes + multicast->node_count, 0, (count - multicast->node_count) * sizeof(*nodes));
    multicast->nodes = nodes;
    struct macs_handles handles;
    int status = macs_handles_init(&handles, count);
    for (uint32_t i = 0; i < multicast->node_count && !status; i++)
        status = macs_handles_take(&handles, &taken);
    if (status) {
        macs_handles_fini(&handles);
        return status;
    }
    macs_handles_fini(&multicast->handles);
    multicast->handles = handles;
    multicast->node_count = count;
    return 0;
}

static int new_handle(struct macs_multicast *multicast, uint32_t *handle) {
    if (multicast->node_count && !macs_handles_take(&multicast->handles, handle))
        return 0;
    int status = more_nodes(multicast);
    return status ? status : macs_handles_take(&multicast->handles, handle);
}

/* The ports and link aggregation groups of a node that has none, sorted. After an error it has none. */
static int take_targets(struct macs_multicast_node *node, const struct macs_targets *targets) {
    for (uint32_t i = 0; i < targets->lag_count; i++)
        if (targets->lags[i] >= MACS_LAGS)
            return -EINVAL;
    int status = sorted_copy(targets->ports, targets->port_count, &node->ports);
    if (status)
        return status;
    status = sorted_copy(targets->lags, targets->lag_count, &node->lags);
    if (status) {
        forget_targets(node);
        return status;
    }
    node->port_count = targets->port_count;
    node->lag_count = targets->lag_count;
    return 0;
}

int macs_multicast_node_create(struct macs_multicast *multicast, uint16_t rid, const struct macs_targets *targets,
                               uint32_t *handle) {
    struct macs_multicast_node made = {.used = true, .rid = rid, .group = MACS_NO_GROUP};
    int status = take_targets(&made, targets);
    if (status)
        return status;
    status = new_handle(multicast, handle);
    if (status)
        forget_targets(&made);
    else
        multicast->nodes[*handle] = made;
    return status;
}

static struct macs_multicast_node *node_of(struct macs_multicast *multicast, uint32_t handle) {
    return handle < multicast->node_count && multicast->nodes[handle].used ? &multicast->nodes[handle] : NULL;
}

int macs_multicast_node_update(struct macs_multicast *multicast, uint32_t handle, const struct macs_targets *targets) {
    struct macs_multicast_node *node = node_of(multicast, handle);
    if (!node)
        return -ESRCH;
    struct macs_multicast_node before = *node;
    int status = take_targets(node, targets);
    if (!status && node->group != MACS_NO_GROUP) {
        status = publish(multicast, node, true);
        if (status)
            forget_targets(node);
    }
    if (status)
        *node = before;
    else
        forget_targets(&before);
    return status;
}

int macs_multicast_node_destroy(struct macs_multicast *multicast, uint32_t handle) {
    struct macs_multicast_node *node = node_of(multicast, handle);
    if (!node)
        return -ESRCH;
    if (node->group != MACS_NO_GROUP) {
        int status = macs_multicast_dissociate(multicast, (uint16_t)node->group, handle);
        if (status)
            return status;
    }
    forget_targets(node);
    *node = (struct macs_multicast_node){0};
    macs_handles_give_back(&multicast->handles, handle);
    return 0;
}

int macs_multicast_associate(struct macs_multicast *multicast, uint16_t group, uint32_t handle) {
    struct macs_multicast_nodes *nodes = &multicast->group_nodes[group];
    struct macs_multicast_node *node = node_of(multicast, handle);
    if (!group_at(multicast, group))
        return -ENOENT;
    if (!node)
        return -ESRCH;
    if (node->group != MACS_NO_GROUP)
        return -EBUSY;
    node->group = group;
    node->associated = ++multicast->associated;
    int status = publish(multicast, node, true);
    if (status) {
        node->group = MACS_NO_GROUP;
        return status;
    }
    node->previous = nodes->last;
    node->next = MACS_NO_NODE;
    *(nodes->last == MACS_NO_NODE ? &nodes->first : &multicast->nodes[nodes->last].next) = handle;
    nodes->last = handle;
    return 0;
}

int macs_multicast_dissociate(struct macs_multicast *multicast, uint16_t group, uint32_t handle) {
    struct macs_multicast_nodes *nodes = &multicast->group_nodes[group];
    struct macs_multicast_node *node = node_of(multicast, handle);
    if (!group_at(multicast, group))
        return -ENOENT;
    if (!node)
        return -ESRCH;
    if (node->group != group)
        return -EINVAL;
    int status = publish(multicast, node, false);
    if (status)
        return status;
    *(node->previous == MACS_NO_NODE ? &nodes->first : &multicast->nodes[node->previous].next) = node->next;
    *(node->next == MACS_NO_NODE ? &nodes->last : &multicast->nodes[node->next].previous) = node->previous;
    node->group = MACS_NO_GROUP;
    return 0;
}

static bool has_lag(const struct macs_multicast_node *node, uint32_t lag) {
    for (uint32_t i = 0; i < node->lag_count; i++)
        if (node->lags[i] == lag)
            return true;
    return false;
}

int macs_multicast_lag_set(struct macs_multicast *multicast, uint32_t lag, const uint32_t *ports, uint32_t count) {
    uint32_t *sorted;
    int status = sorted_copy(ports, count, &sorted);
    if (status)
        return status;
    free(multicast->lags[lag].ports);
    multicast->lags[lag] = (struct macs_lag){.known = true, .count = count, .ports = sorted};
    for (uint32_t i = 0; i < multicast->node_count && !status; i++) {
        struct macs_multicast_node *node = &multicast->nodes[i];
        if (node->used && node->group != MACS_NO_GROUP && has_lag(node, lag))
            status = publish(multicast, node, true);
    }
    return status;
}

int macs_multicast_clear(struct macs_multicast *multicast) {
    int status = 0;
    for (uint32_t group = 0; group < MACS_GROUPS && !status; group++)
        if (group_at(multicast, (uint16_t)group))
            status = macs_multicast_group_destroy(multicast, (uint16_t)group);
    for (uint32_t i = 0; i < multicast->node_count && !status; i++)
        if (multicast->nodes[i].used)
            status = macs_multicast_node_destroy(multicast, i);
    for (uint32_t lag = 0; lag < MACS_LAGS && !status; lag++) {
        free(multicast->lags[lag].ports);
        multicast->lags[lag] = (struct macs_lag){0};
    }
    return status;
}
