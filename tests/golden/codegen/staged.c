/* staged.c: made by macsad from rest.p4. Edits are lost when it is made again. */
#include <macs/bits.h>
#include <macs/checksum.h>
#include <macs/extern.h>
#include <macs/layout.h>
#include <macs/profile.h>
#include <macs/program.h>
#include <macs/set.h>
#include <macs/run_to_completion.h>
#include <macs/varbit.h>
#include <macs/wide.h>
#include <macs/worker.h>
#include "tables/common/linear.h"
#include "tables/exact/exact_packed.h"
#include "tables/ternary/ternary_cells.h"

/* What a packet carries from stage to stage; every other value lives within one stage. */
struct live {
    uint32_t hdr_label_value;
    uint16_t meta_group;
    uint16_t standard_metadata_egress_spec;
    uint8_t hdr_label_ttl;
    bool hdr_label_valid;
};

/* What stands in a packet's buffer: the runtime's record of it, and its live values. */
struct state {
    struct macs_packet packet;
    struct live live;
};

/* The live values of a packet whose record is in its buffer. */
#define macs_live_of(packet) (&((struct state *)(packet))->live)

/* The program's errors; parser errors are among them. */
enum {
    error_NoError = 0,
    error_PacketTooShort = 1,
    error_NoMatch = 2,
    error_StackOutOfBounds = 3,
    error_HeaderTooShort = 4,
    error_ParserTimeout = 5,
    error_ParserInvalidArgument = 6,
};

/* staged.p4:35: table I.groups: exact 48 bits, kernel exact_packed */
enum {
    I_groups_runs_group = 0, /* staged.p4:27 */
    I_groups_runs_drop = 1, /* staged.p4:26 */
};

struct I_groups_entry {
    struct macs_entry head;
    union {
        struct {
            uint16_t number;
        } as_group;
    };
};

static const struct macs_param I_groups_runs_group_params[] = {
    {.name = "number",
     .bits = 16,
     .offset = offsetof(struct I_groups_entry, as_group.number),
     .bytes = 2, .word_at = 1},
};

static const struct macs_action_desc I_groups_actions[] = {
    {.name = "I.group", .scope = MACS_ANYWHERE, .params = I_groups_runs_group_params, .param_count = 1},
    {.name = "I.drop", .scope = MACS_ANYWHERE},
};

static const struct macs_key_field I_groups_fields[] = {
    {.name = "hdr.ethernet.destination", .bits = 48, .offset = 0, .kind = MACS_EXACT, .word_at = 0},
};

static const struct I_groups_entry I_groups_default = {.head = {.action = I_groups_runs_drop}};

/* staged.p4:41: table I.labels: exact 20 bits, ternary 16 bits, kernel ternary_cells */
enum {
    I_labels_runs_swap = 0, /* staged.p4:29 */
    I_labels_runs_drop = 1, /* staged.p4:26 */
    I_labels_runs_NoAction = 2, /* core.p4:54 */
};

struct I_labels_entry {
    struct macs_entry head;
    union {
        struct {
            uint32_t value;
            uint16_t port;
        } as_swap;
    };
};

static const struct macs_param I_labels_runs_swap_params[] = {
    {.name = "value",
     .bits = 20,
     .offset = offsetof(struct I_labels_entry, as_swap.value),
     .bytes = 4},
    {.name = "port",
     .bits = 9,
     .offset = offsetof(struct I_labels_entry, as_swap.port),
     .bytes = 2},
};

static const struct macs_action_desc I_labels_actions[] = {
    {.name = "I.swap", .scope = MACS_ANYWHERE, .params = I_labels_runs_swap_params, .param_count = 2},
    {.name = "I.drop", .scope = MACS_ANYWHERE},
    {.name = "NoAction", .scope = MACS_ANYWHERE},
};

static const struct macs_key_field I_labels_fields[] = {
    {.name = "hdr.label.value", .bits = 20, .offset = 0, .kind = MACS_EXACT},
    {.name = "meta.group", .bits = 16, .offset = 3, .kind = MACS_TERNARY},
};

static const struct I_labels_entry I_labels_default = {.head = {.action = I_labels_runs_NoAction}};

