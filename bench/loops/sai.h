/* What the bare loops beside SONiC's programs (middleblock, pins_fabric) have in common: all but their access lists.
 *
 * A loop is compiled with the C that macsad makes of the program, and takes the place of its pipelines: same tables,
 * same kernels, same entries, same counters and meters, same runtime, which replicates and clones between ingress and
 * egress. It parses what the program parses, makes the lookups on which anything depends, and writes the same headers
 * and checksums, but only on the ways that generated frames take: packets from and to the controller, mirrored packets
 * that get a header, and frames that are too short are dropped.
 * Written as one would write such a loop: what a packet carries along is two cache lines, of which a clone or a replica
 * gets a copy, headers that are there are bits of one word, entries stand for what they hold, a hash is made where it
 * chooses, and all lookups of a burst that depend on each other no more are made together.
 * A program's own header names PRE_INGRESS_BYTES and EGRESS_BYTES, the lengths of two keys, and defines the functions
 * that are only declared here.
 * Threads: a worker's own.
 */
#ifndef MACSAD_BENCH_SAI_H
#define MACSAD_BENCH_SAI_H

#include "bare.h"

enum { HAS_IPV4 = 1, HAS_IPV6 = 2 };

/* What egress changes; likewise bits. */
enum { NEW_TTL = 1, NEW_SOURCE = 2, NEW_TARGET = 4, NEW_VLAN = 8 };

enum { NO_VLAN = 0xfff, NO_PORT = 511, TO_CONTROLLER = 1, TO_MIRROR = 2, ETHERNET_BYTES = 14, IPV6_BYTES = 40 };
enum { ARP = 0x806, ARP_BYTES = 28 };

#define ROUTER_MAC UINT64_C(0x1a11175f80)

typedef struct ingress_routing_resolution_tunnel_table_entry bare_tunnel;
typedef struct ingress_routing_resolution_nexthop_table_entry bare_nexthop;

/* What a packet carries along. Places of headers are bytes from the frame's beginning; 0: it has not got it. */
struct line {
    const bare_tunnel *tunnel; /* that it is put into at egress; or NULL */
    uint64_t source_mac, target_mac;
    uint16_t type, vlan, new_vlan;
    uint16_t ip4, ip6, inner, icmp;
    uint16_t front; /* what stays of the frame begins here */
    uint16_t gone;  /* bytes of the headers that have been taken out */
    uint16_t source, destination;
    uint16_t vrf, group, nexthop, wcmp, session, port, mirror_port;
    uint8_t has, inner_has, rewrites, metadata;
    bool checks_vlan, admitted, by_wcmp, by_nexthop, copied, mirrored, dropped;
};

struct bare_state {
    struct macs_packet packet;
    struct line line;
};

struct bare_keys {
    struct macs_ternary_cells_bulk tunnel_ends, pre_ingress, admit, clone;
    struct macs_lpm_trie_bulk ipv4, ipv6;
    struct macs_exact_packed_bulk ipv4_groups;
    struct macs_exact_hash_bulk ipv6_groups, neighbor;
    struct macs_bulk wcmp, nexthop, tunnel, interface;
    struct macs_profile_choice choices[MACS_BURST_MAX];
    struct line *lines[MACS_BURST_MAX], *to_ipv4[MACS_BURST_MAX], *to_ipv6[MACS_BURST_MAX], *to_wcmp[MACS_BURST_MAX];
    struct line *to_nexthop[MACS_BURST_MAX], *to_tunnel[MACS_BURST_MAX], *to_interface[MACS_BURST_MAX];
    struct line *to_end[MACS_BURST_MAX];
    const uint8_t *data[MACS_BURST_MAX], *data_of_wcmp[MACS_BURST_MAX];
    struct macs_packet *packets[MACS_BURST_MAX];
    uint32_t ipv4s, ipv6s, wcmps, nexthops, tunnels, interfaces, ends;
};

