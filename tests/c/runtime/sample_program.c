/* A switch program written by hand, as the compiler would write one: what the tests of the runtime run.
 *
 * Ingress: `acl` (ternary on the ether type, range on the ingress port) may drop; `routes` (LPM on the IPv4
 * destination) or else `dmac` (exact) choose where the frame goes. Ether types make it do other things, see `special`:
 * a colour and a random number are put into the first byte behind them.
 * Egress: a replica carries its rid as ether type; a frame of type 0x0999 grows by four bytes.
 */
#include <macs/clock.h>
#include <macs/extern.h>
#include <macs/program.h>
#include <macs/qsbr.h>
#include <string.h>

#include "tables/exact/exact_hash.h"
#include "tables/common/linear.h"
#include "tables/lpm/lpm_dir24.h"

enum {
    TYPE_IPV4 = 0x0800,
    TYPE_LOG = 0xbeef,
    TYPE_ASSERT = 0xdead,
    TYPE_GROW = 0x0999,
    TYPE_METER = 0x3e7e,
    TYPE_EGRESS_DROP = 0x0bad,
    TYPE_DIGEST = 0xd1e5,
    TYPE_MOVED = 0xd1e6,
    TYPE_REGISTER = 0x4e61,
    TYPE_RANDOM = 0x4a4d,
    TYPE_LOSE = 0x105e
};

enum {
    EXTERN_PORT_COUNTER,
    EXTERN_DMAC_COUNTER,
    EXTERN_SEEN,
    EXTERN_LEARN,
    EXTERN_METER,
    EXTERN_WIDE,
    EXTERN_MOVED,
    EXTERNS
};
enum { TABLE_ACL, TABLE_ROUTES, TABLE_DMAC, TABLE_CONSTANT, TABLE_KEYLESS, TABLES };
enum { DMAC_DROP, DMAC_FORWARD, DMAC_FLOOD, DMAC_DEFAULT_ONLY };
enum { ACL_PERMIT, ACL_DENY };

struct port_value {
    struct macs_entry entry;
    uint16_t port;
};

struct wide_value {
    struct macs_entry entry;
    uint64_t wide[2];
    uint32_t word;
    uint8_t flag;
};

static const struct macs_param port_param[] = {{"port", 9, offsetof(struct port_value, port), 2, 0}};
static const struct macs_param group_param[] = {{"group", 16, offsetof(struct port_value, port), 2, 0}};
static const struct macs_param wide_params[] = {
    {"address", 128, offsetof(struct wide_value, wide), 16, 0},
    {"word", 32, offsetof(struct wide_value, word), 4, 0},
    {"flag", 1, offsetof(struct wide_value, flag), 1, 0},
};

static const struct macs_action_desc dmac_actions[] = {
    [DMAC_DROP] = {"Ingress.drop", NULL, 0, MACS_ANYWHERE},
    [DMAC_FORWARD] = {"Ingress.forward", port_param, 1, MACS_ANYWHERE},
    [DMAC_FLOOD] = {"Ingress.flood", group_param, 1, MACS_ANYWHERE},
    [DMAC_DEFAULT_ONLY] = {"Ingress.miss", NULL, 0, MACS_DEFAULT_ONLY},
};
static const struct macs_action_desc acl_actions[] = {
    [ACL_PERMIT] = {"Ingress.permit", NULL, 0, MACS_ANYWHERE},
    [ACL_DENY] = {"Ingress.deny", NULL, 0, MACS_TABLE_ONLY},
};
static const struct macs_action_desc wide_actions[] = {{"Ingress.set_wide", wide_params, 3, MACS_ANYWHERE}};

static const struct macs_key_field acl_fields[] = {{"hdr.ethernet.type", 16, 0, MACS_TERNARY, 0},
                                                   {"standard_metadata.ingress_port", 9, 2, MACS_RANGE, 0}};
static const struct macs_key_field route_fields[] = {{"hdr.ipv4.dst", 32, 0, MACS_LPM, 0}};
static const struct macs_key_field dmac_fields[] = {{"hdr.ethernet.dst", 48, 0, MACS_EXACT, 0}};
static const struct macs_key_field constant_fields[] = {{"meta.kind", 4, 0, MACS_EXACT, 0}};

static const struct port_value no_port = {{DMAC_DROP, 0}, 0};
static const struct macs_entry permit = {ACL_PERMIT, 0};
static const struct wide_value no_wide = {{0, 0}, {0, 0}, 0, 0};

static const uint8_t three[] = {3}, ones[] = {0xff};
static const struct port_value to_seven = {{DMAC_FORWARD, 0}, 7};
static const struct macs_const_entry constant_entries[] = {{{three, ones, three, 8, 0}, &to_seven}};

