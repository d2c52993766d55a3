#include "control/pushes.h"

#include <stdlib.h>
#include <string.h>

#include "control/match_wire.h"
#include "control/protocol.h"
#include "control/traces.h"
#include "runtime/ages.h"

#define FRAMES_STEP (256u << 10) /* bytes of frames in a message, about */

/* How often to look for entries to tell of, how long at most to wait for a subscriber that does not read, and how many
 * entries of a table to look at together. */
#define AGES_PERIOD_NS UINT64_C(100000000)
#define AGES_PATIENCE_NS UINT64_C(5000000000)
#define AGES_AT_ONCE 65536u

static void push(struct macs_server *server, uint8_t to, uint8_t type, const struct macs_bytes *message) {
    for (unsigned i = 0; i < MACS_CLIENTS_MAX; i++) {
        struct macs_client *client = server->clients[i];
        if (client && client->subscribed & to && macs_client_waiting(client) < MACS_CLIENT_UNREAD_MAX)
            macs_client_send(client, type, MACS_STATUS_OK, 0, message->data, message->length);
    }
}

void macs_pushes_want(struct macs_server *server) {
    bool wanted = false;
    for (unsigned i = 0; i < MACS_CLIENTS_MAX; i++)
        wanted |= server->clients[i] && server->clients[i]->subscribed;
    for (unsigned slot = 0; slot < server->console->sw->port_count; slot++)
        wanted |= server->takers[slot] != NULL;
    atomic_store(&server->console->sw->bell.wanted, wanted || server->tracer || server->console->learns);
}

bool macs_pushes_subscribe(struct macs_server *server, struct macs_client *client, const uint8_t *payload,
                           size_t length) {
    struct macs_switch *sw = server->console->sw;
    for (size_t at = 1; at < length; at += 2) {
        const struct macs_port *port = length - at >= 2 ? macs_switch_port(sw, macs_get_u16(payload + at)) : NULL;
        if (!port || !port->ctl)
            return false;
    }
    client->subscribed |= length ? payload[0] : MACS_SUBSCRIBE_DIGESTS;
    for (size_t at = 1; at < length; at += 2) {
        struct macs_port *port = macs_switch_port(sw, macs_get_u16(payload + at));
        server->takers[port - sw->ports] = client;
        atomic_store(&port->pushed, true);
    }
    macs_pushes_want(server);
    return true;
}

void macs_pushes_forget(struct macs_server *server, const struct macs_client *client) {
    struct macs_switch *sw = server->console->sw;
    macs_traces_stop(server, client);
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        if (server->takers[slot] != client)
            continue;
        server->takers[slot] = NULL;
        atomic_store(&sw->ports[slot].pushed, false);
    }
    macs_pushes_want(server);
}

/* --- frames ---------------------------------------------------------------------------------------------------------
 */

bool macs_frame_put(struct macs_bytes *frames, odp_packet_t packet) {
    uint32_t length = odp_packet_len(packet);
    bool fine = macs_bytes_reserve(frames, 6 + (size_t)length);
    if (fine) {
        uint8_t *place = frames->data + frames->length;
        macs_put_u16(place, macs_packet_of(packet)->egress_port);
        macs_put_u32(place + 2, length);
        fine = !odp_packet_copy_to_mem(packet, 0, length, place + 6);
        frames->length += fine ? 6 + (size_t)length : 0;
    }
    odp_packet_free(packet);
    return fine;
}

/* Clients that do not read keep the others' frames waiting too, and what finds no room then is counted. */
static bool all_read(const struct macs_server *server) {
    for (unsigned slot = 0; slot < server->console->sw->port_count; slot++)
        if (server->takers[slot] && macs_client_waiting(server->takers[slot]) >= MACS_CLIENT_UNREAD_MAX)
            return false;
    return true;
}

bool macs_pushes_wait(const struct macs_server *server) {
    return atomic_load(&server->console->sw->ctl_pushed.waiting) && all_read(server);
}

/* Whose frame it is; NULL: he is gone. */
static struct macs_client *taker_of(const struct macs_server *server, odp_packet_t packet) {
    const unsigned slot = macs_switch_slot(server->console->sw, macs_packet_of(packet)->egress_port);
    return slot ? server->takers[slot - 1] : NULL;
}

static void send_frames(struct macs_client *client, struct macs_bytes *frames) {
    if (client && frames->length)
        macs_client_send(client, MACS_MESSAGE_FRAMES, MACS_STATUS_OK, 0, frames->data, frames->length);
    frames->length = 0;
}

static void push_frames(struct macs_server *server) {
    struct macs_bytes frames = {0};
    struct macs_client *client = NULL;
    odp_packet_t packet = ODP_PACKET_INVALID;
    while (all_read(server) && (packet = macs_ctl_collect(&server->console->sw->ctl_pushed)) != ODP_PACKET_INVALID) {
        struct macs_client *taker = taker_of(server, packet);
        if (taker != client || frames.length >= FRAMES_STEP)
            send_frames(client, &frames);
        client = taker;
        macs_frame_put(&frames, packet);
    }
    send_frames(client, &frames);
    free(frames.data);
}

/* --- digests --------------------------------------------------------------------------------------------------------
 */