/* Parse a frame. Returns false if the program would have gone another way with it than this loop can. */
static inline bool bare_parse(struct line *line, const uint8_t *data, uint32_t length) {
    uint32_t at = ETHERNET_BYTES, type, protocol;
    if (length < ETHERNET_BYTES)
        return false;
    *line = (struct line){.vlan = NO_VLAN, .port = NO_PORT};
    type = (uint32_t)macs_load16(data + 12);
    if (type == 0x8100) {
        if (length - at < 4)
            return false;
        line->vlan = (uint16_t)(macs_load16(data + at) & 0xfff);
        type = (uint32_t)macs_load16(data + at + 2);
        line->gone = 4;
        at += 4;
    }
    line->type = (uint16_t)type;
    line->front = (uint16_t)at;
    if (type == 0x800) {
        if (length - at < 20)
            return false;
        line->has = HAS_IPV4;
        line->ip4 = (uint16_t)at;
        protocol = data[at + 9];
        at += 20;
    } else if (type == 0x86dd) {
        if (length - at < IPV6_BYTES)
            return false;
        line->has = HAS_IPV6;
        line->ip6 = (uint16_t)at;
        protocol = data[at + 6];
        at += IPV6_BYTES;
    } else {
        return type != ARP || length - at >= ARP_BYTES;
    }
    const uint32_t icmp = type == 0x800 ? 1 : 58;
    if (protocol == 4 || protocol == 41) {
        const uint32_t bytes = protocol == 4 ? 20 : IPV6_BYTES;
        if (length - at < bytes)
            return false;
        line->inner = (uint16_t)at;
        line->inner_has = protocol == 4 ? HAS_IPV4 : HAS_IPV6;
        const uint32_t of_inner = protocol == 4 ? 1 : 58;
        protocol = data[at + (protocol == 4 ? 9 : 6)];
        at += bytes;
        if (protocol == of_inner)
            line->icmp = (uint16_t)at;
    } else if (protocol == icmp) {
        line->icmp = (uint16_t)at;
    }
    if (protocol == 6 || protocol == 17) {
        line->source = (uint16_t)macs_load16(data + at);
        line->destination = (uint16_t)macs_load16(data + at + 2);
    }
    return length - at >= (protocol == 6 ? 20u : protocol == 17 || line->icmp ? 8u : 0u);
}

static inline const uint8_t *bare_ip4(const struct line *line, const uint8_t *data) {
    return line->ip4 ? data + line->ip4 : bare_nothing;
}

static inline const uint8_t *bare_ip6(const struct line *line, const uint8_t *data) {
    return line->ip6 ? data + line->ip6 : bare_nothing;
}

/* The traffic class, of six bits and two. */
static inline uint32_t bare_class(const struct line *line, const uint8_t *data) {
    if (line->has & HAS_IPV4)
        return data[line->ip4 + 1];
    return line->has & HAS_IPV6 ? (uint32_t)macs_load16(data + line->ip6) >> 4 & 0xff : 0;
}

static inline uint32_t bare_protocol(const struct line *line, const uint8_t *data) {
    return line->has & HAS_IPV4 ? data[line->ip4 + 9] : line->has & HAS_IPV6 ? data[line->ip6 + 6] : 0;
}

static inline uint8_t bare_ttl(const struct line *line, const uint8_t *data) {
    return line->has & HAS_IPV4 ? data[line->ip4 + 8] : line->has & HAS_IPV6 ? data[line->ip6 + 7] : 0;
}

/* Three bytes: whether the packet is IP, IPv4, IPv6. */
static inline void bare_kind(const struct line *line, uint8_t *key) {
    key[0] = line->has != 0;
    key[1] = line->has & HAS_IPV4;
    key[2] = line->has >> 1;
}

/* What is a program's own: the keys of its access lists before ingress and at egress, and its access lists at ingress,
 * their lookups and what they say. */
static inline void bare_pre_ingress_key(const struct line *line, const uint8_t *data, uint32_t port, uint8_t *key);
static inline void bare_egress_key(const struct line *line, const uint8_t *data, uint32_t port, uint8_t *key);
static inline void bare_lists(struct macs_worker *worker, const struct bare_keys *keys, uint32_t count);

/* The keys of the tables that see the frame as it came. */
static inline void bare_first_keys(struct bare_keys *keys, uint32_t at, struct line *line, const uint8_t *data,
                                   uint32_t port) {
    uint8_t *key = keys->admit.keys[at];
    bare_pre_ingress_key(line, data, port, keys->pre_ingress.keys[at]);
    memcpy(key, data, 6);
    macs_store16(key + 6, port);
    if (line->ip6 && line->inner) {
        key = keys->tunnel_ends.keys[keys->ends];
        memcpy(key, data + line->ip6 + 24, 16);
        memcpy(key + 16, data + line->ip6 + 8, 16);
        keys->to_end[keys->ends++] = line;
    }
}

/* Tunnels end here: the inner header becomes the outer one. */
static inline void bare_tunnels_end(struct bare_keys *keys) {
    macs_ternary_cells_bulk_start(STATE_OF(ingress_tunnel_termination_lookup_ipv6_tunnel_termination_table),
                                  &keys->tunnel_ends, keys->ends, 32,
                                  DEFAULT_OF(ingress_tunnel_termination_lookup_ipv6_tunnel_termination_table));
    for (uint32_t i = 0; i < keys->ends; i++) {
        const struct ingress_tunnel_termination_lookup_ipv6_tunnel_termination_table_entry *const entry =
            (const void *)keys->tunnel_ends.entries[i];
        struct line *const line = keys->to_end[i];
        if ((const void *)entry == keys->tunnel_ends.miss)
            continue;
        const bool is_ipv4 = line->inner_has == HAS_IPV4;
        line->vrf = entry->as_mark_for_tunnel_decap_and_set_vrf.vrf_id;
        line->type = is_ipv4 ? 0x800 : 0x86dd;
        line->has = line->inner_has;
        line->front = line->inner;
        *(is_ipv4 ? &line->ip4 : &line->ip6) = line->inner;
        line->gone = (uint16_t)(line->gone + IPV6_BYTES + (is_ipv4 ? 20 : IPV6_BYTES));
    }
}

