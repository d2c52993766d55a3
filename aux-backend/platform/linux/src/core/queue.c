/* Plain queues: a ring under a spinlock. Only slow paths use queues (recirculation, packet-in, control). */
#include "core/internal.h"

#include <stdlib.h>
#include <string.h>

enum { QUEUES = 256, DEFAULT_SIZE = 4096, MAX_SIZE = 1u << 20 };

struct macs_odp_queue {
    char name[ODP_QUEUE_NAME_LEN];
    odp_queue_param_t param;
    uint32_t index;
    uint32_t mask; /* slots - 1 */
    odp_spinlock_t lock ODP_ALIGNED_CACHE;
    uint32_t head; /* next to take; head and tail wrap at 2^32 */
    uint32_t tail; /* next to fill */
    odp_event_t slot[];
};

static struct macs_odp_queue *queues[QUEUES];

int odp_queue_capability(odp_queue_capability_t *capa) {
    memset(capa, 0, sizeof(*capa));
    capa->max_queues = QUEUES;
    capa->plain.max_num = QUEUES;
    capa->plain.max_size = MAX_SIZE;
    capa->plain.stats.bit.len = 1;
    return 0;
}

void odp_queue_param_init(odp_queue_param_t *param) {
    memset(param, 0, sizeof(*param));
}

static struct macs_odp_queue *queue_new(const char *name, const odp_queue_param_t *param) {
    uint32_t size = param->size ? param->size : DEFAULT_SIZE, slots = 1;
    while (slots < size)
        slots *= 2;
    size_t bytes = ODP_CACHE_LINE_ROUNDUP(sizeof(struct macs_odp_queue) + slots * sizeof(odp_event_t));
    struct macs_odp_queue *queue = aligned_alloc(ODP_CACHE_LINE_SIZE, bytes);
    if (queue == NULL)
        return NULL;
    memset(queue, 0, bytes);
    macs_odp_name(queue->name, sizeof(queue->name), name);
    queue->param = *param;
    queue->mask = slots - 1;
    return queue;
}

odp_queue_t odp_queue_create(const char *name, const odp_queue_param_t *param) {
    odp_queue_t queue = ODP_QUEUE_INVALID;
    odp_queue_param_t defaults;
    odp_queue_param_init(&defaults);
    if (param == NULL)
        param = &defaults;
    if (param->type != ODP_QUEUE_TYPE_PLAIN || param->nonblocking != ODP_BLOCKING || param->size > MAX_SIZE) {
        macs_odp_error = EINVAL;
        return ODP_QUEUE_INVALID;
    }
    macs_odp_error = ENOMEM;
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < QUEUES; index++)
        if (queues[index] == NULL) {
            queues[index] = queue = queue_new(name, param);
            if (queue != NULL)
                queue->index = index;
            break;
        }
    pthread_mutex_unlock(&macs_odp_lock);
    return queue;
}

int odp_queue_create_multi(const char *name[], const odp_queue_param_t param[], odp_bool_t share_param,
                           odp_queue_t queue[], int num) {
    int made = 0;
    if (num <= 0)
        return num < 0 ? macs_odp_fail(EINVAL) : 0;
    while (made < num) {
        queue[made] = odp_queue_create(name != NULL ? name[made] : NULL, &param[share_param ? 0 : made]);
        if (queue[made] == ODP_QUEUE_INVALID)
            break;
        made++;
    }
    return made > 0 ? made : -1;
}

int odp_queue_destroy(odp_queue_t queue) {
    if (queue == NULL)
        return macs_odp_fail(EINVAL);
    if (odp_queue_len(queue) > 0)
        return macs_odp_fail(EBUSY);
    pthread_mutex_lock(&macs_odp_lock);
    queues[queue->index] = NULL;
    pthread_mutex_unlock(&macs_odp_lock);
    free(queue);
    return 0;
}

int odp_queue_destroy_multi(odp_queue_t queue[], int num) {
    int gone = 0;
    if (num <= 0)
        return macs_odp_fail(EINVAL);
    while (gone < num && odp_queue_destroy(queue[gone]) == 0)
        gone++;
    return gone > 0 ? gone : -1;
}

