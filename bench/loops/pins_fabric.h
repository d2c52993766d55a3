/* The bare loop beside a production program, SONiC's pins_fabric: sai.h, and the program's access lists.
 */
#ifndef MACSAD_BENCH_PINS_FABRIC_H
#define MACSAD_BENCH_PINS_FABRIC_H

enum { PRE_INGRESS_BYTES = 31, EGRESS_BYTES = 11 };

#include "sai.h"

static inline void bare_pre_ingress_key(const struct line *line, const uint8_t *data, uint32_t port, uint8_t *key) {
    const uint32_t class = bare_class(line, data);
    bare_kind(line, key);
    memcpy(key + 3, data + 6, 6);
    memcpy(key + 9, data, 6);
    memcpy(key + 15, bare_ip4(line, data) + 16, 4);
    memcpy(key + 19, bare_ip6(line, data) + 24, 8);
    key[27] = (uint8_t)(class >> 2);
    key[28] = class & 3;
    macs_store16(key + 29, port);
}

/* It sees the headers that are put in front. */
static inline void bare_egress_key(const struct line *line, const uint8_t *data, uint32_t port, uint8_t *key) {
    const bool tagged = line->vlan != 0 && line->vlan != NO_VLAN;
    macs_store16(key, tagged ? 0x8100 : line->tunnel ? 0x86dd : line->type);
    key[2] = (uint8_t)bare_protocol(line, data);
    macs_store32(key + 3, (uint32_t)line->destination << 16 | port);
    bare_kind(line, key + 7);
    key[10] = (uint8_t)(bare_class(line, data) >> 2);
}

static inline void bare_lists(struct macs_worker *worker, const struct bare_keys *keys, uint32_t count) {
    static _Thread_local struct macs_ternary_cells_bulk acl, counting, qos;
    for (uint32_t i = 0; i < count; i++) {
        const struct line *const line = keys->lines[i];
        const uint8_t *const data = keys->data[i];
        uint8_t *const first = acl.keys[i];
        bare_acl_key(line, data, first);
        first[40] = first[39];
        macs_store32(first + 41, (uint32_t)line->source << 16 | line->destination);
        macs_store16(first + 45, keys->packets[i]->ingress_port);
        first[47] = line->metadata;
        uint8_t *key = counting.keys[i];
        bare_kind(line, key);
        key[3] = first[36];
        key[4] = line->metadata;
        key = qos.keys[i];
        bare_kind(line, key);
        macs_store16(key + 3, line->type);
        key[5] = first[35];
        key[6] = first[38];
        key[7] = key[12] = first[39];
        macs_store32(key + 8, (uint32_t)line->destination << 16 | line->source);
        key[13] = line->metadata;
    }
    macs_ternary_cells_bulk_start(STATE_OF(ingress_acl_ingress_acl_ingress_table), &acl, count, 48,
                                  DEFAULT_OF(ingress_acl_ingress_acl_ingress_table));
    macs_ternary_cells_bulk_start(STATE_OF(ingress_acl_ingress_acl_ingress_counting_table), &counting, count, 5,
                                  DEFAULT_OF(ingress_acl_ingress_acl_ingress_counting_table));
    macs_ternary_cells_bulk_start(STATE_OF(ingress_acl_ingress_acl_ingress_qos_table), &qos, count, 14,
                                  DEFAULT_OF(ingress_acl_ingress_acl_ingress_qos_table));
    for (uint32_t i = 0; i < count; i++) {
        struct line *const line = keys->lines[i];
        const uint32_t length = keys->packets[i]->length;
        bare_acl(worker, line, &acl, i, length);
        const struct macs_entry *entry = counting.entries[i];
        if (entry != counting.miss)
            COUNT(ingress_acl_ingress_acl_ingress_counting, entry->index, length);
        entry = qos.entries[i];
        if (entry == qos.miss)
            continue;
        macs_meter_execute(externs[ingress_acl_ingress_acl_ingress_qos_meter_extern], worker, entry->index, length);
        COUNT(ingress_acl_ingress_acl_ingress_qos, entry->index, length);
        if (entry->action == ingress_acl_ingress_acl_ingress_qos_table_action_acl_drop_1)
            line->dropped = true;
    }
}

#endif