/* The virtual network of a packet, whether it is routed, and if so by which key. */
static inline void bare_admit(struct macs_worker *worker, struct bare_keys *keys, uint32_t at, bool checks) {
    const struct ingress_acl_pre_ingress_acl_pre_ingress_table_entry *const entry =
        (const void *)keys->pre_ingress.entries[at];
    struct line *const line = keys->lines[at];
    const uint8_t *const data = keys->data[at];
    if ((const void *)entry != keys->pre_ingress.miss) {
        COUNT(ingress_acl_pre_ingress_acl_pre_ingress, entry->head.index, keys->packets[at]->length);
        line->vrf = entry->as_set_vrf.vrf_id;
    }
    line->checks_vlan = checks;
    if (checks && line->vlan != 0 && line->vlan != NO_VLAN)
        return;
    line->admitted = keys->admit.entries[at] != keys->admit.miss || macs_load64(data) >> 16 == ROUTER_MAC;
    if (line->admitted && line->has & HAS_IPV4) {
        uint8_t *const key = keys->ipv4.keys[keys->ipv4s];
        macs_store16(key, line->vrf);
        memcpy(key + 2, data + line->ip4 + 16, 4);
        keys->ipv4_groups.keys[keys->ipv4s] = (uint64_t)line->vrf << 32 | macs_load32(data + line->ip4 + 16);
        keys->to_ipv4[keys->ipv4s++] = line;
    } else if (line->admitted && line->has & HAS_IPV6) {
        uint8_t *const key = keys->ipv6.keys[keys->ipv6s];
        macs_store16(key, line->vrf);
        memcpy(key + 2, data + line->ip6 + 24, 16);
        memcpy(keys->ipv6_groups.keys[keys->ipv6s], key, 18);
        keys->to_ipv6[keys->ipv6s++] = line;
    }
}

static inline void bare_routes_4(struct bare_keys *keys) {
    const uint32_t count = keys->ipv4s;
    macs_lpm_trie_bulk_start(STATE_OF(ingress_routing_lookup_ipv4_table), &keys->ipv4, count, 6,
                             DEFAULT_OF(ingress_routing_lookup_ipv4_table));
    macs_exact_packed_bulk_start(STATE_OF(ingress_routing_lookup_ipv4_multicast_table), &keys->ipv4_groups, count, 42,
                                 17);
    for (uint32_t i = 0; i < count; i++) {
        const struct ingress_routing_lookup_ipv4_table_entry *const entry = (const void *)keys->ipv4.entries[i];
        struct line *const line = keys->to_ipv4[i];
        uint64_t group;
        switch (entry->head.action) {
        case ingress_routing_lookup_ipv4_table_action_set_nexthop_id_and_metadata:
            line->metadata = entry->as_set_nexthop_id_and_metadata.route_metadata;
            /* falls through */
        case ingress_routing_lookup_ipv4_table_action_set_nexthop_id:
            line->by_nexthop = true;
            line->nexthop = entry->as_set_nexthop_id.nexthop_id;
            break;
        case ingress_routing_lookup_ipv4_table_action_set_wcmp_group_id_and_metadata:
            line->metadata = entry->as_set_wcmp_group_id_and_metadata.route_metadata;
            /* falls through */
        case ingress_routing_lookup_ipv4_table_action_set_wcmp_group_id:
            line->by_wcmp = true;
            line->wcmp = entry->as_set_wcmp_group_id.wcmp_group_id;
            break;
        case ingress_routing_lookup_ipv4_table_action_set_metadata_and_drop:
            line->metadata = entry->as_set_metadata_and_drop.route_metadata;
            break;
        default:
            break;
        }
        macs_exact_packed_bulk_step(&keys->ipv4_groups, i, 17);
        if (macs_exact_packed_bulk_finish(&keys->ipv4_groups, i, 17, &group))
            line->group = (uint16_t)(group >> 1);
    }
}