unsigned macs_odp_queue_term(void) {
    unsigned left = 0;
    for (uint32_t index = 0; index < QUEUES; index++)
        if (queues[index] != NULL) {
            free(queues[index]);
            queues[index] = NULL;
            left++;
        }
    return left;
}

odp_queue_t odp_queue_lookup(const char *name) {
    odp_queue_t found = ODP_QUEUE_INVALID;
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < QUEUES && found == ODP_QUEUE_INVALID; index++)
        if (queues[index] != NULL && strcmp(queues[index]->name, name) == 0)
            found = queues[index];
    pthread_mutex_unlock(&macs_odp_lock);
    return found;
}

int odp_queue_info(odp_queue_t queue, odp_queue_info_t *info) {
    if (queue == NULL)
        return macs_odp_fail(EINVAL);
    info->name = queue->name;
    info->type = queue->param.type;
    info->param = queue->param;
    return 0;
}

odp_queue_type_t odp_queue_type(odp_queue_t queue) {
    return queue->param.type;
}

int odp_queue_context_set(odp_queue_t queue, void *context, uint32_t len) {
    if (queue == NULL)
        return macs_odp_fail(EINVAL);
    queue->param.context = context;
    queue->param.context_len = len;
    return 0;
}

void *odp_queue_context(odp_queue_t queue) {
    return queue == NULL ? NULL : queue->param.context;
}

uint32_t odp_queue_len(odp_queue_t queue) {
    odp_spinlock_lock(&queue->lock);
    uint32_t len = queue->tail - queue->head;
    odp_spinlock_unlock(&queue->lock);
    return len;
}

int odp_queue_enq_multi(odp_queue_t queue, const odp_event_t events[], int num) {
    if (num < 0)
        return macs_odp_fail(EINVAL);
    odp_spinlock_lock(&queue->lock);
    uint32_t room = queue->mask + 1 - (queue->tail - queue->head);
    uint32_t count = (uint32_t)num < room ? (uint32_t)num : room;
    for (uint32_t i = 0; i < count; i++)
        queue->slot[(queue->tail + i) & queue->mask] = events[i];
    __atomic_store_n(&queue->tail, queue->tail + count, __ATOMIC_RELAXED);
    odp_spinlock_unlock(&queue->lock);
    return (int)count;
}

int odp_queue_enq(odp_queue_t queue, odp_event_t event) {
    return odp_queue_enq_multi(queue, &event, 1) == 1 ? 0 : macs_odp_fail(ENOSPC);
}

int odp_queue_deq_multi(odp_queue_t queue, odp_event_t events[], int num) {
    if (num < 0)
        return macs_odp_fail(EINVAL);
    if (__atomic_load_n(&queue->head, __ATOMIC_RELAXED) == __atomic_load_n(&queue->tail, __ATOMIC_RELAXED))
        return 0; /* polling an empty queue takes no lock */
    odp_spinlock_lock(&queue->lock);
    uint32_t used = queue->tail - queue->head;
    uint32_t count = (uint32_t)num < used ? (uint32_t)num : used;
    for (uint32_t i = 0; i < count; i++)
        events[i] = queue->slot[(queue->head + i) & queue->mask];
    __atomic_store_n(&queue->head, queue->head + count, __ATOMIC_RELAXED);
    odp_spinlock_unlock(&queue->lock);
    return (int)count;
}

odp_event_t odp_queue_deq(odp_queue_t queue) {
    odp_event_t event;
    return odp_queue_deq_multi(queue, &event, 1) == 1 ? event : ODP_EVENT_INVALID;
}

void odp_queue_print(odp_queue_t queue) {
    macs_odp_log(ODP_LOG_PRINT, "queue %u \"%s\": %u of %u events\n", queue->index, queue->name, odp_queue_len(queue),
                 queue->mask + 1);
}

void odp_queue_print_all(void) {
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < QUEUES; index++)
        if (queues[index] != NULL)
            odp_queue_print(queues[index]);
    pthread_mutex_unlock(&macs_odp_lock);
}

uint64_t odp_queue_to_u64(odp_queue_t queue) {
    return (uintptr_t)queue;
}
