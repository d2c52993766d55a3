#include "control/pushes.h"

#include <stdlib.h>

#include "control/match_wire.h"
#include "runtime/ages.h"

/* How often to look for entries to tell of, and how many of a table at a time. */
#define AGES_PERIOD_NS 100000000u
#define AGES_AT_ONCE 65536u

static void push(struct macs_server *server, uint8_t to, uint8_t type, const struct macs_bytes *message) {
    for (unsigned i = 0; i < MACS_CLIENTS_MAX; i++) {
        struct macs_client *client = server->clients[i];
        if (client && client->subscribed & to && macs_client_waiting(client) < MACS_CLIENT_UNREAD_MAX)
            macs_client_send(client, type, MACS_STATUS_OK, 0, message->data, message->length);
    }
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
                   macs_wire_put_u64(&idle->ages, ages->ages[entry->index].timeout_ns) &&
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

/* Whether there is somebody to tell, and those who read have read enough to be told of more. */
static bool due(const struct macs_server *server, uint64_t now_ns) {
    bool anyone = false, room = true;
    for (unsigned i = 0; i < MACS_CLIENTS_MAX; i++) {
        const struct macs_client *client = server->clients[i];
        if (!client || !(client->subscribed & MACS_SUBSCRIBE_IDLE))
            continue;
        anyone = true;
        room &= macs_client_waiting(client) < MACS_CLIENT_UNREAD_MAX / 2;
    }
    return anyone && (now_ns - server->ages_ns >= AGES_PERIOD_NS || (server->ages_more && room));
}

static void push_idle(struct macs_server *server) {
    const struct macs_program *program = server->console->sw->program;
    const uint64_t now_ns = macs_switch_now(server->console->sw);
    if (!due(server, now_ns))
        return;
    server->ages_ns = now_ns;
    server->ages_more = false;
    for (uint16_t table = 0; table < program->table_count; table++)
        if (program->tables[table].ages && program->tables[table].ages->limited)
            server->ages_more |= push_idle_of(server, table, now_ns);
}

void macs_pushes_send(struct macs_server *server) {
    push_digests(server);
    push_idle(server);
}
