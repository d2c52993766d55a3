/* replicated.c: made by macsad from replicated.p4. Edits are lost when it is made again. */
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
#include "tables/lpm/lpm_dir24.h"

/* What a packet carries from stage to stage; every other value lives within one stage. */
struct live {
    uint8_t hdr_tag_hops;
    bool hdr_tag_valid;
    uint8_t meta_weight;
};

/* What stands in a packet's buffer: the runtime's record of it, and its live values. */
struct state {
    struct macs_packet packet;
    struct live live;
};

/* The live values of a packet whose record is in its buffer. */
#define macs_live_of(packet) (&((struct state *)(packet))->live)

/* A packet goes on to the replication pipeline: its record is filled in its buffer, and its live values go there. */
__attribute__((cold, noinline, unused)) static void macs_go_on(const struct macs_common *common, odp_packet_t handle,
                                                               struct live *live, enum macs_pipe_verdict verdict,
                                                               uint16_t group) {
    struct macs_packet *const packet = macs_packet_of(handle);
    macs_bind(common, packet, handle, MACS_BIND_ALL);
    packet->verdict = verdict;
    packet->multicast_group = group;
    if (live != macs_live_of(packet))
        *macs_live_of(packet) = *live;
}

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

/* replicated.p4:24: table I.groups: lpm 8 bits, kernel lpm_dir24 */
enum {
    I_groups_runs_spread = 0, /* replicated.p4:22 */
    I_groups_runs_drop = 1, /* replicated.p4:23 */
};

struct I_groups_entry {
    struct macs_entry head;
    union {
        struct {
            uint16_t group;
            uint8_t weight;
        } as_spread;
    };
};

static const struct macs_param I_groups_runs_spread_params[] = {
    {.name = "group",
     .bits = 16,
     .offset = offsetof(struct I_groups_entry, as_spread.group),
     .bytes = 2},
    {.name = "weight",
     .bits = 8,
     .offset = offsetof(struct I_groups_entry, as_spread.weight),
     .bytes = 1},
};

static const struct macs_action_desc I_groups_actions[] = {
    {.name = "I.spread", .scope = MACS_ANYWHERE, .params = I_groups_runs_spread_params, .param_count = 2},
    {.name = "I.drop", .scope = MACS_ANYWHERE},
};

static const struct macs_key_field I_groups_fields[] = {
    {.name = "hdr.tag.group", .bits = 8, .offset = 0, .kind = MACS_LPM},
};

static const struct I_groups_entry I_groups_default = {.head = {.action = I_groups_runs_drop}};

enum {
    TABLE_I_groups = 0,
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
            .ops = &macs_lpm_dir24_ops,
            .shape = {.key_bytes = 1,
                      .prefix_offset = 0,
                      .value_bytes = sizeof(struct I_groups_entry),
                      .size = 1024},
            .const_entries = false,
            .const_default = false,
        },
};

/* The tables, as lookups read them. */
static struct macs_table tables[1];

/* Keys and results of the lookups of stage 1, by the packets' places in its list. */
struct ingress_1_I_groups_lookups {
    struct macs_bulk lookup_0;
    bool lookup_0_filled;
};

/* Packets on their way to each stage of ingress, and where their keys go. */
struct ingress_sets {
    struct macs_list to_1;
    struct ingress_1_I_groups_lookups *lookups_1;
    struct macs_bulk_begin begin_1_lookup_0;
};

/* Stage 0: from the beginning to the next stage. */
static inline void ingress_0_entry(struct macs_packet *packet, struct live *live, macs_verdict *restrict verdict, uint32_t index, struct ingress_sets *sets) {
    uint8_t hdr_tag_group = 0;
    uint8_t hdr_tag_hops = 0;
    bool hdr_tag_valid = false;
    uint32_t standard_metadata_parser_error = 0;
    { /* replicated.p4:10: parser */
        uint32_t at = 0;
        uint32_t error = error_NoError;
        if (packet->length - at < 4) { /* replicated.p4:12 */
            error = error_PacketTooShort;
            goto parsed;
        }
        hdr_tag_valid = true;
        hdr_tag_group = (uint8_t)macs_load_from_word(packet->data + at, 4, 0, 8);
        hdr_tag_hops = (uint8_t)macs_load_from_word(packet->data + at, 4, 8, 8);
        at += 4;
        if (hdr_tag_hops == 0) { /* replicated.p4:13 */
            error = error_NoMatch;
        }
        parsed:;
        standard_metadata_parser_error = error;
    }
    if (standard_metadata_parser_error != error_NoError) { /* replicated.p4:30 */
        *verdict = MACS_VERDICT_DROP + MACS_CAUSE_PROGRAM;
        return;
    }
    live->hdr_tag_valid = hdr_tag_valid;
    live->hdr_tag_hops = hdr_tag_hops;
    if (sets->lookups_1->lookup_0_filled) {
        sets->lookups_1->lookup_0.keys[sets->to_1.count] = (uint32_t)hdr_tag_group;
        macs_bulk_prefetch(sets->begin_1_lookup_0, (uint32_t)hdr_tag_group);
    }
    macs_list_add(&sets->to_1, index); /* to ingress_1_I_groups */
}

