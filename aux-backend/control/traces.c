#include "control/traces.h"

#include <stdlib.h>

#include "control/wire.h"

#define STEP (256u << 10) /* bytes of a message, about */

bool macs_traces_filter(const uint8_t *payload, size_t length, struct macs_trace_filter *filter) {
    struct macs_wire wire = {.at = payload, .left = length};
    *filter = (struct macs_trace_filter){0};
    filter->port = macs_wire_u32(&wire);
    filter->every = macs_wire_u32(&wire);
    filter->per_second = macs_wire_u32(&wire);
    filter->count = macs_wire_u64(&wire);
    while (wire.left && !wire.cut && filter->byte_count < MACS_TRACE_BYTES_MAX) {
        filter->bytes[filter->byte_count].offset = macs_wire_u16(&wire);
        filter->bytes[filter->byte_count].value = macs_wire_u8(&wire);
        filter->bytes[filter->byte_count++].mask = macs_wire_u8(&wire);
    }
    return macs_wire_whole(&wire);
}

bool macs_traces_start(struct macs_server *server, struct macs_client *client, const struct macs_trace_filter *filter) {
    if (server->tracer || macs_trace_start(server->console->sw, filter))
        return false;
    server->tracer = client;
    return true;
}

bool macs_traces_stop(struct macs_server *server, const struct macs_client *client) {
    if (server->tracer != client)
        return false;
    server->tracer = NULL;
    macs_trace_stop(server->console->sw);
    return true;
}

static bool put(struct macs_bytes *message, const struct macs_traced *traced) {
    uint8_t port[2];
    macs_put_u16(port, traced->port);
    return macs_wire_put(message, port, sizeof(port)) && macs_wire_put_u64(message, traced->time_ns) &&
           macs_wire_put_u32(message, traced->length) && macs_wire_put(message, traced->bytes, traced->length);
}

/* A message of what waits; false: there was nothing. */
static bool push_some(struct macs_server *server, struct macs_trace *trace) {
    const struct macs_traced *traced;
    struct macs_bytes message = {0};
    uint32_t length;
    bool fine = macs_wire_put_u64(&message, server->changes) &&
                macs_wire_put_u64(&message, atomic_load_explicit(&trace->lost, memory_order_relaxed));
    const size_t head = message.length;
    while (fine && message.length < STEP && (traced = macs_ring_peek(&trace->ring, &length))) {
        fine = put(&message, traced);
        macs_ring_pop(&trace->ring);
    }
    const bool any = fine && message.length > head;
    if (any)
        macs_client_send(server->tracer, MACS_MESSAGE_TRACED, MACS_STATUS_OK, 0, message.data, message.length);
    free(message.data);
    return any;
}

void macs_traces_push(struct macs_server *server) {
    struct macs_trace *trace = atomic_load(&server->console->sw->trace);
    while (trace && server->tracer && macs_client_waiting(server->tracer) < MACS_CLIENT_UNREAD_MAX)
        if (!push_some(server, trace))
            return;
}
