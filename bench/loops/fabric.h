/* The bare loop beside a production program, ONOS's fabric: what a burst costs where the code is written by hand.
 *
 * It is compiled with the C that macsad makes of the program, and takes the place of its function over a burst: same
 * tables, same kernels, same entries, same counters, same runtime. It parses what the program parses, makes the same
 * lookups, and writes the same headers and checksums, but only on the ways that generated frames take: others are
 * dropped. There are no clones and no replicas, and no errors but frames that are too short.
 * Written as one would write such a loop: what a packet carries along is one cache line, headers that are there are
 * bits of one word, lookups that depend on each other alone wait for each other, all lookups of a burst are made
 * together, and what moves in a frame is copied once.
 * Threads: a worker's own.
 */
#ifndef MACSAD_BENCH_FABRIC_H
#define MACSAD_BENCH_FABRIC_H

#include "bare.h"

/* Headers that a packet has. */
enum { HAS_VLAN = 1, HAS_INNER_VLAN = 2, HAS_MPLS = 4, HAS_IP = 8, HAS_UDP = 16, HAS_TCP = 32, HAS_ICMP = 64 };

/* How the tunnel's headers change, by the program's numbers. */
enum { NO_SESSION = 0, UPLINK = 1, DOWNLINK = 2 };

enum { DEFAULT_VLAN = 4094, NO_PORT = 511, GTPU_PORT = 2152, GTPU_BYTES = 36 };

/* What a packet carries along. Places of headers are bytes from `data`. */
struct line {
    uint8_t *data;
    uint32_t length;
    uint32_t label, next;
    uint32_t teid, enb, sgw;
    uint16_t ethernet, vlan, inner_vlan, ip, layer4, outer_ip, payload;
    uint16_t type, vlan_id, source, destination;
    uint16_t tunnel_bytes;
    uint8_t has, protocol, direction, forwarding;
    bool skip_forwarding, skip_next, tunnelled;
};

struct bare_keys {
    struct macs_ternary_cells_bulk port_vlan, classifier, acl, bridging;
    struct macs_bulk routing;
    struct macs_exact_hash_bulk sessions, xconnect, hashed;
    struct macs_exact_packed_bulk multicast, next_vlan, egress_vlan;
    struct macs_profile_choice choices[MACS_BURST_MAX];
    uint16_t bridged[MACS_BURST_MAX], routed[MACS_BURST_MAX], next[MACS_BURST_MAX], to_session[MACS_BURST_MAX];
};

/* Parse a frame. Returns false if the program would have gone another way with it than this loop can. */
static inline bool bare_parse(struct line *line) {
    const uint8_t *const data = line->data;
    const uint32_t length = line->length;
    uint32_t at = 0, has = 0, type;
    line->label = 0;
    line->protocol = 0;
    line->source = line->destination = 0;
    line->tunnelled = false;
    for (;;) {
        if (length - at < 14)
            return false;
        line->ethernet = (uint16_t)at;
        type = (uint32_t)macs_load16(data + at + 12);
        at += 14;
        line->type = (uint16_t)type;
        if (type == 0x8100) {
            if (length - at < 4)
                return false;
            line->vlan = (uint16_t)at;
            has |= HAS_VLAN;
            type = (uint32_t)macs_load16(data + at + 2);
            at += 4;
            if (type == 0x8100) {
                if (length - at < 4)
                    return false;
                line->inner_vlan = (uint16_t)at;
                has |= HAS_INNER_VLAN;
                type = (uint32_t)macs_load16(data + at + 2);
                at += 4;
            }
        }
        if (type != 0x8847)
            break;
        if (length - at < 5)
            return false;
        has |= HAS_MPLS;
        line->label = (uint32_t)macs_load32(data + at) >> 12;
        at += 4;
        if (data[at] >> 4 == 4) {
            type = 0x800;
            break;
        }
    }
    line->vlan_id = DEFAULT_VLAN;
    if (has & HAS_VLAN) {
        const uint32_t tag = (uint32_t)macs_load32(data + line->vlan);
        line->type = (uint16_t)tag;
        line->vlan_id = tag >> 16 & 0xfff;
    }
    if (type == 0x800) {
        if (length - at < 28)
            return false;
        line->ip = (uint16_t)at;
        has |= HAS_IP;
        line->protocol = data[at + 9];
        at += 20;
        if (line->protocol == 17) {
            line->source = (uint16_t)macs_load16(data + at);
            line->destination = (uint16_t)macs_load16(data + at + 2);
            line->layer4 = (uint16_t)at;
            has |= HAS_UDP;
            at += 8;
            if (line->destination == GTPU_PORT && data[line->ip + 16] == 140) {
                if (length - at < 36 || data[at + 8 + 9] != 17)
                    return false;
                line->outer_ip = line->ip;
                line->tunnelled = true;
                line->ip = (uint16_t)(at + 8);
                line->layer4 = (uint16_t)(at + 28);
                line->source = (uint16_t)macs_load16(data + at + 28);
                line->destination = (uint16_t)macs_load16(data + at + 30);
                at += 36;
            }
        } else if (line->protocol == 6 || line->protocol == 1) {
            return false;
        }
    }
    line->payload = (uint16_t)at;
    line->has = (uint8_t)has;
    return true;
}

