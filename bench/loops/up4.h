/* The bare loop beside a production program, ONOS's up4: what a burst costs where the code is written by hand.
 *
 * It is compiled with the C that macsad makes of the program, and takes the place of its pipelines: same tables, same
 * kernels, same entries, same counters and meters, same runtime. It parses what the program parses, makes the same
 * lookups, and writes the same headers and checksums, but only on the ways that generated frames take: IPv4 in UDP in
 * IPv4, which leaves its tunnel, or is put into one in place of the inner header. Other frames, packets from and to the
 * controller, and clones are dropped.
 * Written as one would write such a loop: what a packet carries along is one cache line, entries stand for what they
 * hold, headers stay in the frame until it is sent, and lookups that depend on each other no more are made together.
 * Threads: a worker's own.
 */
#ifndef MACSAD_BENCH_UP4_H
#define MACSAD_BENCH_UP4_H

#include "bare.h"

enum {
    ETHERNET_BYTES = 14,
    OUTER_IP = 14,
    OUTER_UDP = 34,
    INNER_IP = 42,
    IP_BYTES = 20,
    UDP_BYTES = 8,
    GTPU_BYTES = 8
};

/* With which a tunnel's header has eight bytes more. */
enum { SESSION_BYTES = 8 };

enum { UPLINK = 1, DOWNLINK = 2, RED = 2, NO_PORT = 511, CONTROLLER = 255 };

typedef struct PreQosPipe_tunnel_peers_entry bare_peer;
typedef struct PreQosPipe_terminations_downlink_entry bare_downlink;
typedef struct PreQosPipe_Routing_routes_v4_entry bare_route;

/* What a packet carries along. */
struct line {
    const bare_peer *peer; /* of the tunnel that it is put into; or NULL */
    const bare_route *route;
    uint32_t user, teid, counter, session_meter, app_meter;
    uint16_t ip;      /* where the header is by which it is routed, if it is put into no tunnel */
    uint16_t payload; /* behind all headers of the frame */
    uint16_t source, destination, port;
    uint8_t interface, direction, slice, class, session;
    bool dropped;
};

struct bare_state {
    struct macs_packet packet;
    struct line line;
};

struct bare_keys {
    struct macs_exact_packed_bulk stations;
    struct macs_bulk interfaces, peers, routes;
    struct macs_exact_hash_bulk up, down, ends_up, ends_down;
    struct macs_ternary_cells_bulk applications, acl;
    struct macs_profile_choice choices[MACS_BURST_MAX];
    struct macs_packet *packets[MACS_BURST_MAX], *own[MACS_BURST_MAX], *known[MACS_BURST_MAX], *routed[MACS_BURST_MAX];
    uint32_t packet_count, owns, knowns, routeds;
};

static inline struct line *bare_line(struct macs_packet *packet) {
    return &((struct bare_state *)packet)->line;
}

/* Parse a frame. Returns false if the program would have gone another way with it than this loop can. */
static inline bool bare_parse(struct line *line, const uint8_t *data, uint32_t length) {
    if (length < INNER_IP + IP_BYTES || macs_load16(data + 12) != 0x800 || data[OUTER_IP + 9] != 17 ||
        macs_load16(data + OUTER_UDP + 2) != 9875)
        return false;
    *line = (struct line){.ip = OUTER_IP, .payload = INNER_IP + IP_BYTES};
    const uint8_t *const layer4 = data + INNER_IP + IP_BYTES, *ports = data + OUTER_UDP;
    uint32_t bytes = 0;
    switch (data[INNER_IP + 9]) {
    case 1:
        bytes = 16;
        break;
    case 6:
        bytes = 20;
        ports = layer4;
        break;
    case 17:
        bytes = 8;
        ports = layer4;
        break;
    default:
        break;
    }
    if (length < line->payload + bytes)
        return false;
    line->payload = (uint16_t)(line->payload + bytes);
    line->source = (uint16_t)macs_load16(ports);
    line->destination = (uint16_t)macs_load16(ports + 2);
    return true;
}