static inline void bare_routes_6(struct bare_keys *keys) {
    const uint32_t count = keys->ipv6s;
    const void *const groups = STATE_OF(ingress_routing_lookup_ipv6_multicast_table);
    macs_exact_hash_bulk_start(groups, &keys->ipv6_groups, count, 18,
                               DEFAULT_OF(ingress_routing_lookup_ipv6_multicast_table));
    macs_lpm_trie_bulk_start(STATE_OF(ingress_routing_lookup_ipv6_table), &keys->ipv6, count, 18,
                             DEFAULT_OF(ingress_routing_lookup_ipv6_table));
    macs_exact_hash_bulk_step(groups, &keys->ipv6_groups, count);
    macs_exact_hash_bulk_finish(groups, &keys->ipv6_groups, count, 18);
    for (uint32_t i = 0; i < count; i++) {
        const struct ingress_routing_lookup_ipv6_table_entry *const entry = (const void *)keys->ipv6.entries[i];
        const struct ingress_routing_lookup_ipv6_multicast_table_entry *const group =
            (const void *)keys->ipv6_groups.entries[i];
        struct line *const line = keys->to_ipv6[i];
        switch (entry->head.action) {
        case ingress_routing_lookup_ipv6_table_action_set_nexthop_id_and_metadata:
            line->metadata = entry->as_set_nexthop_id_and_metadata.route_metadata;
            /* falls through */
        case ingress_routing_lookup_ipv6_table_action_set_nexthop_id_1:
            line->by_nexthop = true;
            line->nexthop = entry->as_set_nexthop_id_1.nexthop_id;
            break;
        case ingress_routing_lookup_ipv6_table_action_set_wcmp_group_id_and_metadata:
            line->metadata = entry->as_set_wcmp_group_id_and_metadata.route_metadata;
            /* falls through */
        case ingress_routing_lookup_ipv6_table_action_set_wcmp_group_id:
            line->by_wcmp = true;
            line->wcmp = entry->as_set_wcmp_group_id.wcmp_group_id;
            break;
        case ingress_routing_lookup_ipv6_table_action_set_metadata_and_drop:
            line->metadata = entry->as_set_metadata_and_drop.route_metadata;
            break;
        default:
            break;
        }
        if (group->head.action == ingress_routing_lookup_ipv6_multicast_table_action_set_multicast_group_id)
            line->group = group->as_set_multicast_group_id.multicast_group_id;
    }
}

/* Bytes 0 to 39 of the key of the first access list at ingress. */
static inline void bare_acl_key(const struct line *line, const uint8_t *data, uint8_t *key) {
    const uint8_t *const ip4 = bare_ip4(line, data), *const ip6 = bare_ip6(line, data);
    const uint32_t class = bare_class(line, data);
    bare_kind(line, key);
    macs_store16(key + 3, line->type);
    memcpy(key + 5, data, 6);
    memcpy(key + 11, ip4 + 12, 8);
    memcpy(key + 19, ip6 + 8, 8);
    memcpy(key + 27, ip6 + 24, 8);
    key[35] = bare_ttl(line, data);
    key[36] = (uint8_t)(class >> 2);
    key[37] = class & 3;
    key[38] = (uint8_t)bare_protocol(line, data);
    key[39] = line->icmp ? data[line->icmp] : 0;
}

/* What the first access list at ingress says. */
static inline void bare_acl(struct macs_worker *worker, struct line *line, const struct macs_ternary_cells_bulk *lookup,
                            uint32_t at, uint32_t length) {
    const struct ingress_acl_ingress_acl_ingress_table_entry *const entry = (const void *)lookup->entries[at];
    if ((const void *)entry != lookup->miss) {
        macs_meter_execute(externs[ingress_acl_ingress_acl_ingress_meter_extern], worker, entry->head.index, length);
        COUNT(ingress_acl_ingress_acl_ingress, entry->head.index, length);
    }
    switch (entry->head.action) {
    case ingress_acl_ingress_acl_ingress_table_action_acl_trap:
        line->dropped = true;
        line->copied = true;
        break;
    case ingress_acl_ingress_acl_ingress_table_action_acl_copy:
        line->copied = true;
        break;
    case ingress_acl_ingress_acl_ingress_table_action_acl_mirror:
        line->mirrored = true;
        line->session = entry->as_acl_mirror.mirror_session_id;
        break;
    case ingress_acl_ingress_acl_ingress_table_action_acl_drop:
        line->dropped = true;
        break;
    default:
        break;
    }
}

/* The hash that chooses a member of a group. */
static inline uint64_t bare_chosen(const struct line *line, const uint8_t *data) {
    uint8_t list[48] = {0};
    const uint64_t ports = (uint64_t)line->source << 16 | line->destination;
    if (line->has & HAS_IPV4) {
        memcpy(list + 4, data + line->ip4 + 12, 8);
        macs_store32(list + 12, ports);
        return macs_checksum_crc32((struct macs_bytes){list, 16, NULL, 0}) & 0xff;
    }
    const uint8_t *const ip = data + line->ip6;
    uint64_t before = macs_load32(ip) & 0xfffff; /* 20 bits: what follows is not at a byte */
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t word = macs_load64(ip + 8 + 8 * i);
        macs_store64(list + 4 + 8 * i, before << 44 | word >> 20);
        before = word;
    }
    macs_store64(list + 36, before << 44 | ports << 12);
    return macs_checksum_crc32((struct macs_bytes){list, 43, NULL, 0}) & 0xff;
}