/* The keys of the tables whose lookups depend on nothing but the frame. */
static inline void bare_first_keys(const struct line *line, uint32_t port, struct bare_keys *keys, uint32_t at) {
    const uint8_t *const ethernet = line->data + line->ethernet;
    const uint32_t tag = line->has & HAS_VLAN ? line->vlan_id : 0;
    uint8_t *key = keys->port_vlan.keys[at];
    macs_store64(key, (uint64_t)port << 48 | (uint64_t)(line->has & HAS_VLAN) << 40 | (uint64_t)tag << 24);
    key = keys->classifier.keys[at];
    macs_store16(key, port);
    memcpy(key + 2, ethernet, 6);
    macs_store16(key + 8, line->type);
    key = keys->acl.keys[at];
    macs_store64(key, (uint64_t)port << 48 | (uint64_t)line->protocol << 40 | (uint64_t)line->source << 24 |
                          (uint64_t)line->destination << 8);
    memcpy(key + 7, ethernet, 12);
    macs_store32(key + 19, tag << 16 | line->type);
    uint64_t addresses = 0;
    if (line->has & HAS_IP)
        memcpy(&addresses, line->data + line->ip + 12, 8);
    memcpy(key + 23, &addresses, 8);
    macs_store16(key + 31, 0);
}

/* What the first tables have found. */
static inline void bare_classified(struct macs_worker *worker, struct line *line, const struct bare_keys *keys,
                                   uint32_t at) {
    const struct FabricIngress_filtering_ingress_port_vlan_entry *const vlan =
        (const void *)keys->port_vlan.entries[at];
    line->skip_forwarding = line->skip_next = false;
    if ((const void *)vlan != keys->port_vlan.miss)
        COUNT(FabricIngress_filtering_ingress_port_vlan, vlan->head.index, line->length);
    if (vlan->head.action == FabricIngress_filtering_ingress_port_vlan_action_permit_with_internal_vlan)
        line->vlan_id = vlan->as_permit_with_internal_vlan.vlan_id;
    else if (vlan->head.action == FabricIngress_filtering_ingress_port_vlan_action_deny)
        line->skip_forwarding = line->skip_next = true;
    const struct FabricIngress_filtering_fwd_classifier_entry *const class = (const void *)keys->classifier.entries[at];
    if ((const void *)class != keys->classifier.miss)
        COUNT(FabricIngress_filtering_fwd_classifier, class->head.index, line->length);
    line->forwarding = class->as_set_forwarding_type.fwd_type;
}

/* A tunnelled packet leaves its tunnel, if it ends here. */
static inline bool bare_from_tunnel(struct line *line) {
    struct macs_exact_packed_cursor cursor;
    uint64_t word;
    macs_exact_packed_start(STATE_OF(FabricIngress_spgw_ingress_s1u_filter_table),
                            macs_load32(line->data + line->outer_ip + 16), 32, 0, &cursor);
    line->direction = UPLINK;
    return macs_exact_packed_finish(32, 0, &cursor, &word);
}

