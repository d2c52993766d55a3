#include "control/describe.h"

#include <inttypes.h>

#include "runtime/adapt.h"
#include "runtime/capture.h"
#include "runtime/worker.h"
#include "runtime/stats.h"

static const char *const match_kinds[] = {
    [MACS_EXACT] = "exact", [MACS_LPM] = "lpm",           [MACS_TERNARY] = "ternary",
    [MACS_RANGE] = "range", [MACS_OPTIONAL] = "optional",
};
static const char *const extern_kinds[] = {
    [MACS_COUNTER] = "counter",
    [MACS_DIRECT_COUNTER] = "direct_counter",
    [MACS_REGISTER] = "register",
    [MACS_DIGEST] = "digest",
    [MACS_METER] = "meter",
    [MACS_DIRECT_METER] = "direct_meter",
    [MACS_ACTION_PROFILE] = "action_profile",
    [MACS_ACTION_SELECTOR] = "action_selector",
    [MACS_CUSTOM_CRC] = "custom_crc",
};
static const char *const scopes[] = {
    [MACS_ANYWHERE] = "anywhere", [MACS_DEFAULT_ONLY] = "default_only", [MACS_TABLE_ONLY] = "table_only"};
static const char *const units[] = {
    "", [MACS_PACKETS] = "packets", [MACS_BYTES] = "bytes", [MACS_PACKETS_AND_BYTES] = "packets_and_bytes"};

static void key(struct macs_text *text, const char *name) {
    macs_text_json(text, name);
    macs_text_add(text, ":");
}

static void pair(struct macs_text *text, const char *name, const char *value) {
    key(text, name);
    macs_text_json(text, value);
}

static void describe_action(const struct macs_action_desc *action, struct macs_text *text) {
    macs_text_add(text, "{");
    pair(text, "name", action->name);
    macs_text_add(text, ",");
    pair(text, "scope", scopes[action->scope]);
    macs_text_add(text, ",\"params\":[");
    for (uint16_t i = 0; i < action->param_count; i++) {
        macs_text_add(text, i ? ",{" : "{");
        pair(text, "name", action->params[i].name);
        macs_text_add(text, ",\"bits\":%u}", action->params[i].bits);
    }
    macs_text_add(text, "]}");
}

static void describe_key(const struct macs_table_desc *desc, struct macs_text *text) {
    macs_text_add(text, "\"key\":[");
    for (uint16_t i = 0; i < desc->field_count; i++) {
        macs_text_add(text, i ? ",{" : "{");
        pair(text, "name", desc->fields[i].name);
        macs_text_add(text, ",");
        pair(text, "match", match_kinds[desc->fields[i].kind]);
        macs_text_add(text, ",\"bits\":%u}", desc->fields[i].bits);
    }
    macs_text_add(text, "]");
}

static void describe_value_set(const struct macs_table_desc *desc, struct macs_text *text) {
    macs_text_add(text, "{");
    pair(text, "name", desc->name);
    macs_text_add(text, ",\"size\":%" PRIu32 ",", desc->shape.size);
    describe_key(desc, text);
    macs_text_add(text, "}");
}

/* Of the table as it is now. */
static void describe_size(const struct macs_table *table, struct macs_text *text) {
    const struct macs_table_ops *ops = table->desc->ops;
    uint64_t memory = ops ? ops->memory_bytes(table->state) : 0;
    macs_text_add(text, "\"entries\":%" PRIu32 ",\"memory_bytes\":%" PRIu64 ",\"reader_bytes\":%" PRIu64 ",",
                  ops ? ops->count(table->state) : 0, memory,
                  ops && ops->reader_bytes ? ops->reader_bytes(table->state) : memory);
}

static void describe_table(const struct macs_program *program, const struct macs_table *table, struct macs_text *text) {
    const struct macs_table_desc *desc = table->desc;
    const struct macs_table_ops *ops = desc->ops;
    macs_text_add(text, "{");
    pair(text, "name", desc->name);
    macs_text_add(text, ",\"size\":%" PRIu32 ",\"const_entries\":%s,\"const_default\":%s,", desc->shape.size,
                  desc->const_entries ? "true" : "false", desc->const_default ? "true" : "false");
    macs_text_add(text, "\"ages\":%s,", desc->ages ? "true" : "false");
    pair(text, "kernel", ops ? ops->name : "none");
    macs_text_add(text, ",");
    describe_size(table, text);
    if (desc->profile) {
        pair(text, "profile", program->extern_descs[desc->profile - 1].name);
        macs_text_add(text, ",");
    }
    describe_key(desc, text);
    macs_text_add(text, ",\"actions\":[");
    for (uint16_t i = 0; i < desc->action_count; i++) {
        macs_text_add(text, i ? "," : "");
        describe_action(&desc->actions[i], text);
    }
    macs_text_add(text, "]}");
}