/* staged.p4:45: table I.ports: exact 16 bits, compared, kept by linear */
enum {
    I_ports_runs_send = 0, /* staged.p4:28 */
    I_ports_runs_drop = 1, /* staged.p4:26 */
    I_ports_runs_NoAction = 2, /* core.p4:54 */
};

struct I_ports_entry {
    struct macs_entry head;
    union {
        struct {
            uint16_t port;
        } as_send;
    };
};

static const struct macs_param I_ports_runs_send_params[] = {
    {.name = "port",
     .bits = 9,
     .offset = offsetof(struct I_ports_entry, as_send.port),
     .bytes = 2},
};

static const struct macs_action_desc I_ports_actions[] = {
    {.name = "I.send", .scope = MACS_ANYWHERE, .params = I_ports_runs_send_params, .param_count = 1},
    {.name = "I.drop", .scope = MACS_ANYWHERE},
    {.name = "NoAction", .scope = MACS_DEFAULT_ONLY},
};

static const struct macs_key_field I_ports_fields[] = {
    {.name = "meta.group", .bits = 16, .offset = 0, .kind = MACS_EXACT},
};

static const struct I_ports_entry I_ports_default = {.head = {.action = I_ports_runs_NoAction}};

static const struct I_ports_entry I_ports_values[] = {
    {.head = {.action = I_ports_runs_send}, .as_send = {.port = 4}}, /* staged.p4:48 */
    {.head = {.action = I_ports_runs_drop, .index = 1}}, /* staged.p4:48 */
};

static const struct macs_const_entry I_ports_entries[] = {
    {.match = {.value = (const uint8_t[]){0, 1},
               .mask = (const uint8_t[]){255, 255},
               .high = (const uint8_t[]){0, 1},
               .prefix_bits = 16,
               .priority = 2},
     .value = &I_ports_values[0]},
    {.match = {.value = (const uint8_t[]){0, 2},
               .mask = (const uint8_t[]){255, 255},
               .high = (const uint8_t[]){0, 2},
               .prefix_bits = 16,
               .priority = 1},
     .value = &I_ports_values[1]},
};

enum {
    TABLE_I_groups = 0,
    TABLE_I_labels = 1,
    TABLE_I_ports = 2,
};

static const struct macs_table_desc table_descs[] = {
    [TABLE_I_groups] =
        {
            .name = "I.groups",
            .actions = I_groups_actions,
            .action_count = 2,
            .default_value = &I_groups_default,
            .fields = I_groups_fields,
            .field_count = 1,
            .ops = &macs_exact_packed_ops,
            .shape = {.key_bytes = 6,
                      .prefix_offset = 6,
                      .value_bytes = sizeof(struct I_groups_entry),
                      .size = 1024,
                      .key_bits = 48,
                      .data_bits = 17,
                      .action_bits = 1},
            .const_entries = false,
            .const_default = false,
        },
    [TABLE_I_labels] =
        {
            .name = "I.labels",
            .actions = I_labels_actions,
            .action_count = 3,
            .default_value = &I_labels_default,
            .fields = I_labels_fields,
            .field_count = 2,
            .ops = &macs_ternary_cells_ops,
            .shape = {.key_bytes = 5,
                      .prefix_offset = 5,
                      .value_bytes = sizeof(struct I_labels_entry),
                      .size = 1024},
            .const_entries = false,
            .const_default = false,
        },
    [TABLE_I_ports] =
        {
            .name = "I.ports",
            .actions = I_ports_actions,
            .action_count = 3,
            .default_value = &I_ports_default,
            .fields = I_ports_fields,
            .field_count = 1,
            .ops = &macs_linear_ops,
            .entries = I_ports_entries,
            .entry_count = 2,
            .shape = {.key_bytes = 2,
                      .prefix_offset = 2,
                      .value_bytes = sizeof(struct I_ports_entry),
                      .size = 1024},
            .const_entries = true,
            .const_default = false,
        },
};

/* The tables, as lookups read them. */
static struct macs_table tables[3];

enum {
    I_last_extern = 0, /* staged.p4:23 */
    I_seen_extern = 1, /* staged.p4:24 */
};

/* What regions hold, by the registers that they touch together. */
static struct macs_locks locks[] = {
    {.stripes = 0}, /* I.last */
};