static inline void bare_by_label(struct macs_worker *worker, struct line *line) {
    struct macs_exact_packed_cursor cursor;
    uint64_t word;
    uint32_t index;
    macs_exact_packed_start_indexed(STATE_OF(FabricIngress_forwarding_mpls), line->label, 20, 33, &cursor);
    if (macs_exact_packed_finish_indexed(20, 33, &cursor, &word, &index)) {
        COUNT(FabricIngress_forwarding_mpls, index, line->length);
        line->label = 0;
        line->next = (uint32_t)(word >> 1);
    }
}

/* What the access list has found. The key of the next table: whether the packet goes on to it. */
static inline bool bare_allowed(struct macs_worker *worker, struct line *line, const struct bare_keys *keys,
                                uint32_t at) {
    const struct FabricIngress_acl_acl_entry *const acl = (const void *)keys->acl.entries[at];
    if ((const void *)acl != keys->acl.miss)
        COUNT(FabricIngress_acl_acl, acl->head.index, line->length);
    if (acl->head.action == FabricIngress_acl_acl_action_set_next_id_acl)
        line->next = acl->as_set_next_id_acl.next_id;
    else if (acl->head.action != FabricIngress_acl_acl_action_nop_acl)
        return false;
    return !line->skip_next;
}

/* The hash that chooses a member of a group. */
static inline uint64_t bare_chosen(const struct line *line) {
    uint8_t list[16];
    uint64_t addresses = 0;
    if (line->has & HAS_IP)
        addresses = macs_load64(line->data + line->ip + 12);
    macs_store64(list, addresses << 32 | addresses >> 32);
    macs_store64(list + 8,
                 (uint64_t)line->protocol << 56 | (uint64_t)line->source << 40 | (uint64_t)line->destination << 24);
    return macs_checksum_crc16((struct macs_bytes){list, 13, NULL, 0}) & 0xffff;
}

/* The headers of a tunnel in front of a packet. */
static inline void bare_tunnel(const struct line *line, uint8_t *to, uint16_t total) {
    macs_store64(to, UINT64_C(0x4500) << 48 | (uint64_t)(uint16_t)(total + GTPU_BYTES) << 32 | 0x15130000);
    macs_store64(to + 8, UINT64_C(0x4011) << 48 | line->sgw);
    macs_store32(to + 16, line->enb);
    macs_store16(to + 10, bare_checksum(to));
    macs_store64(to + 20, (uint64_t)GTPU_PORT << 48 | (uint64_t)GTPU_PORT << 32 |
                              (uint64_t)(uint16_t)(line->tunnel_bytes + 16) << 16);
    macs_store64(to + 28, UINT64_C(0x30ff) << 48 | (uint64_t)line->tunnel_bytes << 32 | line->teid);
}

/* Write the packet's headers where they are sent from, those behind first. Returns its length. */
static inline uint32_t bare_rewrite(struct line *line, odp_packet_t handle,
                                    const struct FabricIngress_next_hashed_entry *to, bool push) {
    uint8_t *const data = line->data;
    uint32_t front = line->payload; /* what stays begins here */
    uint8_t headers[14 + 4 + 4 + GTPU_BYTES + 8], *at = headers + sizeof(headers);
    if (line->has & HAS_IP) {
        uint8_t *const ip = data + line->ip;
        front = line->ip;
        ip[8]--;
        macs_store16(ip + 10, bare_checksum(ip));
        if (line->direction == DOWNLINK) {
            at -= GTPU_BYTES;
            bare_tunnel(line, at, (uint16_t)macs_load16(ip + 2));
        }
    }
    if (line->has & HAS_INNER_VLAN) {
        at -= 4;
        memcpy(at, data + line->inner_vlan, 4);
    }
    uint16_t type = line->type;
    if (push) {
        at -= 4;
        macs_store32(at,
                     (uint32_t)(macs_load16(data + line->vlan) & 0xf000) << 16 | (uint32_t)line->vlan_id << 16 | type);
        type = 0x8100;
    }
    at -= 14;
    macs_store64(at, to->as_routing_hashed.dmac << 16);
    macs_store64(at + 6, to->as_routing_hashed.smac << 16 | type);
    const uint32_t bytes = (uint32_t)(headers + sizeof(headers) - at);
    uint8_t *start =
        bytes > front ? odp_packet_push_head(handle, bytes - front) : odp_packet_pull_head(handle, front - bytes);
    memcpy(start, at, bytes);
    return line->length - front + bytes;
}