/* A run of records of one digest, as a message. */
static void push_run(struct macs_server *server, const struct macs_extern_desc *desc, uint32_t record_bytes,
                     const struct macs_bytes *records) {
    size_t name_length = strlen(desc->name);
    struct macs_bytes message = {0};
    if (!macs_bytes_reserve(&message, 2 + name_length + 4 + records->length))
        return;
    macs_put_u16(message.data, (uint16_t)name_length);
    memcpy(message.data + 2, desc->name, name_length);
    macs_put_u32(message.data + 2 + name_length, record_bytes);
    memcpy(message.data + 6 + name_length, records->data, records->length);
    message.length = 6 + name_length + records->length;
    push(server, MACS_SUBSCRIBE_DIGESTS, MACS_MESSAGE_DIGEST, &message);
    free(message.data);
}

static void push_digests(struct macs_server *server) {
    struct macs_switch *sw = server->console->sw;
    struct macs_ring *ring = &sw->digests.ring;
    if (!ring->slots)
        return;
    struct macs_bytes records = {0};
    uint32_t length, index = UINT32_MAX, record_bytes = 0;
    const struct macs_digest_record *record;
    for (uint32_t n = 0; n < ring->slot_count && (record = macs_ring_peek(ring, &length)); n++) {
        if (record->index != index && records.length) {
            push_run(server, &sw->program->extern_descs[index], record_bytes, &records);
            records.length = 0;
        }
        index = record->index;
        record_bytes = length - (uint32_t)sizeof(*record);
        if (macs_bytes_reserve(&records, record_bytes)) {
            memcpy(records.data + records.length, record->bytes, record_bytes);
            records.length += record_bytes;
        }
        macs_ring_pop(ring);
    }
    if (records.length)
        push_run(server, &sw->program->extern_descs[index], record_bytes, &records);
    free(records.data);
}

/* --- entries that nothing hits --------------------------------------------------------------------------------------
 */

#define PART (256u << 10) /* bytes of a message; an entry more may be in it */

struct idle {
    const struct macs_program *program;
    const struct macs_entries *entries;
    uint32_t count;
    struct macs_bytes ages, told; /* what they are, and the entries */
    uint64_t now_ns;
};

static int put_idle(uint64_t handle, const struct macs_match *match, const struct macs_entry *entry, void *argument) {
    struct idle *idle = argument;
    const struct macs_ages *ages = idle->entries->table->ages;
    idle->count++;
    return macs_wire_put_u64(&idle->ages, handle) &&
                   macs_wire_put_u64(&idle->ages, macs_ages_timeout_ns(ages, entry->index)) &&
                   macs_wire_put_u64(&idle->ages, macs_ages_idle_ns(ages, entry->index, idle->now_ns)) &&
                   macs_entry_put(idle->program, idle->entries->table->desc, match, entry, &idle->told)
               ? 0
               : -1;
}

/* Those of a table that are to be told of, as long as there is room in a message; false: there are no more. */
static bool gather_idle(struct macs_entries *entries, struct idle *idle, uint32_t *left) {
    while (idle->told.length < PART) {
        const int64_t index = macs_ages_next(entries->table->ages, left, idle->now_ns);
        uint64_t at = (uint64_t)index;
        if (index < 0 || macs_entries_walk(entries, &at, 1, put_idle, idle))
            return false;
    }
    return true;
}

/* A message of them; false: there are no more. */
static bool push_idle_of(struct macs_server *server, uint16_t table, uint64_t now_ns) {
    struct macs_entries *entries = &server->console->tables[table];
    struct idle idle = {.program = server->console->sw->program, .entries = entries, .now_ns = now_ns};
    struct macs_bytes message = {0};
    uint32_t left = AGES_AT_ONCE;
    uint8_t head[6];
    const bool more = gather_idle(entries, &idle, &left);
    macs_put_u16(head, table);
    macs_put_u32(head + 2, idle.count);
    if (idle.count && macs_wire_put(&message, head, sizeof(head)) &&
        macs_wire_put(&message, idle.ages.data, idle.ages.length) &&
        macs_wire_put(&message, idle.told.data, idle.told.length))
        push(server, MACS_SUBSCRIBE_IDLE, MACS_MESSAGE_IDLE, &message);
    free(message.data);
    free(idle.ages.data);
    free(idle.told.data);
    return more;
}

/* Whether there is somebody to tell, and all have read enough to be told of more: what finds no room is lost. */
static bool due(const struct macs_server *server, uint64_t now_ns) {
    bool anyone = false, room = true;
    for (unsigned i = 0; i < MACS_CLIENTS_MAX; i++) {
        const struct macs_client *client = server->clients[i];
        if (!client || !(client->subscribed & MACS_SUBSCRIBE_IDLE))
            continue;
        anyone = true;
        room &= macs_client_waiting(client) < MACS_CLIENT_UNREAD_MAX / 2;
    }
    const uint64_t since_ns = now_ns - server->ages_ns;
    return anyone && (room ? server->ages_more || since_ns >= AGES_PERIOD_NS : since_ns >= AGES_PATIENCE_NS);
}

static void push_idle(struct macs_server *server) {
    const struct macs_program *program = server->console->sw->program;
    const uint64_t now_ns = macs_switch_now(server->console->sw);
    if (!due(server, now_ns))
        return;
    server->ages_ns = now_ns;
    server->ages_more = false;
    for (uint16_t table = 0; table < program->table_count; table++)
        if (program->tables[table].ages && program->tables[table].ages->limited && !program->table_descs[table].deletes)
            server->ages_more |= push_idle_of(server, table, now_ns);
}

void macs_pushes_send(struct macs_server *server) {
    macs_bell_hear(&server->console->sw->bell);
    push_digests(server);
    push_idle(server);
    push_frames(server);
    macs_traces_push(server);
}
