/* The bare loop beside a production program, SONiC's middleblock: sai.h, and the program's access lists.
 */
#ifndef MACSAD_BENCH_MIDDLEBLOCK_H
#define MACSAD_BENCH_MIDDLEBLOCK_H

enum { PRE_INGRESS_BYTES = 25, EGRESS_BYTES = 12 };

#include "sai.h"

static inline void bare_pre_ingress_key(const struct line *line, const uint8_t *data, uint32_t port, uint8_t *key) {
    const uint32_t class = bare_class(line, data);
    bare_kind(line, key);
    memcpy(key + 3, data + 6, 6);
    memcpy(key + 9, bare_ip4(line, data) + 16, 4);
    memcpy(key + 13, bare_ip6(line, data) + 24, 8);
    key[21] = (uint8_t)(class >> 2);
    key[22] = class & 3;
    macs_store16(key + 23, port);
}

/* The address that an ARP packet asks for. */
static inline uint32_t bare_asked(const struct line *line, const uint8_t *data) {
    return line->type == ARP ? (uint32_t)macs_load32(data + line->front + 24) : 0;
}

static inline void bare_egress_key(const struct line *line, const uint8_t *data, uint32_t port, uint8_t *key) {
    key[0] = (uint8_t)bare_protocol(line, data);
    macs_store16(key + 1, port);
    bare_kind(line, key + 3);
    macs_store64(key + 6, line->source_mac << 16);
}

/* What the list says that sends packets another way. */
static inline void bare_redirect(struct line *line, const struct macs_entry *found) {
    const struct ingress_acl_ingress_acl_ingress_mirror_and_redirect_table_entry *const entry = (const void *)found;
    switch (entry->head.action) {
    case ingress_acl_ingress_acl_ingress_mirror_and_redirect_table_action_acl_mirror:
        line->mirrored = true;
        line->session = entry->as_acl_mirror.mirror_session_id;
        break;
    case ingress_acl_ingress_acl_ingress_mirror_and_redirect_table_action_redirect_to_nexthop:
        line->by_nexthop = true;
        line->nexthop = entry->as_redirect_to_nexthop.nexthop_id;
        line->by_wcmp = false;
        line->group = 0;
        break;
    case ingress_acl_ingress_acl_ingress_mirror_and_redirect_table_action_redirect_to_ipmc_group:
        line->group = entry->as_redirect_to_ipmc_group.multicast_group_id;
        line->by_nexthop = line->by_wcmp = false;
        break;
    default:
        break;
    }
}

static inline void bare_lists(struct macs_worker *worker, const struct bare_keys *keys, uint32_t count) {
    static _Thread_local struct macs_ternary_cells_bulk acl, redirect, security;
    for (uint32_t i = 0; i < count; i++) {
        const struct line *const line = keys->lines[i];
        const uint8_t *const data = keys->data[i], *const ip4 = bare_ip4(line, data), *const ip6 = bare_ip6(line, data);
        uint8_t *key = acl.keys[i];
        bare_acl_key(line, data, key);
        macs_store64(key + 40,
                     (uint64_t)line->source << 48 | (uint64_t)line->destination << 32 | bare_asked(line, data));
        key = security.keys[i];
        bare_kind(line, key);
        macs_store16(key + 3, line->type);
        memcpy(key + 5, ip4 + 12, 8);
        memcpy(key + 13, ip6 + 8, 8);
        key = redirect.keys[i];
        bare_kind(line, key);
        memcpy(key + 3, ip4 + 16, 4);
        memcpy(key + 7, ip6 + 24, 8);
        macs_store16(key + 15, line->vrf);
        key[17] = line->group != 0;
    }
    macs_ternary_cells_bulk_start(STATE_OF(ingress_acl_ingress_acl_ingress_table), &acl, count, 48,
                                  DEFAULT_OF(ingress_acl_ingress_acl_ingress_table));
    macs_ternary_cells_bulk_start(STATE_OF(ingress_acl_ingress_acl_ingress_security_table), &security, count, 21,
                                  DEFAULT_OF(ingress_acl_ingress_acl_ingress_security_table));
    macs_ternary_cells_bulk_start(STATE_OF(ingress_acl_ingress_acl_ingress_mirror_and_redirect_table), &redirect, count,
                                  18, DEFAULT_OF(ingress_acl_ingress_acl_ingress_mirror_and_redirect_table));
    for (uint32_t i = 0; i < count; i++) {
        struct line *const line = keys->lines[i];
        const uint32_t length = keys->packets[i]->length;
        bare_acl(worker, line, &acl, i, length);
        bare_redirect(line, redirect.entries[i]);
        const struct macs_entry *const entry = security.entries[i];
        if (entry != security.miss)
            COUNT(ingress_acl_ingress_acl_ingress_security, entry->index, length);
        if (entry->action == ingress_acl_ingress_acl_ingress_security_table_action_acl_deny) {
            line->copied = false;
            line->dropped = true;
        } else if (entry->action == ingress_acl_ingress_acl_ingress_security_table_action_acl_drop_2) {
            line->dropped = true;
        }
    }
}

#endif