static inline void bare_route_by(struct bare_keys *keys, struct macs_packet *packet, uint32_t address) {
    keys->routes.keys[keys->routeds] = address;
    keys->routed[keys->routeds++] = packet;
}

/* Packets to this station, by the interface that they come to. */
static inline void bare_stations(struct bare_keys *keys, uint32_t count) {
    macs_exact_packed_bulk_start(STATE_OF(PreQosPipe_my_station), &keys->stations, count, 48, 0);
    for (uint32_t i = 0; i < count; i++)
        macs_exact_packed_bulk_step(&keys->stations, i, 0);
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *const packet = keys->packets[i];
        uint64_t nothing;
        if (!macs_exact_packed_bulk_finish(&keys->stations, i, 0, &nothing)) {
            packet->egress_port = 0;
            packet->verdict = MACS_FORWARD;
            continue;
        }
        keys->interfaces.keys[keys->owns] = (uint32_t)macs_load32(packet->data + OUTER_IP + 16);
        keys->own[keys->owns++] = packet;
    }
}

/* Which way packets go, the keys of their sessions and applications. */
static inline void bare_sessions(struct bare_keys *keys) {
    const void *const up = STATE_OF(PreQosPipe_sessions_uplink), *const down = STATE_OF(PreQosPipe_sessions_downlink);
    uint32_t ups = 0, downs = 0;
    macs_lpm_dir24_bulk_start(STATE_OF(PreQosPipe_interfaces), &keys->interfaces, keys->owns, 4,
                              DEFAULT_OF(PreQosPipe_interfaces));
    for (uint32_t i = 0; i < keys->owns; i++) {
        const struct PreQosPipe_interfaces_entry *const entry = (const void *)keys->interfaces.entries[i];
        struct macs_packet *const packet = keys->own[i];
        struct line *const line = bare_line(packet);
        const uint8_t *const outer = packet->data + OUTER_IP, *const inner = packet->data + INNER_IP;
        line->interface = entry->as_set_source_iface.src_iface;
        line->direction = entry->as_set_source_iface.direction;
        line->slice = entry->as_set_source_iface.slice_id;
        if ((const void *)entry == keys->interfaces.miss) {
            bare_route_by(keys, packet, (uint32_t)macs_load32(outer + 16));
            continue;
        }
        uint8_t *const key = keys->applications.keys[keys->knowns];
        key[0] = line->slice;
        if (line->direction == UPLINK) {
            macs_store64(keys->up.keys[ups++], macs_load32(outer + 16) << 32);
            line->user = (uint32_t)macs_load32(inner + 12);
            macs_store16(key + 1, line->destination);
            key[3] = inner[9];
            memcpy(key + 4, inner + 16, 4);
        } else if (line->direction == DOWNLINK) {
            macs_store32(keys->down.keys[downs++], macs_load32(outer + 16));
            line->user = (uint32_t)macs_load32(outer + 16);
            macs_store16(key + 1, line->source);
            key[3] = outer[9];
            memcpy(key + 4, outer + 12, 4);
        } else {
            memset(key + 1, 0, 7);
        }
        keys->known[keys->knowns++] = packet;
    }
    macs_exact_hash_bulk_start(up, &keys->up, ups, 8, DEFAULT_OF(PreQosPipe_sessions_uplink));
    macs_exact_hash_bulk_start(down, &keys->down, downs, 4, DEFAULT_OF(PreQosPipe_sessions_downlink));
    macs_ternary_cells_bulk_start(STATE_OF(PreQosPipe_applications), &keys->applications, keys->knowns, 8,
                                  DEFAULT_OF(PreQosPipe_applications));
    macs_exact_hash_bulk_step(up, &keys->up, ups);
    macs_exact_hash_bulk_step(down, &keys->down, downs);
    macs_exact_hash_bulk_finish(up, &keys->up, ups, 8);
    macs_exact_hash_bulk_finish(down, &keys->down, downs, 4);
}