/* The tables, or the parser value sets: these stand behind the tables. */
static void describe_tables(const struct macs_program *program, bool value_sets, struct macs_text *text) {
    const char *separator = "";
    for (uint16_t i = 0; i < program->table_count; i++) {
        const struct macs_table_desc *desc = &program->table_descs[i];
        if (desc->value_set != value_sets)
            continue;
        macs_text_add(text, "%s", separator);
        if (value_sets)
            describe_value_set(desc, text);
        else
            describe_table(program, &program->tables[i], text);
        separator = ",";
    }
}

static void describe_extern(const struct macs_extern_desc *desc, struct macs_text *text) {
    macs_text_add(text, "{");
    pair(text, "name", desc->name);
    macs_text_add(text, ",");
    pair(text, "kind", extern_kinds[desc->kind]);
    macs_text_add(text, ",\"size\":%" PRIu32 ",\"bits\":%u,", desc->size, desc->bits);
    pair(text, "unit", units[desc->unit & 3]);
    if (desc->table) {
        macs_text_add(text, ",");
        pair(text, "table", desc->table);
    }
    macs_text_add(text, ",\"fields\":[");
    for (uint16_t i = 0; i < desc->field_count; i++) {
        macs_text_add(text, i ? ",{" : "{");
        pair(text, "name", desc->fields[i].name);
        macs_text_add(text, ",\"bits\":%u}", desc->fields[i].bits);
    }
    macs_text_add(text, "]}");
}

void macs_describe_program(const struct macs_switch *sw, const struct macs_program *program, struct macs_text *text) {
    macs_text_add(text, "{");
    pair(text, "name", program->name);
    macs_text_add(text, ",");
    pair(text, "source", program->source);
    macs_text_add(text, ",\"swaps\":%" PRIu32 ",\"tables\":[", sw->swaps);
    describe_tables(program, false, text);
    macs_text_add(text, "],\"value_sets\":[");
    describe_tables(program, true, text);
    macs_text_add(text, "],\"externs\":[");
    for (uint16_t i = 0; i < program->extern_count; i++) {
        macs_text_add(text, i ? "," : "");
        describe_extern(&program->extern_descs[i], text);
    }
    macs_text_add(text, "],\"ports\":[");
    const char *separator = "";
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        if (!macs_port_is_there(&sw->ports[slot]))
            continue;
        macs_text_add(text, "%s{\"port\":%u,", separator, sw->ports[slot].number);
        pair(text, "name", sw->ports[slot].name);
        macs_text_add(text, ",\"up\":%s}", macs_port_is_up(&sw->ports[slot]) ? "true" : "false");
        separator = ",";
    }
    macs_text_add(text, "]}\n");
}

static void describe_ports(const struct macs_switch *sw, const struct macs_stats_sum *sum, struct macs_text *text) {
    const char *separator = "";
    macs_text_add(text, "\"ports\":[");
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        if (!macs_port_is_there(&sw->ports[slot]))
            continue;
        macs_text_add(text, "%s{\"port\":%u,", separator, sw->ports[slot].number);
        separator = ",";
        pair(text, "name", sw->ports[slot].name);
        macs_text_add(text,
                      ",\"rx_packets\":%" PRIu64 ",\"rx_bytes\":%" PRIu64 ",\"rx_missed\":%" PRIu64
                      ",\"tx_packets\":%" PRIu64 ",\"tx_bytes\":%" PRIu64 "}",
                      sum->ports[slot].rx_packets, sum->ports[slot].rx_bytes, sum->ports[slot].rx_missed,
                      sum->ports[slot].tx_packets, sum->ports[slot].tx_bytes);
    }
    macs_text_add(text, "]");
}