/* Next hops of groups, one member each. */
static inline void bare_groups(struct bare_keys *keys) {
    macs_exact_index_bulk_start(STATE_OF(ingress_routing_resolution_wcmp_group_table), &keys->wcmp, keys->wcmps, 2,
                                DEFAULT_OF(ingress_routing_resolution_wcmp_group_table));
    for (uint32_t i = 0; i < keys->wcmps; i++) {
        const struct macs_entry *const entry = keys->wcmp.entries[i];
        const uint64_t chosen =
            entry->action == MACS_INDIRECT_GROUP ? bare_chosen(keys->to_wcmp[i], keys->data_of_wcmp[i]) : 0;
        macs_profile_follow(externs[ingress_routing_resolution_wcmp_group_selector_extern], entry, chosen,
                            &keys->choices[i]);
    }
    for (uint32_t i = 0; i < keys->wcmps; i++)
        macs_profile_lead(MACS_PROFILE_AT_GROUP, &keys->choices[i]);
    for (uint32_t i = 0; i < keys->wcmps; i++)
        macs_profile_lead(MACS_PROFILE_AT_LIST, &keys->choices[i]);
    for (uint32_t i = 0; i < keys->wcmps; i++) {
        const struct ingress_routing_resolution_wcmp_group_table_entry *const entry =
            (const void *)macs_profile_chosen(&keys->choices[i]);
        struct line *const line = keys->to_wcmp[i];
        if (entry->head.action == ingress_routing_resolution_wcmp_group_table_action_set_nexthop_id_2) {
            line->by_nexthop = true;
            line->nexthop = entry->as_set_nexthop_id_2.nexthop_id;
        }
        if (!line->by_nexthop)
            continue;
        keys->nexthop.keys[keys->nexthops] = line->nexthop;
        keys->to_nexthop[keys->nexthops++] = line;
    }
}

/* A packet goes to a neighbour of a router interface. */
static inline void bare_to_interface(struct bare_keys *keys, struct line *line, uint16_t interface, macs_w2 neighbor,
                                     uint8_t rewrites) {
    uint8_t *const key = keys->neighbor.keys[keys->interfaces];
    macs_store16(key, interface);
    macs_store64(key + 2, neighbor.limb[1]);
    macs_store64(key + 10, neighbor.limb[0]);
    keys->interface.keys[keys->interfaces] = interface;
    keys->to_interface[keys->interfaces++] = line;
    line->rewrites = rewrites;
}

static inline void bare_nexthops(struct bare_keys *keys) {
    const uint8_t all = NEW_TTL | NEW_SOURCE | NEW_TARGET | NEW_VLAN;
    macs_exact_index_bulk_start(STATE_OF(ingress_routing_resolution_nexthop_table), &keys->nexthop, keys->nexthops, 2,
                                DEFAULT_OF(ingress_routing_resolution_nexthop_table));
    for (uint32_t i = 0; i < keys->nexthops; i++) {
        const bare_nexthop *const entry = (const void *)keys->nexthop.entries[i];
        struct line *const line = keys->to_nexthop[i];
        switch (entry->head.action) {
        case ingress_routing_resolution_nexthop_table_action_set_p2p_tunnel_encap_nexthop:
            keys->tunnel.keys[keys->tunnels] = entry->as_set_p2p_tunnel_encap_nexthop.tunnel_id;
            keys->to_tunnel[keys->tunnels++] = line;
            break;
        case ingress_routing_resolution_nexthop_table_action_set_nexthop:
        case ingress_routing_resolution_nexthop_table_action_set_ip_nexthop:
            bare_to_interface(keys, line, entry->as_set_nexthop.router_interface_id, entry->as_set_nexthop.neighbor_id,
                              all);
            break;
        case ingress_routing_resolution_nexthop_table_action_set_ip_nexthop_and_disable_rewrites:
            bare_to_interface(
                keys, line, entry->as_set_ip_nexthop_and_disable_rewrites.router_interface_id,
                entry->as_set_ip_nexthop_and_disable_rewrites.neighbor_id,
                (uint8_t)((entry->as_set_ip_nexthop_and_disable_rewrites.disable_decrement_ttl ? 0 : NEW_TTL) |
                          (entry->as_set_ip_nexthop_and_disable_rewrites.disable_src_mac_rewrite ? 0 : NEW_SOURCE) |
                          (entry->as_set_ip_nexthop_and_disable_rewrites.disable_dst_mac_rewrite ? 0 : NEW_TARGET) |
                          (entry->as_set_ip_nexthop_and_disable_rewrites.disable_vlan_rewrite ? 0 : NEW_VLAN)));
            break;
        default:
            break;
        }
    }
    macs_exact_index_bulk_start(STATE_OF(ingress_routing_resolution_tunnel_table), &keys->tunnel, keys->tunnels, 2,
                                DEFAULT_OF(ingress_routing_resolution_tunnel_table));
    for (uint32_t i = 0; i < keys->tunnels; i++) {
        const bare_tunnel *const entry = (const void *)keys->tunnel.entries[i];
        struct line *const line = keys->to_tunnel[i];
        if ((const void *)entry == keys->tunnel.miss)
            continue;
        line->tunnel = entry;
        bare_to_interface(keys, line, entry->as_mark_for_p2p_tunnel_encap.router_interface_id,
                          entry->as_mark_for_p2p_tunnel_encap.encap_dst_ip, all);
    }
}