static inline void bare_uplink(struct line *line, const struct macs_entry *found) {
    const struct PreQosPipe_sessions_uplink_entry *const entry = (const void *)found;
    switch (entry->head.action) {
    case PreQosPipe_sessions_uplink_action_set_session_uplink:
        line->ip = INNER_IP;
        line->session_meter = entry->as_set_session_uplink.session_meter_idx;
        break;
    case PreQosPipe_sessions_uplink_action_set_session_uplink_drop:
        line->dropped = true;
        break;
    default:
        line->direction = 0;
        break;
    }
}

static inline void bare_downlink_of(struct line *line, const struct macs_entry *found) {
    const struct PreQosPipe_sessions_downlink_entry *const entry = (const void *)found;
    switch (entry->head.action) {
    case PreQosPipe_sessions_downlink_action_set_session_downlink:
        line->session = entry->as_set_session_downlink.tunnel_peer_id;
        line->session_meter = entry->as_set_session_downlink.session_meter_idx;
        break;
    case PreQosPipe_sessions_downlink_action_set_session_downlink_drop:
        line->dropped = true;
        break;
    default:
        line->direction = 0;
        break;
    }
}

/* What sessions say, and where they end. */
static inline void bare_ends(struct bare_keys *keys) {
    const void *const up = STATE_OF(PreQosPipe_terminations_uplink), *const down =
                                                                         STATE_OF(PreQosPipe_terminations_downlink);
    uint32_t ups = 0, downs = 0, ends = 0, peers = 0;
    for (uint32_t i = 0; i < keys->knowns; i++) {
        const struct PreQosPipe_applications_entry *const application = (const void *)keys->applications.entries[i];
        struct line *const line = bare_line(keys->known[i]);
        uint8_t *key = NULL;
        if (line->direction == UPLINK) {
            bare_uplink(line, keys->up.entries[ups++]);
            if (line->direction)
                key = keys->ends_up.keys[ends++];
        } else if (line->direction == DOWNLINK) {
            bare_downlink_of(line, keys->down.entries[downs++]);
            if (line->direction) {
                keys->peers.keys[peers] = line->session;
                key = keys->ends_down.keys[peers++];
            }
        }
        if (key) {
            macs_store32(key, line->user);
            key[4] = application->as_set_app_id.app_id;
        }
    }
    macs_exact_hash_bulk_start(up, &keys->ends_up, ends, 5, DEFAULT_OF(PreQosPipe_terminations_uplink));
    macs_exact_hash_bulk_start(down, &keys->ends_down, peers, 5, DEFAULT_OF(PreQosPipe_terminations_downlink));
    macs_exact_index_bulk_start(STATE_OF(PreQosPipe_tunnel_peers), &keys->peers, peers, 1,
                                DEFAULT_OF(PreQosPipe_tunnel_peers));
    macs_exact_hash_bulk_step(up, &keys->ends_up, ends);
    macs_exact_hash_bulk_step(down, &keys->ends_down, peers);
    macs_exact_hash_bulk_finish(up, &keys->ends_up, ends, 5);
    macs_exact_hash_bulk_finish(down, &keys->ends_down, peers, 5);
}

/* Whether a session ends there; then what is counted. */
static inline bool bare_ends_up(struct line *line, const struct macs_entry *found) {
    const struct PreQosPipe_terminations_uplink_entry *const entry = (const void *)found;
    line->counter = entry->as_uplink_term_fwd.ctr_idx;
    if (entry->head.action == PreQosPipe_terminations_uplink_action_uplink_term_fwd) {
        line->app_meter = entry->as_uplink_term_fwd.app_meter_idx;
        line->class = entry->as_uplink_term_fwd.tc;
        return true;
    }
    line->dropped = true;
    return entry->head.action == PreQosPipe_terminations_uplink_action_uplink_term_drop;
}

