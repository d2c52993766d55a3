/* Events of any type, and buffers. */
#include "pool/pool.h"

int odp_event_type_multi(const odp_event_t event[], int num, odp_event_type_t *type) {
    int same = 1;
    *type = odp_event_type(event[0]);
    while (same < num && odp_event_type(event[same]) == *type)
        same++;
    return same;
}

void odp_event_types_multi(const odp_event_t event[], odp_event_type_t type[], odp_event_subtype_t subtype[], int num) {
    for (int i = 0; i < num; i++) {
        type[i] = odp_event_type(event[i]);
        if (subtype != NULL)
            subtype[i] = odp_event_subtype(event[i]);
    }
}

int odp_event_filter_packet(const odp_event_t event[], odp_packet_t packet[], odp_event_t remain[], int num) {
    int packets = 0;
    for (int i = 0; i < num; i++)
        if (odp_event_type(event[i]) == ODP_EVENT_PACKET)
            packet[packets++] = odp_packet_from_event(event[i]);
        else
            remain[i - packets] = event[i];
    return packets;
}

void *odp_event_user_area(odp_event_t event) {
    return event->type == ODP_EVENT_PACKET ? odp_packet_user_area(odp_packet_from_event(event))
                                           : odp_buffer_user_area(odp_buffer_from_event(event));
}

void *odp_event_user_area_and_flag(odp_event_t event, int *flag) {
    *flag = event->type == ODP_EVENT_PACKET ? odp_packet_user_flag(odp_packet_from_event(event)) : -1;
    return odp_event_user_area(event);
}

void odp_event_user_flag_set(odp_event_t event, int val) {
    if (event->type == ODP_EVENT_PACKET)
        odp_packet_user_flag_set(odp_packet_from_event(event), val);
}

void odp_event_free(odp_event_t event) {
    macs_odp_pool_give(event->pool, &event, 1);
}

/* Events of many pools are freed run by run of one pool. */
void odp_event_free_multi(const odp_event_t event[], int num) {
    for (int first = 0, next = 0; first < num; first = next) {
        while (next < num && event[next]->pool == event[first]->pool)
            next++;
        macs_odp_pool_give(event[first]->pool, event + first, (uint32_t)(next - first));
    }
}

void odp_event_free_sp(const odp_event_t event[], int num) {
    odp_event_free_multi(event, num);
}

uint64_t odp_event_to_u64(odp_event_t event) {
    return (uintptr_t)event;
}

int odp_buffer_alloc_multi(odp_pool_t pool, odp_buffer_t buf[], int num) {
    if (pool == NULL || pool->param.type != ODP_POOL_BUFFER || num < 0)
        return macs_odp_fail(EINVAL);
    return (int)macs_odp_pool_take(pool, (struct macs_odp_event **)(void *)buf, (uint32_t)num);
}

odp_buffer_t odp_buffer_alloc(odp_pool_t pool) {
    odp_buffer_t buf;
    return odp_buffer_alloc_multi(pool, &buf, 1) == 1 ? buf : ODP_BUFFER_INVALID;
}

void odp_buffer_free(odp_buffer_t buf) {
    odp_event_free(&buf->event);
}

void odp_buffer_free_multi(const odp_buffer_t buf[], int num) {
    odp_event_free_multi((const odp_event_t *)(const void *)buf, num);
}

void odp_buffer_from_event_multi(odp_buffer_t buf[], const odp_event_t event[], int num) {
    for (int i = 0; i < num; i++)
        buf[i] = odp_buffer_from_event(event[i]);
}

void odp_buffer_to_event_multi(const odp_buffer_t buf[], odp_event_t event[], int num) {
    for (int i = 0; i < num; i++)
        event[i] = odp_buffer_to_event(buf[i]);
}

void odp_buffer_print(odp_buffer_t buf) {
    macs_odp_log(ODP_LOG_PRINT, "buffer %u of pool %s: %u bytes at %p, user area %u\n", buf->event.index,
                 buf->event.pool->name, buf->size, (void *)buf->addr, buf->uarea_size);
}

int odp_buffer_is_valid(odp_buffer_t buf) {
    return odp_event_is_valid((odp_event_t)(void *)buf) && buf->event.type == ODP_EVENT_BUFFER;
}

uint64_t odp_buffer_to_u64(odp_buffer_t buf) {
    return (uintptr_t)buf;
}