/* The ports and the headers of the packets that have a next hop. */
static inline void bare_leave(struct macs_worker *worker, const struct macs_common *common, struct line *lines,
                              struct bare_keys *keys, uint32_t count, const odp_packet_t handles[],
                              macs_verdict verdicts[]) {
    const struct FabricIngress_next_hashed_entry *to[MACS_BURST_MAX];
    for (uint32_t i = 0; i < count; i++) {
        struct line *const line = &lines[keys->next[i]];
        uint64_t group, vlan;
        uint32_t index;
        const struct macs_entry *const entry = keys->hashed.entries[i];
        if (entry != keys->hashed.miss)
            COUNT(FabricIngress_next_hashed, entry->index, line->length);
        to[i] = (const void *)macs_profile_chosen(&keys->choices[i]);
        macs_exact_packed_bulk_step(&keys->multicast, i, 17);
        if (macs_exact_packed_bulk_finish_indexed(&keys->multicast, i, 17, &group, &index))
            COUNT(FabricIngress_next_multicast, index, line->length);
        macs_exact_packed_bulk_step(&keys->next_vlan, i, 13);
        if (macs_exact_packed_bulk_finish_indexed(&keys->next_vlan, i, 13, &vlan, &index)) {
            COUNT(FabricIngress_next_next_vlan, index, line->length);
            line->vlan_id = (uint16_t)(vlan >> 1 & 0xfff);
        }
        const uint32_t port = to[i]->as_routing_hashed.port_num;
        COUNT(FabricIngress_port_counters_control_egress_port, port, line->length);
        COUNT(FabricIngress_port_counters_control_ingress_port, common->ingress_port, line->length);
        if (group >> 1 || line->label || to[i]->head.action != FabricIngress_next_hashed_action_routing_hashed)
            to[i] = NULL;
        keys->egress_vlan.keys[i] = (uint64_t)line->vlan_id << 9 | port;
    }
    macs_exact_packed_bulk_start(STATE_OF(FabricEgress_egress_next_egress_vlan), &keys->egress_vlan, count, 21, 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = keys->next[i];
        struct line *const line = &lines[number];
        uint64_t word;
        uint32_t index;
        bool push = line->vlan_id != DEFAULT_VLAN;
        macs_exact_packed_bulk_step(&keys->egress_vlan, i, 1);
        if (macs_exact_packed_bulk_finish_indexed(&keys->egress_vlan, i, 1, &word, &index)) {
            COUNT(FabricEgress_egress_next_egress_vlan, index, line->length);
            push = false;
        }
        if (line->has & HAS_MPLS)
            line->type = line->has & HAS_IP ? 0x800 : 0;
        if (!to[i] || (line->has & HAS_IP && line->data[line->ip + 8] == 1))
            continue;
        verdicts[number] = macs_verdict_of_port(common, to[i]->as_routing_hashed.port_num);
        line->length = bare_rewrite(line, handles[number], to[i], push);
    }
}

/* The next hop of all packets that have one: its group's member. */
static inline void bare_next(struct line *lines, struct bare_keys *keys, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct line *const line = &lines[keys->next[i]];
        macs_store32(keys->hashed.keys[i], line->next);
        keys->multicast.keys[i] = keys->next_vlan.keys[i] = line->next;
    }
    macs_exact_hash_bulk_start(STATE_OF(FabricIngress_next_hashed), &keys->hashed, count, 4,
                               DEFAULT_OF(FabricIngress_next_hashed));
    macs_exact_packed_bulk_start(STATE_OF(FabricIngress_next_multicast), &keys->multicast, count, 32, 17);
    macs_exact_packed_bulk_start(STATE_OF(FabricIngress_next_next_vlan), &keys->next_vlan, count, 32, 13);
    macs_exact_hash_bulk_step(STATE_OF(FabricIngress_next_hashed), &keys->hashed, count);
    macs_exact_hash_bulk_finish(STATE_OF(FabricIngress_next_hashed), &keys->hashed, count, 4);
    for (uint32_t i = 0; i < count; i++)
        macs_profile_follow(externs[FabricIngress_next_hashed_selector_extern], keys->hashed.entries[i],
                            bare_chosen(&lines[keys->next[i]]), &keys->choices[i]);
    for (uint32_t i = 0; i < count; i++)
        macs_profile_lead(MACS_PROFILE_AT_GROUP, &keys->choices[i]);
}