static const struct macs_extern_desc extern_descs[] = {
    [I_last_extern] = {
        .name = "I.last",
        .kind = MACS_REGISTER,
        .table = NULL,
        .size = 16,
        .bits = 32,
        .unit = 0,
        .locks = &locks[0],
    },
    [I_seen_extern] = {
        .name = "I.seen",
        .kind = MACS_COUNTER,
        .table = NULL,
        .size = 4,
        .bits = 0,
        .unit = MACS_PACKETS,
    },
};

/* The state of each extern instance. */
static void *externs[2];

/* Keys and results of the lookups of stage 1, by the packets' places in its list. */
struct ingress_1_I_groups_lookups {
    struct macs_exact_packed_bulk lookup_0;
    bool lookup_0_filled;
};

/* Keys and results of the lookups of stage 2, by the packets' places in its list. */
struct ingress_2_I_labels_lookups {
    struct macs_ternary_cells_bulk lookup_0;
    bool lookup_0_filled;
};

/* Packets on their way to each stage of ingress, and where their keys go. */
struct ingress_sets {
    struct macs_list to_1;
    struct ingress_1_I_groups_lookups *lookups_1;
    struct macs_list to_2;
    struct ingress_2_I_labels_lookups *lookups_2;
    struct macs_set to_3;
};

/* Stage 0: from the beginning to the next stage. */
static inline void ingress_0_entry(struct macs_packet *packet, struct live *live, uint32_t index, struct ingress_sets *sets) {
    uint64_t hdr_ethernet_destination = 0;
    uint16_t hdr_ethernet_type = 0;
    uint8_t hdr_label_ttl = 0;
    bool hdr_label_valid = false;
    uint32_t hdr_label_value = 0;
    { /* staged.p4:11: parser */
        uint32_t at = 0;
        if (packet->length - at < 14) { /* staged.p4:13 */
            goto parsed;
        }
        hdr_ethernet_destination = macs_load_from_word(packet->data + at, 8, 0, 48);
        hdr_ethernet_type = (uint16_t)macs_load_bytes(packet->data + at + 12, 2);
        at += 14;
        switch (hdr_ethernet_type) { /* staged.p4:14 */
        case 0x8847:
            break;
        default:
            goto parsed;
        }
        if (packet->length - at < 4) { /* staged.p4:17 */
            goto parsed;
        }
        hdr_label_valid = true;
        hdr_label_value = (uint32_t)macs_load_from_word(packet->data + at, 4, 0, 20);
        hdr_label_ttl = (uint8_t)macs_load_bytes(packet->data + at + 3, 1);
        at += 4;
        parsed:;
    }
    live->hdr_label_valid = hdr_label_valid;
    live->hdr_label_ttl = hdr_label_ttl;
    live->hdr_label_value = hdr_label_value;
    if (sets->lookups_1->lookup_0_filled) {
        sets->lookups_1->lookup_0.keys[sets->to_1.count] = hdr_ethernet_destination;
    }
    macs_list_add(&sets->to_1, index); /* to ingress_1_I_groups */
}