static inline void bare_interfaces(struct bare_keys *keys) {
    const uint32_t count = keys->interfaces;
    const void *const neighbors = STATE_OF(ingress_routing_resolution_neighbor_table);
    macs_exact_hash_bulk_start(neighbors, &keys->neighbor, count, 18,
                               DEFAULT_OF(ingress_routing_resolution_neighbor_table));
    macs_exact_index_bulk_start(STATE_OF(ingress_routing_resolution_router_interface_table), &keys->interface, count, 2,
                                DEFAULT_OF(ingress_routing_resolution_router_interface_table));
    macs_exact_hash_bulk_step(neighbors, &keys->neighbor, count);
    macs_exact_hash_bulk_finish(neighbors, &keys->neighbor, count, 18);
    for (uint32_t i = 0; i < count; i++) {
        const struct ingress_routing_resolution_router_interface_table_entry *const interface =
            (const void *)keys->interface.entries[i];
        const struct ingress_routing_resolution_neighbor_table_entry *const neighbor =
            (const void *)keys->neighbor.entries[i];
        struct line *const line = keys->to_interface[i];
        if ((const void *)interface != keys->interface.miss) {
            const bool tagged =
                interface->head.action ==
                ingress_routing_resolution_router_interface_table_action_set_port_and_src_mac_and_vlan_id;
            line->port = interface->as_set_port_and_src_mac.port;
            line->source_mac = interface->as_set_port_and_src_mac.src_mac;
            line->new_vlan = tagged ? interface->as_set_port_and_src_mac_and_vlan_id.vlan_id : NO_VLAN;
        }
        if ((const void *)neighbor != keys->neighbor.miss)
            line->target_mac = neighbor->as_set_dst_mac.dst_mac;
    }
}

/* The port that a session's copies leave by. */
static inline uint16_t bare_mirror_port(uint16_t session) {
    uint8_t key[2];
    struct macs_exact_index_cursor cursor;
    macs_store16(key, session);
    const void *const table = STATE_OF(ingress_mirror_session_lookup_mirror_session_table);
    macs_exact_index_start(table, key, 2, &cursor);
    const struct ingress_mirror_session_lookup_mirror_session_table_entry *const entry =
        (const void *)macs_exact_index_finish(table, key, 2, &cursor);
    if (!entry ||
        entry->head.action !=
            ingress_mirror_session_lookup_mirror_session_table_action_mirror_with_vlan_tag_and_ipfix_encapsulation)
        return 0;
    return entry->as_mirror_with_vlan_tag_and_ipfix_encapsulation.monitor_port;
}

/* Addresses that no packet may have. */
static inline bool bare_is_martian(const struct line *line, const uint8_t *data) {
    if (data[0] & 1)
        return true;
    if (line->has & HAS_IPV4) {
        const uint32_t source = (uint32_t)macs_load32(data + line->ip4 + 12),
                       target = (uint32_t)macs_load32(data + line->ip4 + 16);
        return source >> 28 == 14 || target >> 28 == 14 || source >> 24 == 127 || target >> 24 == 127 ||
               source == UINT32_MAX || target == UINT32_MAX;
    }
    if (!(line->has & HAS_IPV6))
        return false;
    const uint8_t *const source = data + line->ip6 + 8, *const target = source + 16;
    return source[0] == 0xff || target[0] == 0xff || (!macs_load64(source) && macs_load64(source + 8) == 1) ||
           (!macs_load64(target) && macs_load64(target + 8) == 1);
}

/* Copies, and what becomes of the packets. */
static inline void bare_leave(struct bare_keys *keys, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct line *const line = keys->lines[i];
        if (line->mirrored)
            line->mirror_port = bare_mirror_port(line->session);
        keys->clone.keys[i][0] = line->copied;
        keys->clone.keys[i][1] = line->mirrored;
        macs_store16(keys->clone.keys[i] + 2, line->mirror_port);
    }
    macs_ternary_cells_bulk_start(STATE_OF(ingress_ingress_cloning_ingress_clone_table), &keys->clone, count, 4,
                                  DEFAULT_OF(ingress_ingress_cloning_ingress_clone_table));
    for (uint32_t i = 0; i < count; i++) {
        struct line *const line = keys->lines[i];
        struct macs_packet *const packet = keys->packets[i];
        const struct ingress_ingress_cloning_ingress_clone_table_entry *const entry =
            (const void *)keys->clone.entries[i];
        if ((const void *)entry != keys->clone.miss)
            macs_request_clone_ingress(packet, entry->as_ingress_clone.clone_session, 1);
        if (line->dropped || bare_is_martian(line, keys->data[i])) {
            packet->verdict = MACS_DROP;
        } else if (line->group) {
            packet->multicast_group = line->group;
            packet->verdict = MACS_REPLICATE;
        } else {
            packet->egress_port = line->port;
            packet->verdict = line->port == NO_PORT ? MACS_DROP : MACS_FORWARD;
        }
    }
}