static const struct macs_table_desc tables[TABLES] = {
    [TABLE_ACL] = {"Ingress.acl",
                   acl_fields,
                   acl_actions,
                   &macs_linear_ops,
                   NULL,
                   &permit,
                   {.key_bytes = 4, .prefix_offset = 4, .value_bytes = sizeof(permit), .size = 64},
                   0,
                   2,
                   2,
                   false,
                   true},
    [TABLE_ROUTES] = {"Ingress.routes",
                      route_fields,
                      dmac_actions,
                      &macs_lpm_dir24_ops,
                      NULL,
                      &no_port,
                      {.key_bytes = 4, .prefix_offset = 0, .value_bytes = sizeof(no_port), .size = 2000000},
                      0,
                      1,
                      3,
                      false,
                      false},
    [TABLE_DMAC] = {"Ingress.dmac",
                    dmac_fields,
                    dmac_actions,
                    &macs_exact_hash_ops,
                    NULL,
                    &no_port,
                    {.key_bytes = 6, .prefix_offset = 6, .value_bytes = sizeof(no_port), .size = 4096},
                    0,
                    1,
                    4,
                    false,
                    false},
    [TABLE_CONSTANT] = {"Ingress.constant",
                        constant_fields,
                        dmac_actions,
                        &macs_exact_hash_ops,
                        constant_entries,
                        &no_port,
                        {.key_bytes = 1, .prefix_offset = 1, .value_bytes = sizeof(no_port), .size = 16},
                        1,
                        1,
                        4,
                        true,
                        false},
    [TABLE_KEYLESS] = {"Egress.keyless",
                       NULL,
                       wide_actions,
                       NULL,
                       NULL,
                       &no_wide,
                       {.value_bytes = sizeof(no_wide)},
                       0,
                       0,
                       1,
                       false,
                       false},
};
static struct macs_table table[TABLES];

static const struct macs_digest_field learn_fields[] = {{"src", 48}, {"port", 9}};
static const struct macs_extern_desc extern_descs[EXTERNS] = {
    [EXTERN_PORT_COUNTER] = {.name = "Ingress.port_counter",
                             .size = 512,
                             .kind = MACS_COUNTER,
                             .unit = MACS_PACKETS_AND_BYTES},
    [EXTERN_DMAC_COUNTER] = {.name = "Ingress.dmac_counter",
                             .table = "Ingress.dmac",
                             .size = 4097,
                             .kind = MACS_DIRECT_COUNTER,
                             .unit = MACS_PACKETS_AND_BYTES},
    [EXTERN_SEEN] =
        {.name = "Ingress.seen", .size = 8, .stride = 8, .leader = EXTERN_SEEN, .bits = 48, .kind = MACS_REGISTER},
    [EXTERN_LEARN] =
        {.name = "Ingress.learn", .fields = learn_fields, .field_count = 2, .bits = 57, .kind = MACS_DIGEST},
    [EXTERN_METER] = {.name = "Ingress.police", .size = 4, .kind = MACS_METER, .unit = MACS_PACKETS},
    [EXTERN_WIDE] =
        {.name = "Ingress.wide", .size = 2, .stride = 16, .leader = EXTERN_WIDE, .bits = 100, .kind = MACS_REGISTER},
    [EXTERN_MOVED] =
        {.name = "Ingress.moved", .fields = learn_fields + 1, .field_count = 1, .bits = 9, .kind = MACS_DIGEST},
};
static void *externs[EXTERNS];

static unsigned type_of(const struct macs_packet *packet) {
    return (unsigned)packet->data[12] << 8 | packet->data[13];
}

static void drop(struct macs_packet *packet) {
    packet->verdict = MACS_DROP;
    packet->cause = MACS_CAUSE_PROGRAM;
}

static const struct macs_entry *or_default(const struct macs_entry *entry, unsigned of) {
    return entry ? entry : atomic_load_explicit(&table[of].default_entry, memory_order_acquire);
}

static bool denied(const struct macs_packet *packet) {
    uint8_t key[4] = {packet->data[12], packet->data[13], (uint8_t)(packet->ingress_port >> 8),
                      (uint8_t)packet->ingress_port};
    struct macs_linear_cursor cursor;
    macs_linear_start(table[TABLE_ACL].state, key, sizeof(key), &cursor);
    const struct macs_entry *entry = macs_linear_finish(table[TABLE_ACL].state, key, sizeof(key), &cursor);
    return or_default(entry, TABLE_ACL)->action == ACL_DENY;
}

static const struct macs_entry *route(const struct macs_packet *packet) {
    if (type_of(packet) != TYPE_IPV4 || packet->length < 34)
        return NULL;
    const uint8_t *key = packet->data + 30;
    struct macs_lpm_dir24_cursor cursor;
    macs_lpm_dir24_start(table[TABLE_ROUTES].state, key, 4, &cursor);
    macs_lpm_dir24_step(table[TABLE_ROUTES].state, key, 4, &cursor);
    return macs_lpm_dir24_finish(table[TABLE_ROUTES].state, key, 4, &cursor);
}