/* Next hops by bridging, by labels, by routes: they count, and the access list may choose another. */
static inline void bare_forward(struct macs_worker *worker, struct line *lines, struct bare_keys *keys, uint32_t count,
                                const uint16_t parsed[]) {
    uint32_t bridged = 0, routed = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct line *const line = &lines[parsed[i]];
        line->next = 0;
        if (line->skip_forwarding)
            continue;
        if (line->forwarding == 0) {
            macs_store16(keys->bridging.keys[bridged], line->vlan_id);
            memcpy(keys->bridging.keys[bridged] + 2, line->data + line->ethernet, 6);
            keys->bridged[bridged++] = parsed[i];
        } else if (line->forwarding == 1) {
            bare_by_label(worker, line);
        } else if (line->forwarding == 2) {
            keys->routing.keys[routed] = line->has & HAS_IP ? (uint32_t)macs_load32(line->data + line->ip + 16) : 0;
            keys->routed[routed++] = parsed[i];
        }
    }
    macs_ternary_cells_bulk_start(STATE_OF(FabricIngress_forwarding_bridging), &keys->bridging, bridged, 8,
                                  DEFAULT_OF(FabricIngress_forwarding_bridging));
    macs_lpm_dir24_bulk_start(STATE_OF(FabricIngress_forwarding_routing_v4), &keys->routing, routed, 4,
                              DEFAULT_OF(FabricIngress_forwarding_routing_v4));
    for (uint32_t i = 0; i < bridged; i++) {
        const struct FabricIngress_forwarding_bridging_entry *const entry = (const void *)keys->bridging.entries[i];
        struct line *const line = &lines[keys->bridged[i]];
        if ((const void *)entry == keys->bridging.miss)
            continue;
        COUNT(FabricIngress_forwarding_bridging, entry->head.index, line->length);
        line->next = entry->as_set_next_id_bridging.next_id;
    }
    for (uint32_t i = 0; i < routed; i++) {
        const struct FabricIngress_forwarding_routing_v4_entry *const entry = (const void *)keys->routing.entries[i];
        struct line *const line = &lines[keys->routed[i]];
        if ((const void *)entry == keys->routing.miss)
            continue;
        COUNT(FabricIngress_forwarding_routing_v4, entry->head.index, line->length);
        if (entry->head.action == FabricIngress_forwarding_routing_v4_action_set_next_id_routing_v4)
            line->next = entry->as_set_next_id_routing_v4.next_id;
    }
}

/* The sessions of packets that came in no tunnel. */
static inline void bare_sessions(struct macs_worker *worker, struct line *lines, struct bare_keys *keys,
                                 uint32_t count) {
    const void *const table = STATE_OF(FabricIngress_spgw_ingress_dl_sess_lookup);
    macs_exact_hash_bulk_start(table, &keys->sessions, count, 4, DEFAULT_OF(FabricIngress_spgw_ingress_dl_sess_lookup));
    macs_exact_hash_bulk_step(table, &keys->sessions, count);
    macs_exact_hash_bulk_finish(table, &keys->sessions, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        struct line *const line = &lines[keys->to_session[i]];
        const struct FabricIngress_spgw_ingress_dl_sess_lookup_entry *const entry =
            (const void *)keys->sessions.entries[i];
        line->direction = NO_SESSION;
        if ((const void *)entry == keys->sessions.miss)
            continue;
        macs_counter_add(externs[FabricIngress_spgw_ingress_ue_counter_extern], worker, entry->head.index,
                         line->length);
        line->teid = entry->as_set_dl_sess_info.teid;
        line->enb = entry->as_set_dl_sess_info.s1u_enb_addr;
        line->sgw = entry->as_set_dl_sess_info.s1u_sgw_addr;
        line->direction = DOWNLINK;
        line->tunnel_bytes = line->has & HAS_IP ? (uint16_t)macs_load16(line->data + line->ip + 2) : 0;
    }
}