/* Whether packets with a tag are not routed: of all packets, as the key is a constant. */
static inline bool bare_checks_vlan(void) {
    const uint8_t key[MACS_TERNARY_CELLS_BULK_READ] = {1};
    struct macs_ternary_cells_cursor cursor;
    const void *const table = STATE_OF(ingress_vlan_untag_disable_vlan_checks_table);
    macs_ternary_cells_start(table, key, 1, &cursor);
    return !macs_ternary_cells_finish(table, key, 1, &cursor);
}

static void bare_ingress(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    static _Thread_local struct bare_keys own;
    struct bare_keys *const keys = &own;
    const bool checks = bare_checks_vlan();
    uint32_t used = 0;
    keys->ipv4s = keys->ipv6s = keys->wcmps = keys->nexthops = keys->tunnels = keys->interfaces = keys->ends = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *const packet = packets[i];
        struct line *const line = &((struct bare_state *)packet)->line;
        if (!bare_parse(line, packet->data, packet->length)) {
            packet->verdict = MACS_DROP;
            continue;
        }
        bare_first_keys(keys, used, line, packet->data, packet->ingress_port);
        keys->packets[used] = packet;
        keys->data[used] = packet->data;
        keys->lines[used++] = line;
    }
    bare_tunnels_end(keys);
    macs_ternary_cells_bulk_start(STATE_OF(ingress_acl_pre_ingress_acl_pre_ingress_table), &keys->pre_ingress, used,
                                  PRE_INGRESS_BYTES, DEFAULT_OF(ingress_acl_pre_ingress_acl_pre_ingress_table));
    macs_ternary_cells_bulk_start(STATE_OF(ingress_l3_admit_l3_admit_table), &keys->admit, used, 8,
                                  DEFAULT_OF(ingress_l3_admit_l3_admit_table));
    for (uint32_t i = 0; i < used; i++)
        bare_admit(worker, keys, i, checks);
    bare_routes_4(keys);
    bare_routes_6(keys);
    bare_lists(worker, keys, used);
    for (uint32_t i = 0; i < used; i++) {
        struct line *const line = keys->lines[i];
        if (!line->admitted)
            continue;
        if (line->by_wcmp) {
            keys->wcmp.keys[keys->wcmps] = line->wcmp;
            keys->data_of_wcmp[keys->wcmps] = keys->data[i];
            keys->to_wcmp[keys->wcmps++] = line;
        } else if (line->by_nexthop) {
            keys->nexthop.keys[keys->nexthops] = line->nexthop;
            keys->to_nexthop[keys->nexthops++] = line;
        }
    }
    bare_groups(keys);
    bare_nexthops(keys);
    bare_interfaces(keys);
    bare_leave(keys, used);
}

/* A clone begins as its packet came, and keeps one bit of what has been found out. */
static void bare_clone(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    (void)worker;
    for (uint32_t i = 0; i < count; i++) {
        struct line *const line = &((struct bare_state *)packets[i])->line;
        const bool checks = line->checks_vlan;
        bare_parse(line, packets[i]->data, packets[i]->length);
        line->checks_vlan = checks;
        line->vlan = 0;
        line->gone = 0;
        line->type = (uint16_t)macs_load16(packets[i]->data + 12);
        line->front = ETHERNET_BYTES;
    }
}

/* Before egress' access list: addresses, and the packet's lifetime. */
static inline void bare_rewrite(struct line *line, struct macs_packet *packet, const struct macs_entry *replica) {
    uint8_t *const data = packet->data;
    const struct egress_packet_rewrites_multicast_rewrites_multicast_router_interface_table_entry *const source =
        (const void *)replica;
    if (packet->instance_type == macs_program.instances.replicated) {
        line->rewrites |= NEW_TTL;
        if (source->head.action ==
            egress_packet_rewrites_multicast_rewrites_multicast_router_interface_table_action_set_multicast_src_mac) {
            line->rewrites |= NEW_SOURCE;
            line->source_mac = source->as_set_multicast_src_mac.src_mac;
        }
    }
    if (!(line->rewrites & NEW_SOURCE))
        line->source_mac = macs_load64(data + 6) >> 16;
    if (!(line->rewrites & NEW_TARGET))
        line->target_mac = macs_load64(data) >> 16;
    if (line->rewrites & NEW_VLAN)
        line->vlan = line->new_vlan;
    if (line->has) {
        uint8_t *const ttl = data + (line->has & HAS_IPV4 ? line->ip4 + 8 : line->ip6 + 7);
        if (*ttl && line->rewrites & NEW_TTL)
            --*ttl;
        line->dropped |= !*ttl;
    }
    line->dropped |= line->checks_vlan && line->vlan != 0 && line->vlan != NO_VLAN;
}