/* Stage 1: from the result of I.groups to the next stage. */
static inline void ingress_1_I_groups(struct live *live, uint32_t index, struct ingress_sets *sets, const struct ingress_1_I_groups_lookups *lookups, uint32_t at) {
    bool I_groups_hit = false;
    bool hdr_label_valid = live->hdr_label_valid;
    uint32_t hdr_label_value = live->hdr_label_value;
    uint16_t meta_group = 0;
    uint16_t standard_metadata_egress_spec = 0;
    { /* staged.p4:52: I_groups */
        uint64_t word;
        const bool found = lookups->lookup_0_filled ? macs_exact_packed_bulk_finish(&lookups->lookup_0, at, 17, &word) : false;
        I_groups_hit = found;
        if (!found) {
            word = macs_table_default_word(&tables[TABLE_I_groups]);
        }
        switch ((uint32_t)(word & 0x1)) {
        case I_groups_runs_group: /* staged.p4:27: I.group */
            meta_group = (uint16_t)((word >> 1) & 0xffff); /* staged.p4:27 */
            break;
        case I_groups_runs_drop: /* staged.p4:26: I.drop */
        default:
            standard_metadata_egress_spec = 0x1ff; /* staged.p4:26 */
            break;
        }
    }
    if (I_groups_hit) { /* staged.p4:52 */
        if (hdr_label_valid) { /* staged.p4:53 */
            live->meta_group = meta_group;
            live->standard_metadata_egress_spec = standard_metadata_egress_spec;
            if (sets->lookups_2->lookup_0_filled) {
                macs_store_bytes(sets->lookups_2->lookup_0.keys[sets->to_2.count], 3, hdr_label_value);
                macs_store_bytes(sets->lookups_2->lookup_0.keys[sets->to_2.count] + 3, 2, meta_group);
            }
            macs_list_add(&sets->to_2, index); /* to ingress_2_I_labels */
            return;
        }
        { /* staged.p4:53: I_ports */
            const struct I_ports_entry *entry = NULL;
            switch ((uint64_t)meta_group) {
            case 1:
                entry = &I_ports_values[0];
                break;
            case 2:
                entry = &I_ports_values[1];
                break;
            default:
                break;
            }
            if (!entry) {
                entry = (const void *)macs_table_default(&tables[TABLE_I_ports]);
            }
            switch (entry->head.action) {
            case I_ports_runs_send: /* staged.p4:28: I.send */
                standard_metadata_egress_spec = entry->as_send.port; /* staged.p4:28 */
                break;
            case I_ports_runs_drop: /* staged.p4:26: I.drop */
                standard_metadata_egress_spec = 0x1ff; /* staged.p4:26 */
                break;
            case I_ports_runs_NoAction: /* core.p4:54: NoAction */
            default:
                break;
            }
        }
        live->meta_group = meta_group;
        live->standard_metadata_egress_spec = standard_metadata_egress_spec;
        macs_register_prefetch32(externs[I_last_extern], (uint32_t)meta_group);
        macs_set_add(&sets->to_3, index); /* to ingress_3_I_last */
        return;
    }
    live->meta_group = meta_group;
    live->standard_metadata_egress_spec = standard_metadata_egress_spec;
    macs_register_prefetch32(externs[I_last_extern], (uint32_t)meta_group);
    macs_set_add(&sets->to_3, index); /* to ingress_3_I_last */
}

/* Stage 2: from the result of I.labels to the next stage. */
static inline void ingress_2_I_labels(struct live *live, uint32_t index, struct ingress_sets *sets, const struct ingress_2_I_labels_lookups *lookups, uint32_t at) {
    uint8_t hdr_label_ttl = live->hdr_label_ttl;
    bool hdr_label_valid = true;
    uint32_t hdr_label_value = live->hdr_label_value;
    uint16_t meta_group = live->meta_group;
    uint16_t standard_metadata_egress_spec = live->standard_metadata_egress_spec;
    { /* staged.p4:53: I_labels */
        const struct I_labels_entry *entry = (const void *)lookups->lookup_0.entries[at];
        switch (entry->head.action) {
        case I_labels_runs_swap: /* staged.p4:29: I.swap */
            hdr_label_value = entry->as_swap.value; /* staged.p4:30 */
            hdr_label_ttl = (uint8_t)macs_sub_saturating(hdr_label_ttl, 1); /* staged.p4:31 */
            standard_metadata_egress_spec = entry->as_swap.port; /* staged.p4:32 */
            break;
        case I_labels_runs_drop: /* staged.p4:26: I.drop */
            standard_metadata_egress_spec = 0x1ff; /* staged.p4:26 */
            break;
        case I_labels_runs_NoAction: /* core.p4:54: NoAction */
        default:
            break;
        }
    }
    live->hdr_label_valid = hdr_label_valid;
    live->hdr_label_ttl = hdr_label_ttl;
    live->hdr_label_value = hdr_label_value;
    live->standard_metadata_egress_spec = standard_metadata_egress_spec;
    macs_register_prefetch32(externs[I_last_extern], (uint32_t)meta_group);
    macs_set_add(&sets->to_3, index); /* to ingress_3_I_last */
}