/* Stage 1: from the result of I.groups to the end. */
static inline void ingress_1_I_groups(const struct macs_common *common, struct macs_packet *packet, struct live *live, macs_verdict *restrict verdict, const struct ingress_1_I_groups_lookups *lookups, uint32_t at) {
    uint8_t hdr_tag_hops = live->hdr_tag_hops;
    uint16_t hdr_tag_replica = 0;
    bool hdr_tag_valid = live->hdr_tag_valid;
    uint8_t meta_weight = 0;
    uint16_t standard_metadata_egress_rid = 0;
    uint16_t standard_metadata_egress_spec = 0;
    uint16_t standard_metadata_ingress_port = (uint16_t)packet->ingress_port;
    uint16_t standard_metadata_mcast_grp = 0;
    { /* replicated.p4:31: I_groups */
        const struct I_groups_entry *entry = (const void *)lookups->lookup_0.entries[at];
        switch (entry->head.action) {
        case I_groups_runs_spread: /* replicated.p4:22: I.spread */
            standard_metadata_mcast_grp = entry->as_spread.group; /* replicated.p4:22 */
            meta_weight = entry->as_spread.weight; /* replicated.p4:22 */
            break;
        case I_groups_runs_drop: /* replicated.p4:23: I.drop */
        default:
            standard_metadata_egress_spec = 0x1ff; /* replicated.p4:23 */
            standard_metadata_mcast_grp = 0; /* replicated.p4:23 */
            break;
        }
    }
    if (standard_metadata_mcast_grp != 0) {
        live->hdr_tag_hops = hdr_tag_hops;
        live->meta_weight = meta_weight;
        macs_go_on(common, packet->handle, live, MACS_REPLICATE, standard_metadata_mcast_grp);
        *verdict = MACS_VERDICT_CONTINUE;
        return;
    }
    if (standard_metadata_egress_spec == 0x1ff) {
        *verdict = MACS_VERDICT_DROP + MACS_CAUSE_PROGRAM;
        return;
    }
    *verdict = macs_verdict_of_port(common, standard_metadata_egress_spec);
    standard_metadata_egress_spec = 0;
    standard_metadata_egress_rid = (uint16_t)packet->replica;
    hdr_tag_hops = (uint8_t)(hdr_tag_hops - 1); /* replicated.p4:37 */
    hdr_tag_replica = (uint16_t)(standard_metadata_egress_rid + (uint16_t)meta_weight); /* replicated.p4:38 */
    if (standard_metadata_ingress_port == 0) { /* replicated.p4:39 */
        standard_metadata_egress_spec = 0x1ff; /* replicated.p4:39 */
    }
    if (standard_metadata_egress_spec == 0x1ff) {
        *verdict = MACS_VERDICT_DROP + MACS_CAUSE_PROGRAM;
        return;
    }
    { /* replicated.p4:43: deparser */
        if (hdr_tag_valid) {
            uint8_t *const to = packet->data;
            macs_store_bytes(to + 1, 1, hdr_tag_hops);
            macs_store_bytes(to + 2, 2, hdr_tag_replica);
        }
    }
}