/* The headers of a tunnel in front of a packet. */
static inline void bare_into_tunnel(const struct line *line, const struct macs_packet *packet, uint8_t *to) {
    const uint8_t *const data = packet->data;
    const uint16_t bytes = (uint16_t)(packet->length - line->gone + 4 - ETHERNET_BYTES);
    macs_store64(to, UINT64_C(6) << 60 | (uint64_t)bare_class(line, data) << 52 | (uint64_t)bytes << 16 | 0x2f00 |
                         bare_ttl(line, data));
    macs_store64(to + 8, line->tunnel->as_mark_for_p2p_tunnel_encap.encap_src_ip.limb[1]);
    macs_store64(to + 16, line->tunnel->as_mark_for_p2p_tunnel_encap.encap_src_ip.limb[0]);
    macs_store64(to + 24, line->tunnel->as_mark_for_p2p_tunnel_encap.encap_dst_ip.limb[1]);
    macs_store64(to + 32, line->tunnel->as_mark_for_p2p_tunnel_encap.encap_dst_ip.limb[0]);
    macs_store32(to + 40, line->type);
}

/* Write the packet's headers where it is sent from, those behind first. */
static inline void bare_deparse(struct line *line, struct macs_packet *packet) {
    uint8_t headers[ETHERNET_BYTES + 4 + IPV6_BYTES + 4], *at = headers + sizeof(headers);
    uint8_t *const ip = packet->data + line->ip4;
    uint16_t type = line->type;
    if (line->has & HAS_IPV4)
        macs_store16(ip + 10, bare_checksum(ip));
    if (line->tunnel) {
        at -= IPV6_BYTES + 4;
        bare_into_tunnel(line, packet, at);
        type = 0x86dd;
    }
    if (line->vlan != 0 && line->vlan != NO_VLAN) {
        at -= 4;
        macs_store32(at, (uint64_t)line->vlan << 16 | type);
        type = 0x8100;
    }
    at -= ETHERNET_BYTES;
    macs_store64(at, line->target_mac << 16);
    macs_store64(at + 6, line->source_mac << 16 | type);
    const uint32_t bytes = (uint32_t)(headers + sizeof(headers) - at);
    if (macs_layout_resize(packet, line->front, bytes)) {
        packet->verdict = MACS_DROP;
        return;
    }
    memcpy(packet->data, at, bytes);
}

static void bare_egress(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    static _Thread_local struct macs_exact_hash_bulk replicas;
    static _Thread_local struct macs_ternary_cells_bulk acl;
    const void *const interfaces = STATE_OF(egress_packet_rewrites_multicast_rewrites_multicast_router_interface_table);
    const uint8_t clone = macs_program.instances.ingress_clone, replicated = macs_program.instances.replicated;
    uint32_t copies = 0, used = 0, at = 0;
    for (uint32_t i = 0; i < count; i++)
        if (packets[i]->instance_type == replicated)
            macs_store32(replicas.keys[copies++], packets[i]->egress_port << 16 | packets[i]->replica);
    macs_exact_hash_bulk_start(interfaces, &replicas, copies, 4,
                               DEFAULT_OF(egress_packet_rewrites_multicast_rewrites_multicast_router_interface_table));
    macs_exact_hash_bulk_step(interfaces, &replicas, copies);
    macs_exact_hash_bulk_finish(interfaces, &replicas, copies, 4);
    struct macs_packet *left[MACS_BURST_MAX];
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *const packet = packets[i];
        struct line *const line = &((struct bare_state *)packet)->line;
        if (packet->instance_type == clone && (packet->replica == TO_CONTROLLER || packet->replica == TO_MIRROR)) {
            packet->verdict = MACS_DROP;
            continue;
        }
        bare_rewrite(line, packet, packet->instance_type == replicated ? replicas.entries[at++] : NULL);
        bare_egress_key(line, packet->data, packet->egress_port, acl.keys[used]);
        left[used++] = packet;
    }
    macs_ternary_cells_bulk_start(STATE_OF(egress_acl_egress_acl_egress_table), &acl, used, EGRESS_BYTES,
                                  DEFAULT_OF(egress_acl_egress_acl_egress_table));
    for (uint32_t i = 0; i < used; i++) {
        struct line *const line = &((struct bare_state *)left[i])->line;
        const struct macs_entry *const entry = acl.entries[i];
        if (entry != acl.miss) {
            COUNT(egress_acl_egress_acl_egress, entry->index, left[i]->length);
            left[i]->verdict = MACS_DROP;
        } else if (line->dropped) {
            left[i]->verdict = MACS_DROP;
        } else {
            bare_deparse(line, left[i]);
        }
    }
}

#endif