/* The access list, and cross connects by what it says. Returns how many packets go on to a next hop. */
static inline uint32_t bare_select(struct macs_worker *worker, struct line *lines, struct bare_keys *keys,
                                   uint32_t count, const uint16_t parsed[], uint32_t port) {
    const void *const table = STATE_OF(FabricIngress_next_xconnect);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct line *const line = &lines[parsed[i]];
        if (bare_allowed(worker, line, keys, i)) {
            macs_store64(keys->xconnect.keys[next], (uint64_t)port << 48 | (uint64_t)line->next << 16);
            keys->next[next++] = parsed[i];
        }
    }
    macs_exact_hash_bulk_start(table, &keys->xconnect, next, 6, DEFAULT_OF(FabricIngress_next_xconnect));
    macs_exact_hash_bulk_step(table, &keys->xconnect, next);
    macs_exact_hash_bulk_finish(table, &keys->xconnect, next, 6);
    for (uint32_t i = 0; i < next; i++) {
        struct line *const line = &lines[keys->next[i]];
        const struct FabricIngress_next_xconnect_entry *const entry = (const void *)keys->xconnect.entries[i];
        if ((const void *)entry == keys->xconnect.miss)
            continue;
        COUNT(FabricIngress_next_xconnect, entry->head.index, line->length);
        if (entry->head.action == FabricIngress_next_xconnect_action_set_next_id_xconnect)
            line->next = entry->as_set_next_id_xconnect.next_id;
    }
    return next;
}

static uint64_t bare_burst(struct macs_worker *worker, const odp_packet_t handles[], unsigned count) {
    static _Thread_local struct bare_keys own;
    struct bare_keys *const keys = &own;
    const struct macs_common common = macs_common_of(worker);
    struct line lines[MACS_BURST_MAX];
    macs_verdict verdicts[MACS_BURST_MAX];
    struct macs_extent received = {0, 0}, sent = {0, 0};
    uint16_t parsed[MACS_BURST_MAX];
    uint32_t used = 0, sessions = 0;
    for (uint32_t i = 0; i < count; i++) {
        macs_prefetch_headers(handles, i, count);
        lines[i].data = odp_packet_data(handles[i]);
        lines[i].length = odp_packet_len(handles[i]);
        macs_extent_add(&received, lines[i].length);
        verdicts[i] = MACS_VERDICT_DROP + MACS_CAUSE_PROGRAM;
        if (!macs_can_parse(handles[i], 65535) || !bare_parse(&lines[i]))
            continue;
        bare_first_keys(&lines[i], common.ingress_port, keys, used);
        parsed[used++] = (uint16_t)i;
    }
    macs_ternary_cells_bulk_start(STATE_OF(FabricIngress_filtering_ingress_port_vlan), &keys->port_vlan, used, 5,
                                  DEFAULT_OF(FabricIngress_filtering_ingress_port_vlan));
    macs_ternary_cells_bulk_start(STATE_OF(FabricIngress_filtering_fwd_classifier), &keys->classifier, used, 10,
                                  DEFAULT_OF(FabricIngress_filtering_fwd_classifier));
    macs_ternary_cells_bulk_start(STATE_OF(FabricIngress_acl_acl), &keys->acl, used, 33,
                                  DEFAULT_OF(FabricIngress_acl_acl));
    for (uint32_t i = 0; i < used; i++) {
        struct line *const line = &lines[parsed[i]];
        bare_classified(worker, line, keys, i);
        if (!line->tunnelled) {
            macs_store32(keys->sessions.keys[sessions],
                         line->has & HAS_IP ? macs_load32(line->data + line->ip + 16) : 0);
            keys->to_session[sessions++] = parsed[i];
        } else if (!bare_from_tunnel(line)) {
            line->skip_next = true;
        }
    }
    bare_sessions(worker, lines, keys, sessions);
    bare_forward(worker, lines, keys, used, parsed);
    const uint32_t next = bare_select(worker, lines, keys, used, parsed, common.ingress_port);
    bare_next(lines, keys, next);
    bare_leave(worker, &common, lines, keys, next, handles, verdicts);
    for (uint32_t i = 0; i < count; i++)
        macs_extent_add(&sent, lines[i].length);
    macs_transmit_burst(worker, handles, verdicts, count, sent);
    return received.bytes;
}

#endif