/* A received burst, from the parser to its transmission. Returns its bytes. */
static uint64_t ingress_burst(struct macs_worker *worker, const odp_packet_t handles[], unsigned count) {
    const struct macs_common of_burst = macs_common_of(worker), *const common = &of_burst;
    macs_verdict verdicts[MACS_BURST_MAX];
    struct macs_extent received = {0, 0};
    struct live lives[sizeof(struct live) <= MACS_STATE_IN_BURST ? MACS_BURST_MAX : 1];
    struct ingress_sets own_sets, *const sets = &own_sets;
    uint16_t members_1[MACS_BURST_MAX];
    macs_list_init(&sets->to_1, members_1);
    struct ingress_1_I_groups_lookups lookups_1;
    sets->lookups_1 = &lookups_1;
    sets->lookups_1->lookup_0_filled = !macs_table_is_empty(&tables[TABLE_I_groups]);
    sets->begin_1_lookup_0 = macs_lpm_dir24_bulk_begin(tables[TABLE_I_groups].state, 1);
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet record;
        struct macs_packet *const packet = &record;
        struct live *const live = macs_live(lives, handles, i);
        macs_bind(common, packet, handles[i], MACS_BIND_HANDLE | MACS_BIND_DATA | MACS_BIND_INGRESS_PORT | MACS_BIND_REPLICA);
        macs_extent_add(&received, odp_packet_len(handles[i]));
        macs_prefetch_headers(handles, i, count);
        if (macs_can_parse(handles[i], 4))
            ingress_0_entry(packet, live, &verdicts[i], i, sets);
        else
            verdicts[i] = MACS_VERDICT_REFUSED;
    }
    { /* stage 1, from the result of I.groups on */
        const uint32_t members = sets->to_1.count;
        struct ingress_1_I_groups_lookups *const lookups = &lookups_1;
        if (lookups->lookup_0_filled) macs_lpm_dir24_bulk_start(tables[TABLE_I_groups].state, &lookups->lookup_0, members, 1, macs_table_default(&tables[TABLE_I_groups]));
        else macs_table_all_miss(&tables[TABLE_I_groups], members, &lookups->lookup_0.miss, lookups->lookup_0.entries);
        for (uint32_t i = 0; i < members; i++) {
            const uint32_t member = members_1[i];
            struct macs_packet record;
            struct macs_packet *const packet = &record;
            struct live *const live = macs_live(lives, handles, member);
            macs_bind(common, packet, handles[member], MACS_BIND_HANDLE | MACS_BIND_DATA | MACS_BIND_INGRESS_PORT | MACS_BIND_REPLICA);
            ingress_1_I_groups(common, packet, live, &verdicts[member], lookups, i);
        }
    }
    macs_transmit_burst(worker, handles, verdicts, count, received);
    return received.bytes;
}

/* Stage 0: from the beginning to the end. */
static inline void egress_0_entry(struct macs_packet *packet, struct live *live) {
    uint8_t hdr_tag_hops = live->hdr_tag_hops;
    uint16_t hdr_tag_replica = 0;
    bool hdr_tag_valid = live->hdr_tag_valid;
    uint8_t meta_weight = live->meta_weight;
    uint16_t standard_metadata_egress_port = (uint16_t)packet->egress_port;
    uint16_t standard_metadata_egress_rid = (uint16_t)packet->replica;
    uint16_t standard_metadata_egress_spec = 0;
    uint16_t standard_metadata_ingress_port = (uint16_t)packet->ingress_port;
    hdr_tag_hops = (uint8_t)(hdr_tag_hops - 1); /* replicated.p4:37 */
    hdr_tag_replica = (uint16_t)(standard_metadata_egress_rid + (uint16_t)meta_weight); /* replicated.p4:38 */
    if (standard_metadata_egress_port == standard_metadata_ingress_port) { /* replicated.p4:39 */
        standard_metadata_egress_spec = 0x1ff; /* replicated.p4:39 */
    }
    if (standard_metadata_egress_spec == 0x1ff) {
        packet->verdict = MACS_DROP;
        packet->cause = MACS_CAUSE_PROGRAM;
        return;
    }
    { /* replicated.p4:43: deparser */
        if (hdr_tag_valid) {
            uint8_t *const to = packet->data;
            macs_store_bytes(to + 1, 1, hdr_tag_hops);
            macs_store_bytes(to + 2, 2, hdr_tag_replica);
        }
    }
}

/* Packets whose records the runtime has filled in, through egress. */
static void egress_pipe(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    (void)worker;
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *const packet = packets[i];
        struct live *const live = macs_live_of(packets[i]);
        egress_0_entry(packet, live);
    }
}

const struct macs_program macs_program = {
    .name = "replicated",
    .source = "replicated.p4",
    .state_bytes = sizeof(struct state),
    .parse_bytes = 4,
    .grow_bytes = 0,
    .instances = {.ingress_clone = 1, .egress_clone = 2, .recirculated = 4, .replicated = 5, .resubmitted = 6},
    .table_count = 1,
    .table_descs = table_descs,
    .tables = tables,
    .extern_count = 0,
    .run_to_completion = ingress_burst,
    .egress = egress_pipe,
};