/* Stage 3: from the cells of I.last to the end. */
static inline void ingress_3_I_last(struct macs_worker *worker, const struct macs_common *common, struct macs_packet *packet, struct live *live, macs_verdict *restrict verdict) {
    uint32_t I_before = 0;
    uint8_t hdr_label_ttl = live->hdr_label_ttl;
    bool hdr_label_valid = live->hdr_label_valid;
    uint32_t hdr_label_value = live->hdr_label_value;
    uint16_t meta_group = live->meta_group;
    uint16_t standard_metadata_egress_spec = live->standard_metadata_egress_spec;
    I_before = macs_register_add32(externs[I_last_extern], (uint32_t)meta_group, 1); /* staged.p4:56 */
    macs_counter_defer(externs[I_seen_extern], worker, I_before & 3, packet->length); /* staged.p4:58 */
    if (standard_metadata_egress_spec == 0x1ff) {
        *verdict = MACS_VERDICT_DROP + MACS_CAUSE_PROGRAM;
        return;
    }
    *verdict = macs_verdict_of_port(common, standard_metadata_egress_spec);
    { /* rest.p4:5: deparser */
        if (hdr_label_valid) {
            uint8_t *const to = packet->data + 14;
            macs_store_bits(to, 0, 20, hdr_label_value);
            macs_store_bytes(to + 3, 1, hdr_label_ttl);
        }
    }
}

/* What a burst keeps from its prologue to its epilogue. */
struct ingress_burst {
    uint32_t count;
    uint32_t sub_batch;
    uint32_t prefetched; /* the number of its first lookups that are prefetched */
    bool advanced;       /* whether its first lookups have gone on */
    struct macs_common common;
    struct macs_extent received;
    odp_packet_t handles[MACS_BURST_MAX];
    macs_verdict verdicts[MACS_BURST_MAX];
    struct ingress_sets sets;
    uint16_t members_1[MACS_BURST_MAX];
    uint16_t members_2[MACS_BURST_MAX];
    struct ingress_1_I_groups_lookups lookups_1;
    struct ingress_2_I_labels_lookups lookups_2;
    struct live lives[sizeof(struct live) <= MACS_STATE_IN_BURST ? MACS_BURST_MAX : 1];
};

/* The first part of a received burst: it is parsed, and its first lookups are started. Returns its bytes. */
static uint64_t ingress_prologue(struct macs_worker *worker, void *this_burst, const odp_packet_t handles[], unsigned count) {
    struct ingress_burst *const burst = this_burst;
    const struct macs_common of_burst = macs_common_of(worker), *const common = &of_burst;
    struct ingress_sets own_sets, *const sets = &own_sets;
    struct macs_extent received = {0, 0};
    macs_list_init(&sets->to_1, burst->members_1);
    sets->lookups_1 = &burst->lookups_1;
    sets->lookups_1->lookup_0_filled = !macs_table_is_empty(&tables[TABLE_I_groups]);
    macs_list_init(&sets->to_2, burst->members_2);
    sets->lookups_2 = &burst->lookups_2;
    sets->lookups_2->lookup_0_filled = !macs_table_is_empty(&tables[TABLE_I_labels]);
    macs_set_clear(&sets->to_3);
    for (uint32_t i = 0; i < count; i++)
        burst->handles[i] = handles[i];
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet record;
        struct macs_packet *const packet = &record;
        struct live *const live = macs_live(burst->lives, burst->handles, i);
        macs_bind(common, packet, burst->handles[i], MACS_BIND_DATA);
        macs_extent_add(&received, odp_packet_len(burst->handles[i]));
        macs_prefetch_headers(burst->handles, i, count);
        if (macs_can_parse(burst->handles[i], 18))
            ingress_0_entry(packet, live, i, sets);
        else
            burst->verdicts[i] = MACS_VERDICT_REFUSED;
    }
    { /* stage 1, from the result of I.groups on */
        const uint32_t members = sets->to_1.count;
        struct ingress_1_I_groups_lookups *const lookups = &burst->lookups_1;
        if (lookups->lookup_0_filled) macs_exact_packed_bulk_start(tables[TABLE_I_groups].state, &lookups->lookup_0, members, 48, 17);
        else macs_exact_packed_bulk_none(&lookups->lookup_0);
    }
    burst->sets = own_sets;
    burst->count = count;
    burst->sub_batch = worker->sub_batch;
    burst->prefetched = 0;
    burst->advanced = false;
    burst->common = of_burst;
    burst->received = received;
    return received.bytes;
}

