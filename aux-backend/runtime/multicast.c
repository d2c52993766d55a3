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

static void free_list(struct macs_multicast_list *list) {
    if (list)
        free(list->nodes);
    free(list);
}

void macs_multicast_destroy(struct macs_multicast *multicast) {
    if (!multicast)
        return;
    macs_qsbr_drop(multicast->qsbr, multicast);
    for (uint32_t group = 0; group < MACS_GROUPS; group++) {
        free_list(multicast->lists[group]);
        free(atomic_load(&multicast->groups[group]));
    }
    for (uint32_t i = 0; i < multicast->node_count; i++)
        free(multicast->nodes[i].ports);
    free(multicast->nodes);
    macs_handles_fini(&multicast->handles);
    free(multicast);
}

static void release_group(void *owner, void *group) {
    (void)owner;
    free(group);
}

/* Make `next` what the workers see; the old members live until no worker can look at them. */
static void replace(struct macs_multicast *multicast, uint16_t group, struct macs_group *next) {
    struct macs_group *old = atomic_exchange_explicit(&multicast->groups[group], next, memory_order_acq_rel);
    if (old)
        macs_qsbr_defer(multicast->qsbr, release_group, multicast, old);
}

/* The members of the group as its list and nodes say. */
static int publish(struct macs_multicast *multicast, uint16_t group) {
    const struct macs_multicast_list *list = multicast->lists[group];
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        count += multicast->nodes[list->nodes[i]].port_count;
    int status = macs_qsbr_reserve(multicast->qsbr, 1);
    if (status)
        return status;
    struct macs_group *next = malloc(sizeof(*next) + count * sizeof(next->replicas[0]));
    if (!next)
        return -ENOMEM;
    next->count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct macs_multicast_node *node = &multicast->nodes[list->nodes[i]];
        for (uint32_t p = 0; p < node->port_count; p++)
            next->replicas[next->count++] = (struct macs_replica){node->ports[p], node->rid};
    }
    replace(multicast, group, next);
    return 0;
}

int macs_multicast_group_create(struct macs_multicast *multicast, uint16_t group) {
    if (!group)
        return -EINVAL;
    if (multicast->lists[group])
        return -EEXIST;
    multicast->lists[group] = calloc(1, sizeof(struct macs_multicast_list));
    if (!multicast->lists[group])
        return -ENOMEM;
    int status = publish(multicast, group);
    if (status) {
        free_list(multicast->lists[group]);
        multicast->lists[group] = NULL;
    }
    return status;
}

int macs_multicast_group_destroy(struct macs_multicast *multicast, uint16_t group) {
    struct macs_multicast_list *list = multicast->lists[group];
    if (!list)
        return -ENOENT;
    int status = macs_qsbr_reserve(multicast->qsbr, 1);
    if (status)
        return status;
    for (uint32_t i = 0; i < list->count; i++)
        multicast->nodes[list->nodes[i]].group = MACS_NO_GROUP;
    free_list(list);
    multicast->lists[group] = NULL;
    replace(multicast, group, NULL);
    return 0;
}

static int compare_ports(const void *a, const void *b) {
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* A sorted copy of the ports. */
static int sorted_ports(const uint32_t *ports, uint32_t count, uint32_t **sorted) {
    uint32_t *copy = calloc(count ? count : 1, sizeof(*copy));
    if (!copy)
        return -ENOMEM;
    if (count)
        memcpy(copy, ports, count * sizeof(*copy));
    qsort(copy, count, sizeof(*copy), compare_ports);
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

int macs_multicast_node_create(struct macs_multicast *multicast, uint16_t rid, const uint32_t *ports, uint32_t count,
                               uint32_t *handle) {
    uint32_t *sorted;
    int status = sorted_ports(ports, count, &sorted);
    if (status)
        return status;
    status = new_handle(multicast, handle);
    if (status) {
        free(sorted);
        return status;
    }
    multicast->nodes[*handle] = (struct macs_multicast_node){
        .used = true, .rid = rid, .group = MACS_NO_GROUP, .port_count = count, .ports = sorted};
    return 0;
}

static struct macs_multicast_node *node_of(struct macs_multicast *multicast, uint32_t handle) {
    return handle < multicast->node_count && multicast->nodes[handle].used ? &multicast->nodes[handle] : NULL;
}

int macs_multicast_node_update(struct macs_multicast *multicast, uint32_t handle, const uint32_t *ports,
                               uint32_t count) {
    struct macs_multicast_node *node = node_of(multicast, handle);
    if (!node)
        return -ESRCH;
    struct macs_multicast_node old = *node;
    int status = sorted_ports(ports, count, &node->ports);
    if (status)
        return status;
    node->port_count = count;
    if (node->group != MACS_NO_GROUP)
        status = publish(multicast, (uint16_t)node->group);
    if (status) {
        free(node->ports);
        *node = old;
    } else {
        free(old.ports);
    }
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
    free(node->ports);
    *node = (struct macs_multicast_node){0};
    macs_handles_give_back(&multicast->handles, handle);
    return 0;
}

int macs_multicast_associate(struct macs_multicast *multicast, uint16_t group, uint32_t handle) {
    struct macs_multicast_list *list = multicast->lists[group];
    struct macs_multicast_node *node = node_of(multicast, handle);
    if (!list)
        return -ENOENT;
    if (!node)
        return -ESRCH;
    if (node->group != MACS_NO_GROUP)
        return -EBUSY;
    uint32_t *nodes = realloc(list->nodes, (list->count + 1) * sizeof(*nodes));
    if (!nodes)
        return -ENOMEM;
    list->nodes = nodes;
    list->nodes[list->count++] = handle;
    int status = publish(multicast, group);
    if (status)
        list->count--;
    else
        node->group = group;
    return status;
}

int macs_multicast_dissociate(struct macs_multicast *multicast, uint16_t group, uint32_t handle) {
    struct macs_multicast_list *list = multicast->lists[group];
    struct macs_multicast_node *node = node_of(multicast, handle);
    if (!list)
        return -ENOENT;
    if (!node)
        return -ESRCH;
    if (node->group != group)
        return -EINVAL;
    uint32_t at = 0;
    while (list->nodes[at] != handle)
        at++;
    size_t behind = (--list->count - at) * sizeof(list->nodes[0]);
    memmove(&list->nodes[at], &list->nodes[at + 1], behind);
    int status = publish(multicast, group);
    if (status) {
        memmove(&list->nodes[at + 1], &list->nodes[at], behind);
        list->nodes[at] = handle;
        list->count++;
        return status;
    }
    node->group = MACS_NO_GROUP;
    return 0;
}