static inline bool bare_ends_down(struct line *line, const struct macs_entry *found) {
    const bare_downlink *const entry = (const void *)found;
    line->counter = entry->as_downlink_term_fwd.ctr_idx;
    if (entry->head.action == PreQosPipe_terminations_downlink_action_downlink_term_fwd) {
        line->teid = entry->as_downlink_term_fwd.teid;
        line->session = entry->as_downlink_term_fwd.qfi;
        line->app_meter = entry->as_downlink_term_fwd.app_meter_idx;
        line->class = entry->as_downlink_term_fwd.tc;
        return true;
    }
    line->dropped = true;
    return entry->head.action == PreQosPipe_terminations_downlink_action_downlink_term_drop;
}

static inline bool bare_is_red(struct macs_worker *worker, const struct line *line, uint32_t length) {
    return (macs_meter_execute(externs[PreQosPipe_app_meter_extern], worker, line->app_meter, length) & 3) == RED ||
           (macs_meter_execute(externs[PreQosPipe_session_meter_extern], worker, line->session_meter, length) & 3) ==
               RED ||
           (macs_meter_execute(externs[PreQosPipe_slice_tc_meter_extern], worker,
                               (uint32_t)line->slice << 2 | line->class, length) &
            3) == RED;
}

/* Count and meter packets, and let them leave their tunnel or go into one. */
static inline void bare_meter(struct macs_worker *worker, struct bare_keys *keys) {
    uint32_t ups = 0, downs = 0;
    for (uint32_t i = 0; i < keys->knowns; i++) {
        struct macs_packet *const packet = keys->known[i];
        struct line *const line = bare_line(packet);
        bool known = false;
        if (line->direction == UPLINK) {
            known = bare_ends_up(line, keys->ends_up.entries[ups++]);
        } else if (line->direction == DOWNLINK) {
            const bare_peer *const peer = (const void *)keys->peers.entries[downs];
            if ((const void *)peer != keys->peers.miss)
                line->peer = peer;
            known = bare_ends_down(line, keys->ends_down.entries[downs++]);
        }
        if (known) {
            COUNT(PreQosPipe_pre_qos, line->counter, packet->length);
            known = !bare_is_red(worker, line, packet->length);
        }
        if (!known || line->dropped)
            packet->verdict = MACS_DROP;
        else
            bare_route_by(keys, packet,
                          line->peer ? line->peer->as_load_tunnel_param.dst_addr
                                     : (uint32_t)macs_load32(packet->data + line->ip + 16));
    }
}

static inline uint32_t bare_source(const struct line *line, const uint8_t *data) {
    return line->peer ? line->peer->as_load_tunnel_param.src_addr : (uint32_t)macs_load32(data + line->ip + 12);
}

static inline uint8_t bare_protocol(const struct line *line, const uint8_t *data) {
    return line->peer ? 17 : data[line->ip + 9];
}

static inline uint64_t bare_chosen(const struct line *line, const uint8_t *data) {
    uint8_t list[9];
    macs_store32(list, bare_source(line, data));
    list[4] = bare_protocol(line, data);
    macs_store32(list + 5, (uint32_t)line->source << 16 | line->destination);
    return macs_checksum_crc16((struct macs_bytes){list, sizeof list, NULL, 0}) & 0xffff;
}

static inline void bare_acl_key(struct bare_keys *keys, uint32_t at, const struct line *line,
                                const struct macs_packet *packet) {
    const uint8_t *const data = packet->data;
    uint8_t *const key = keys->acl.keys[at];
    macs_store16(key, packet->ingress_port);
    key[2] = line->interface;
    if (line->route) {
        macs_store64(key + 3, line->route->as_route.src_mac << 16);
        macs_store64(key + 9, line->route->as_route.dst_mac << 16);
    } else {
        memcpy(key + 3, data + 6, 6);
        memcpy(key + 9, data, 6);
    }
    macs_store16(key + 15, 0x800);
    macs_store32(key + 17, bare_source(line, data));
    macs_store32(key + 21, keys->routes.keys[at]);
    key[25] = bare_protocol(line, data);
    macs_store32(key + 26, (uint32_t)line->source << 16 | line->destination);
}