/* The rest of the burst, to its transmission. The first lookups of the next burst, if there is one, are prefetched meanwhile. */
static void ingress_epilogue(struct macs_worker *worker, void *this_burst, void *next_burst) {
    struct ingress_burst *const burst = this_burst, *const next = next_burst;
    struct ingress_sets *const sets = &burst->sets;
    const struct macs_common of_burst = burst->common, *const common = &of_burst;
    const uint32_t count = burst->count, sub_batch = burst->sub_batch;
    { /* stage 1, from the result of I.groups on */
        const uint32_t members = sets->to_1.count;
        struct ingress_1_I_groups_lookups *const lookups = &burst->lookups_1;
        const uint32_t ahead = sub_batch < members ? sub_batch : members, second = sub_batch / 4;
        const uint32_t coming = next ? next->sets.to_1.count : 0;
        for (uint32_t i = burst->prefetched; i < ahead; i++) {
            if (lookups->lookup_0_filled) macs_exact_packed_bulk_prefetch(&lookups->lookup_0, i);
        }
        for (uint32_t i = 0; i < second && i < members; i++) {
            if (lookups->lookup_0_filled) macs_exact_packed_bulk_step(&lookups->lookup_0, i, 17);
        }
        for (uint32_t i = 0; i < members; i++) {
            if (i + ahead < members) {
                if (lookups->lookup_0_filled) macs_exact_packed_bulk_prefetch(&lookups->lookup_0, i + ahead);
            } else if (i + ahead - members < coming) {
                if (next->lookups_1.lookup_0_filled) macs_exact_packed_bulk_prefetch(&next->lookups_1.lookup_0, i + ahead - members);
            }
            if (i + second < members) {
                if (lookups->lookup_0_filled) macs_exact_packed_bulk_step(&lookups->lookup_0, i + second, 17);
            }
            const uint32_t member = burst->members_1[i];
            struct live *const live = macs_live(burst->lives, burst->handles, member);
            ingress_1_I_groups(live, member, sets, lookups, i);
        }
        if (next)
            next->prefetched = ahead < coming ? ahead : coming;
    }
    { /* stage 2, from the result of I.labels on */
        const uint32_t members = sets->to_2.count;
        struct ingress_2_I_labels_lookups *const lookups = &burst->lookups_2;
        if (lookups->lookup_0_filled) macs_ternary_cells_bulk_start(tables[TABLE_I_labels].state, &lookups->lookup_0, members, 5, macs_table_default(&tables[TABLE_I_labels]));
        else macs_table_all_miss(&tables[TABLE_I_labels], members, &lookups->lookup_0.miss, lookups->lookup_0.entries);
        for (uint32_t i = 0; i < members; i++) {
            const uint32_t member = burst->members_2[i];
            struct live *const live = macs_live(burst->lives, burst->handles, member);
            ingress_2_I_labels(live, member, sets, lookups, i);
        }
    }
    { /* stage 3, from the cells of I.last on */
        uint16_t list[MACS_BURST_MAX];
        const uint32_t members = macs_set_list(&sets->to_3, list);
        for (uint32_t i = 0; i < members; i++) {
            const uint32_t member = list[i];
            struct macs_packet record;
            struct macs_packet *const packet = &record;
            struct live *const live = macs_live(burst->lives, burst->handles, member);
            macs_bind(common, packet, burst->handles[member], MACS_BIND_DATA);
            ingress_3_I_last(worker, common, packet, live, &burst->verdicts[member]);
        }
    }
    macs_transmit_burst(worker, burst->handles, burst->verdicts, count, burst->received);
}

const struct macs_program macs_program = {
    .name = "staged",
    .source = "rest.p4",
    .state_bytes = sizeof(struct state),
    .parse_bytes = 18,
    .grow_bytes = 0,
    .instances = {.ingress_clone = 1, .egress_clone = 2, .recirculated = 4, .replicated = 5, .resubmitted = 6},
    .table_count = 3,
    .table_descs = table_descs,
    .tables = tables,
    .extern_count = 2,
    .extern_descs = extern_descs,
    .externs = externs,
    .lock_count = 1,
    .locks = locks,
    .prologue = ingress_prologue,
    .burst_bytes = sizeof(struct ingress_burst),
    .epilogue = ingress_epilogue,
};