static const struct macs_entry *destination(const struct macs_packet *packet) {
    struct macs_exact_hash_cursor cursor;
    macs_exact_hash_start(table[TABLE_DMAC].state, packet->data, 6, &cursor);
    macs_exact_hash_step(table[TABLE_DMAC].state, packet->data, 6, &cursor);
    return or_default(macs_exact_hash_finish(table[TABLE_DMAC].state, packet->data, 6, &cursor), TABLE_DMAC);
}

static void apply(struct macs_packet *packet, const struct macs_entry *entry) {
    const struct port_value *value = (const void *)entry;
    switch (entry->action) {
    case DMAC_FORWARD:
        packet->verdict = MACS_FORWARD;
        packet->egress_port = value->port;
        break;
    case DMAC_FLOOD:
        packet->verdict = MACS_REPLICATE;
        packet->multicast_group = value->port;
        break;
    default:
        drop(packet);
    }
}

static void special(struct macs_worker *worker, struct macs_packet *packet) {
    uint64_t word = 0;
    switch (type_of(packet)) {
    case TYPE_LOG:
        macs_log_message(worker, "frame of {} bytes at port {}",
                         (const uint64_t[]){packet->length, packet->ingress_port}, 2);
        break;
    case TYPE_ASSERT:
        macs_assert_failed(worker, "sample.p4:12");
        break;
    case TYPE_METER:
        word = macs_meter_execute(externs[EXTERN_METER], worker, packet->ingress_port, packet->length);
        packet->data[14] = (uint8_t)word;
        if (word == MACS_RED)
            drop(packet);
        break;
    case TYPE_REGISTER:
        word = macs_register_read64(externs[EXTERN_SEEN], (struct macs_register_shape){8, 8}, packet->ingress_port);
        word++;
        macs_register_write64(externs[EXTERN_SEEN], (struct macs_register_shape){8, 8}, packet->ingress_port, word);
        break;
    case TYPE_RANDOM:
        word = macs_random_range(worker, 10, 20);
        packet->data[14] = (uint8_t)word;
        if (word < 10 || word > 20)
            drop(packet);
        break;
    case TYPE_DIGEST: {
        uint8_t record[8];
        memcpy(record, packet->data + 6, 6);
        record[6] = (uint8_t)(packet->ingress_port >> 8);
        record[7] = (uint8_t)packet->ingress_port;
        macs_digest_send(externs[EXTERN_LEARN], record, sizeof(record));
        break;
    }
    case TYPE_MOVED:
        macs_digest_send(externs[EXTERN_MOVED], (const uint8_t[]){0, (uint8_t)packet->ingress_port}, 2);
        break;
    case TYPE_LOSE: /* another packet of the pool, which nobody frees */
        (void)odp_packet_alloc(odp_pool_lookup("macs-packets"), 64);
        break;
    }
}

enum clock { CLOCK_INGRESS = MACS_CLOCKS_OF_RUNTIME };
static const struct macs_clock_desc clock_descs[] = {{"ingress_pipe", 0, "take", "the beginning"}};

static void ingress(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    macs_lap(worker, MACS_CLOCK_BETWEEN, count);
    for (unsigned i = 0; i < count; i++) {
        struct macs_packet *packet = packets[i];
        if (packet->length < 14 || denied(packet)) {
            drop(packet);
            continue;
        }
        macs_counter_add(externs[EXTERN_PORT_COUNTER], worker, packet->ingress_port, packet->length);
        const struct macs_entry *entry = route(packet);
        if (!entry) {
            entry = destination(packet);
            macs_counter_add(externs[EXTERN_DMAC_COUNTER], worker, entry->index, packet->length);
        }
        apply(packet, entry);
        special(worker, packet);
    }
    macs_lap(worker, CLOCK_INGRESS, count);
}

static void egress(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    (void)worker;
    for (unsigned i = 0; i < count; i++) {
        struct macs_packet *packet = packets[i];
        if (type_of(packet) == TYPE_EGRESS_DROP) {
            drop(packet);
        } else if (packet->instance_type == 5) {
            packet->data[12] = (uint8_t)(packet->replica >> 8);
            packet->data[13] = (uint8_t)packet->replica;
        } else if (type_of(packet) == TYPE_GROW) {
            packet->data = odp_packet_push_head(packet->handle, 4);
            memset(packet->data, 0xee, 4);
            packet->length += 4;
        }
    }
}

const struct macs_program macs_program = {
    .name = "sample",
    .source = "sample.p4",
    .state_bytes = sizeof(struct macs_packet),
    .parse_bytes = 34,
    .grow_bytes = 4,
    .uses_time = true,
    .instances = {.replicated = 5},
    .table_count = TABLES,
    .extern_count = EXTERNS,
    .clock_count = 1,
    .clock_descs = clock_descs,
    .table_descs = tables,
    .tables = table,
    .extern_descs = extern_descs,
    .externs = externs,
    .ingress = ingress,
    .egress = egress,
};