/* The workers that are or were kept by a loop. */
static void describe_kept(const struct macs_switch *sw, struct macs_text *text) {
    const char *separator = "";
    macs_text_add(text, ",\"kept\":[");
    for (unsigned i = 0; i < sw->worker_count; i++) {
        const struct macs_loop *loop = &sw->workers[i]->loop;
        if (!loop->stuck_at)
            continue;
        macs_text_add(text, "%s{\"worker\":%u,", separator, i);
        pair(text, "at", loop->stuck_at);
        macs_text_add(text, ",\"seconds\":%.1f,\"now\":%s}", (double)loop->stuck_ns / 1e9,
                      macs_loop_is_stuck(loop) ? "true" : "false");
        separator = ",";
    }
    macs_text_add(text, "]");
}

/* Where the program dropped packets; its places that did not are left out. */
static void describe_places(const struct macs_program *program, const struct macs_stats_sum *sum,
                            struct macs_text *text) {
    const char *separator = "";
    macs_text_add(text, "},\"dropped_at\":{");
    for (unsigned place = 0; place < program->place_count; place++) {
        if (!sum->dropped_at[place])
            continue;
        macs_text_add(text, "%s", separator);
        key(text, program->places[place]);
        macs_text_add(text, "%" PRIu64, sum->dropped_at[place]);
        separator = ",";
    }
}

static void describe_adapt(const struct macs_adapt *adapt, struct macs_text *text) {
    macs_text_add(text,
                  ",\"adapt\":{\"on\":%s,\"searching\":%s,\"searches\":%" PRIu64 ",\"changes\":%" PRIu64
                  ",\"cost_ns\":%.0f}",
                  adapt->on ? "true" : "false", adapt->on && adapt->search.arm_count ? "true" : "false",
                  adapt->search.searches, adapt->search.changes, adapt->search.lost_ns);
}

void macs_describe_stats(const struct macs_switch *sw, struct macs_text *text) {
    struct macs_stats_sum sum;
    macs_stats_sum(sw, &sum);
    uint64_t cpu_ns = macs_stats_cpu_ns(sw), cycles = odp_cpu_cycles(); /* as close to the counts as can be */
    uint32_t burst, sub_batch;
    macs_switch_get_batch(sw, &burst, &sub_batch);
    macs_text_add(text,
                  "{\"seconds\":%.6f,\"received\":%" PRIu64 ",\"copies\":%" PRIu64 ",\"sent\":%" PRIu64
                  ",\"dropped\":%" PRIu64 ",\"missed\":%" PRIu64 ",",
                  (double)macs_switch_now(sw) / 1e9, sum.received, sum.copies, sum.sent, sum.dropped, sum.missed);
    describe_ports(sw, &sum, text);
    macs_text_add(text, ",\"drops\":{");
    for (unsigned cause = 0; cause < MACS_CAUSES; cause++) {
        macs_text_add(text, cause ? "," : "");
        key(text, macs_stats_cause_name(cause));
        macs_text_add(text, "%" PRIu64, sum.drops[cause]);
    }
    describe_places(sw->program, &sum, text);
    macs_text_add(text,
                  "},\"workers\":%u,\"burst\":%" PRIu32 ",\"sub_batch\":%" PRIu32 ",\"bursts\":%" PRIu64
                  ",\"asserts\":%" PRIu64,
                  sw->worker_count, burst, sub_batch, sum.bursts, sum.asserts);
    if (sw->program->decisions)
        macs_text_add(text,
                      ",\"decisions\":{\"found\":%" PRIu64 ",\"not_found\":%" PRIu64 ",\"not_looked_up\":%" PRIu64 "}",
                      sum.decided, sum.undecided, sum.skipped);
    describe_adapt(sw->adapt, text);
    describe_kept(sw, text);
    macs_text_add(text, ",\"cpu_ns\":%" PRIu64 ",\"cycles\":%" PRIu64, cpu_ns, cycles);
    macs_text_add(text,
                  ",\"digests\":%" PRIu64 ",\"digests_lost\":%" PRIu64 ",\"log_lost\":%" PRIu64
                  ",\"capture_lost\":%" PRIu64 "}\n",
                  atomic_load(&sw->digests.sent), atomic_load(&sw->digests.lost), atomic_load(&sw->log.lost),
                  sw->capture ? atomic_load(&sw->capture->lost) : 0);
}