/* Whether a packet that is routed has lived long enough; one that goes into a tunnel lives on. */
static inline bool bare_is_old(const struct line *line, uint8_t *data) {
    return !line->peer && --data[line->ip + 8] == 0;
}

static inline void bare_routes(struct bare_keys *keys) {
    const uint32_t count = keys->routeds;
    uint32_t addresses[MACS_BURST_MAX];
    memcpy(addresses, keys->routes.keys, count * sizeof *addresses);
    macs_lpm_dir24_bulk_start(STATE_OF(PreQosPipe_Routing_routes_v4), &keys->routes, count, 4,
                              DEFAULT_OF(PreQosPipe_Routing_routes_v4));
    memcpy(keys->routes.keys, addresses, count * sizeof *addresses);
    for (uint32_t i = 0; i < count; i++) {
        const struct macs_entry *const entry = keys->routes.entries[i];
        const struct line *const line = bare_line(keys->routed[i]);
        macs_profile_follow(externs[hashed_selector_extern], entry,
                            entry->action == MACS_INDIRECT_GROUP ? bare_chosen(line, keys->routed[i]->data) : 0,
                            &keys->choices[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        macs_profile_lead(MACS_PROFILE_AT_GROUP, &keys->choices[i]);
    for (uint32_t i = 0; i < count; i++)
        macs_profile_lead(MACS_PROFILE_AT_LIST, &keys->choices[i]);
    for (uint32_t i = 0; i < count; i++) {
        const bare_route *const entry = (const void *)macs_profile_chosen(&keys->choices[i]);
        struct macs_packet *const packet = keys->routed[i];
        struct line *const line = bare_line(packet);
        if (bare_is_old(line, packet->data)) {
            line->port = NO_PORT;
        } else if (entry->head.action == PreQosPipe_Routing_routes_v4_action_route) {
            line->route = entry;
            line->port = entry->as_route.egress_port;
        }
        bare_acl_key(keys, i, line, packet);
    }
}

static inline void bare_acl(struct macs_worker *worker, struct bare_keys *keys) {
    macs_ternary_cells_bulk_start(STATE_OF(PreQosPipe_Acl_acls), &keys->acl, keys->routeds, 30,
                                  DEFAULT_OF(PreQosPipe_Acl_acls));
    for (uint32_t i = 0; i < keys->routeds; i++) {
        const struct PreQosPipe_Acl_acls_entry *const entry = (const void *)keys->acl.entries[i];
        struct macs_packet *const packet = keys->routed[i];
        struct line *const line = bare_line(packet);
        if ((const void *)entry != keys->acl.miss)
            macs_counter_add(externs[acls_extern], worker, entry->head.index, packet->length);
        switch (entry->head.action) {
        case PreQosPipe_Acl_acls_action_set_port:
            line->port = entry->as_set_port.port;
            break;
        case PreQosPipe_Acl_acls_action_punt:
            line->port = CONTROLLER;
            break;
        case PreQosPipe_Acl_acls_action_clone_to_cpu:
            macs_request_clone_ingress(packet, 99, 1);
            break;
        case PreQosPipe_Acl_acls_action_drop:
            line->port = NO_PORT;
            break;
        default:
            break;
        }
        packet->egress_port = line->port;
        packet->verdict = line->port == NO_PORT ? MACS_DROP : MACS_FORWARD;
    }
}

static void bare_ingress(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    static _Thread_local struct bare_keys own;
    struct bare_keys *const keys = &own;
    uint32_t used = 0;
    keys->owns = keys->knowns = keys->routeds = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *const packet = packets[i];
        if (!bare_parse(bare_line(packet), packet->data, packet->length)) {
            packet->verdict = MACS_DROP;
            continue;
        }
        keys->stations.keys[used] = macs_load64(packet->data) >> 16;
        keys->packets[used++] = packet;
    }
    bare_stations(keys, used);
    bare_sessions(keys);
    bare_ends(keys);
    bare_meter(worker, keys);
    bare_routes(keys);
    bare_acl(worker, keys);
}

/* None that has begun here is sent. */
static void bare_clone(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    (void)worker;
    (void)packets;
    (void)count;
}

/* The headers of a tunnel, and behind them those of the packet up to UDP. Returns how many bytes. */
static inline uint32_t bare_into_tunnel(const struct line *line, const uint8_t *ip, uint8_t *to) {
    const struct PreQosPipe_tunnel_peers_entry *const peer = line->peer;
    const uint32_t more = line->session ? SESSION_BYTES : 0, length = (uint32_t)macs_load16(ip + 2);
    uint8_t *const udp = to + IP_BYTES, *const gtpu = udp + UDP_BYTES, *const inner = gtpu + GTPU_BYTES + more;
    const uint32_t tunnelled = length + UDP_BYTES + GTPU_BYTES + more;
    macs_store64(to, UINT64_C(0x45) << 56 | (uint64_t)(uint16_t)(tunnelled + IP_BYTES) << 32 | UINT64_C(0x15130000));
    macs_store32(to + 8, 0x3f110000);
    macs_store32(to + 12, peer->as_load_tunnel_param.src_addr);
    macs_store32(to + 16, peer->as_load_tunnel_param.dst_addr);
    macs_store16(to + 10, bare_checksum(to));
    macs_store64(udp, (uint64_t)peer->as_load_tunnel_param.sport << 48 | UINT64_C(2152) << 32 |
                          (uint64_t)(uint16_t)tunnelled << 16);
    macs_store64(gtpu,
                 (uint64_t)(more ? 0x34ff : 0x30ff) << 48 | (uint64_t)(uint16_t)(length + more) << 32 | line->teid);
    if (more)
        macs_store64(gtpu + GTPU_BYTES, UINT64_C(0x8501000000) | (uint64_t)line->session << 8);
    memcpy(inner, ip, IP_BYTES + UDP_BYTES);
    macs_store16(inner + 10, bare_checksum(ip));
    return (uint32_t)(inner - to) + IP_BYTES + UDP_BYTES;
}

/* Write the packet's headers where it is sent from. */
static inline void bare_deparse(const struct line *line, struct macs_packet *packet) {
    uint8_t headers[ETHERNET_BYTES + 2 * (IP_BYTES + UDP_BYTES) + GTPU_BYTES + SESSION_BYTES];
    uint8_t *const data = packet->data, *const ip = data + line->ip;
    uint32_t front = line->ip, bytes = ETHERNET_BYTES;
    if (line->route) {
        macs_store64(headers, line->route->as_route.dst_mac << 16);
        macs_store64(headers + 6, line->route->as_route.src_mac << 16 | 0x800);
    } else {
        memcpy(headers, data, ETHERNET_BYTES);
    }
    if (line->peer) {
        front = line->payload;
        bytes += bare_into_tunnel(line, ip, headers + ETHERNET_BYTES);
    } else {
        macs_store16(ip + 10, bare_checksum(ip));
        if (line->ip == OUTER_IP)
            macs_store16(data + INNER_IP + 10, bare_checksum(data + INNER_IP));
    }
    if (macs_layout_resize(packet, front, bytes)) {
        packet->verdict = MACS_DROP;
        return;
    }
    memcpy(packet->data, headers, bytes);
}

static void bare_egress(struct macs_worker *worker, struct macs_packet *const packets[], unsigned count) {
    for (uint32_t i = 0; i < count; i++) {
        struct macs_packet *const packet = packets[i];
        const struct line *const line = bare_line(packet);
        if (packet->instance_type == macs_program.instances.ingress_clone || packet->egress_port == CONTROLLER) {
            packet->verdict = MACS_DROP;
            continue;
        }
        COUNT(PostQosPipe_post_qos, line->counter, packet->length);
        bare_deparse(line, packet);
    }
}

#endif
