/* Hand-written loops beside apps/flows, heavyhitter, firewall, policer and balancer: what each does to a frame and its
 * state, no more, with the same hashes, the same memory and the same prefetching.
 *
 * A loop takes a burst in rounds: each round works on all frames and prefetches what the next one reads. Control plane,
 * several workers, tables that grow and what else a frame could be are left out: all frames are IPv4 with ports, and
 * hit. The firewall's sink has replies. The balancer's services, groups and members can change while frames flow, as
 * a balancer's must: a service is found by its key, a group and a member stand at addresses that are changed. Its first
 * frame enters a service, as a control plane would. Contests, NUMBER: frames in a burst. Usage: stateful SOURCE SINK
 * BUFFERS LENGTH: the names of the ports, packets of the pool and the bytes of each.
 */
#include <macs/checksum.h>
#include <macs/prefetch.h>
#include <odp_api.h>
#include <string.h>

#include "ports.h"
#include "probe.h"
#include "tables/common/memory.h"

enum { BURST_MAX = 256, ROUNDS = 64, IPV4 = 14, ADDRESSES = 26, TRANSPORT = 34, FLOW = 13, ROWS = 4 };

#define FLOWS ((uint32_t)1 << 20)
#define OPENED ((uint32_t)1 << 24)
#define ROW ((uint32_t)1 << 24)
#define SUBSCRIBERS ((uint32_t)1 << 20)
#define SERVICES ((uint32_t)1 << 16)
#define MEMBERS 4u
#define SLOTS 4u
#define BUCKETS_LOG2 15
#define BUCKETS ((uint32_t)1 << BUCKETS_LOG2) /* half full */

struct count {
    uint64_t packets, bytes;
};

/* As a meter's cell: a line. */
struct bucket {
    _Alignas(64) uint64_t last_ns;
    double committed, peak, rates[4];
};

struct server {
    uint8_t macs[12];
    uint32_t port;
};

/* Four a line; no key is zero. */
struct service {
    uint64_t key;
    uint32_t group;
};
struct bucket_of_services {
    _Alignas(64) struct service slots[4];
};

/* A line, as a group that is changed by another in its place; a slot with a head, as a member. */
struct group {
    _Alignas(64) uint32_t members[16];
};
struct member {
    uint64_t head;
    struct server server;
};

/* What all loops have: a frame, where its state is, and what was found. */
struct work {
    uint8_t *frame;
    uint32_t place[ROWS];
    uint64_t key[2];
    const void *at;
};

static struct ports ports;
static odp_pktin_queue_t back_input;
static odp_pktout_queue_t back_output;
static uint8_t *opened[2];
static uint64_t refused;
static uint64_t now_ns;
static struct flow_key { uint64_t words[2]; } * flow_of;
static uint32_t *flow_packets, *rows;
static uint64_t *flow_bytes, *flow_first, *flow_last, *words;
static struct bucket *buckets;
static struct count *counts;
static struct bucket_of_services *services;
static struct group *lists, **group_at;
static struct member *members, **server_at;

/* Both addresses, both ports, the protocol: one after the other. */
static void gather_flow(const uint8_t *frame, uint8_t flow[16]) {
    memcpy(flow, frame + ADDRESSES, 12);
    flow[12] = frame[23];
    memset(flow + 13, 0, 3);
}

static uint32_t crc(const uint8_t *bytes, uint32_t length) {
    return (uint32_t)macs_checksum_crc32((struct macs_bytes){bytes, length, NULL, 0});
}

/* A number of so many bytes, the first the most significant. */
static inline uint64_t number(const uint8_t *bytes, unsigned count) {
    uint64_t made = 0;
    for (unsigned at = 0; at < count; at++)
        made = made << 8 | bytes[at];
    return made;
}

/* Of 13 bytes as a number. They are stored in words as they are loaded: others would be waited for. */
static uint32_t crc_of_number(uint64_t high, uint64_t low) {
    const uint64_t list[2] = {odp_cpu_to_be_64(high), odp_cpu_to_be_64(low)};
    return crc((const uint8_t *)list + 3, FLOW);
}

/* Of both addresses, both ports, the protocol. */
static uint32_t crc_of_flow(const uint8_t *frame) {
    const uint64_t addresses = number(frame + ADDRESSES, 8);
    return crc_of_number(addresses >> 24, addresses << 40 | number(frame + TRANSPORT, 4) << 8 | frame[23]);
}

static bool is_ours(const uint8_t *frame) {
    return frame[12] == 8 && frame[13] == 0 && (frame[IPV4] & 15) == 5 && (frame[23] == 6 || frame[23] == 17);
}

/* --- flows ----------------------------------------------------------------------------------------------------------
 */

static void flows_start(struct work *work) {
    gather_flow(work->frame, (uint8_t *)work->key);
    const uint32_t cell = work->place[0] = crc_of_flow(work->frame) & (FLOWS - 1);
    macs_prefetch_far_to_write(&flow_of[cell]);
    macs_prefetch_far_to_write(&flow_packets[cell]);
    macs_prefetch_far_to_write(&flow_bytes[cell]);
    macs_prefetch_far_to_write(&flow_first[cell]);
    macs_prefetch_far_to_write(&flow_last[cell]);
}

static void flows_finish(struct work *work) {
    const uint32_t cell = work->place[0];
    struct flow_key *own = &flow_of[cell];
    const bool same = own->words[0] == work->key[0] && own->words[1] == work->key[1];
    if (!same && (own->words[0] || own->words[1]) && now_ns - flow_last[cell] < UINT64_C(15000000000))
        return;
    if (!same) {
        memcpy(own->words, work->key, sizeof(own->words));
        flow_first[cell] = now_ns;
        flow_packets[cell] = 0;
        flow_bytes[cell] = 0;
    }
    flow_packets[cell]++;
    flow_bytes[cell] += 64;
    flow_last[cell] = now_ns;
}

/* --- heavyhitter ----------------------------------------------------------------------------------------------------
 */

static void rows_start(struct work *work) {
    const uint8_t *addresses = work->frame + ADDRESSES, *l4 = work->frame + TRANSPORT;
    const uint64_t source = number(addresses, 4), destination = number(addresses + 4, 4), protocol = work->frame[23];
    const uint64_t from = number(l4, 2), to = number(l4 + 2, 2);
    const uint32_t one = crc_of_flow(work->frame);
    const uint32_t other =
        crc_of_number(to << 24 | protocol << 16 | destination >> 16, destination << 48 | from << 32 | source);
    for (uint32_t row = 0; row < ROWS; row++) {
        work->place[row] = row * ROW + ((one + row * other) & (ROW - 1));
        macs_prefetch_far_to_write(&rows[work->place[row]]);
    }
}

static void rows_finish(struct work *work) {
    uint32_t least = UINT32_MAX;
    for (uint32_t row = 0; row < ROWS; row++) {
        const uint32_t count = ++rows[work->place[row]];
        least = count < least ? count : least;
    }
    probe_keep(least);
}

/* --- firewall: from inside both bits are set, from outside both must be --------------------------------------------
 */

/* The two hashes of a connection, of addresses and ports as frames from inside have them. */
static void firewall_place(struct work *work, uint64_t source, uint64_t destination, uint64_t from, uint64_t to) {
    const uint64_t protocol = work->frame[23];
    work->place[0] =
        crc_of_number(source << 8 | destination >> 24, destination << 40 | from << 24 | to << 8 | protocol) &
        (OPENED - 1);
    work->place[1] =
        crc_of_number(to << 24 | protocol << 16 | destination >> 16, destination << 48 | from << 32 | source) &
        (OPENED - 1);
    macs_prefetch_far_to_write(&opened[0][work->place[0]]);
    macs_prefetch_far_to_write(&opened[1][work->place[1]]);
}

static void open_start(struct work *work) {
    const uint8_t *addresses = work->frame + ADDRESSES, *l4 = work->frame + TRANSPORT;
    firewall_place(work, number(addresses, 4), number(addresses + 4, 4), number(l4, 2), number(l4 + 2, 2));
}

static void answer_start(struct work *work) {
    const uint8_t *addresses = work->frame + ADDRESSES, *l4 = work->frame + TRANSPORT;
    firewall_place(work, number(addresses + 4, 4), number(addresses, 4), number(l4 + 2, 2), number(l4, 2));
}

static void open_finish(struct work *work) {
    opened[0][work->place[0]] = opened[1][work->place[1]] = 1;
}

static void answer_finish(struct work *work) {
    refused += !(opened[0][work->place[0]] & opened[1][work->place[1]]);
}

/* --- policer: a word of the table, then a bucket and a count --------------------------------------------------------
 */

static void policer_start(struct work *work) {
    uint32_t source;
    memcpy(&source, work->frame + ADDRESSES, 4);
    work->place[0] = (uint32_t)(source * UINT64_C(0x9e3779b97f4a7c15) >> 43);
    __builtin_prefetch(&words[work->place[0]]);
}

static void policer_middle(struct work *work) {
    work->place[1] = (uint32_t)words[work->place[0]] & (SUBSCRIBERS - 1);
    macs_prefetch_far_to_write(&buckets[work->place[1]]);
    macs_prefetch_far_to_write(&counts[work->place[1]]);
}

static void policer_finish(struct work *work) {
    struct bucket *bucket = &buckets[work->place[1]];
    struct count *count = &counts[work->place[1]];
    uint64_t sum = 0;
    for (unsigned at = 0; at < 20; at += 2)
        sum += (uint64_t)work->frame[IPV4 + at] << 8 | work->frame[IPV4 + at + 1];
    probe_keep(sum);
    const double elapsed = (double)(now_ns - bucket->last_ns);
    bucket->last_ns = now_ns;
    bucket->committed += bucket->rates[0] * elapsed;
    bucket->committed = bucket->committed < bucket->rates[1] ? bucket->committed : bucket->rates[1];
    bucket->peak += bucket->rates[2] * elapsed;
    bucket->peak = bucket->peak < bucket->rates[3] ? bucket->peak : bucket->rates[3];
    if (bucket->peak >= 64)
        bucket->peak -= 64;
    if (bucket->committed >= 64)
        bucket->committed -= 64;
    count->packets++;
    count->bytes += 64;
}

/* --- balancer: a service, its group and count, a member --------------------------------------------------------------
 */

static uint32_t bucket_of(uint64_t key) {
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BUCKETS_LOG2));
}

/* A bucket that is full goes on in the next one. NULL: not there. */
static const struct service *service_of(uint64_t key, uint32_t bucket) {
    for (;; bucket = (bucket + 1) & (BUCKETS - 1))
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            const struct service *at = &services[bucket].slots[slot];
            if (at->key == key)
                return at;
            if (!at->key)
                return NULL;
        }
}

static __attribute__((noinline, cold)) const struct service *enter_service(uint64_t key, uint32_t bucket) {
    static uint32_t entered;
    for (uint32_t slot = 0;; bucket = (bucket + (++slot % SLOTS == 0)) & (BUCKETS - 1)) {
        struct service *at = &services[bucket].slots[slot % SLOTS];
        if (at->key)
            continue;
        if (entered == SERVICES) {
            fprintf(stderr, "there are more services than entries\n");
            exit(1);
        }
        *at = (struct service){key, entered++};
        return at;
    }
}

static void balancer_start(struct work *work) {
    uint32_t destination;
    uint16_t port;
    memcpy(&destination, work->frame + ADDRESSES + 4, 4);
    memcpy(&port, work->frame + TRANSPORT + 2, 2);
    work->key[0] = (uint64_t)work->frame[23] << 48 | (uint64_t)port << 32 | destination;
    work->place[0] = bucket_of(work->key[0]);
    __builtin_prefetch(&services[work->place[0]]);
}

static void balancer_middle(struct work *work) {
    const struct service *service = service_of(work->key[0], work->place[0]);
    if (__builtin_expect(!service, 0))
        service = enter_service(work->key[0], work->place[0]);
    work->place[1] = service->group;
    work->place[2] = (crc_of_flow(work->frame) & 0xffff) % MEMBERS;
    __builtin_prefetch(&group_at[work->place[1]]);
    macs_prefetch_far_to_write(&counts[work->place[1]]);
}

static void balancer_group(struct work *work) {
    work->at = group_at[work->place[1]];
    __builtin_prefetch(work->at);
}

static void balancer_member(struct work *work) {
    work->place[3] = ((const struct group *)work->at)->members[work->place[2]];
    __builtin_prefetch(&server_at[work->place[3]]);
}

static void balancer_server(struct work *work) {
    work->at = server_at[work->place[3]];
    __builtin_prefetch(work->at);
}

/* A frame whose checksum is wrong or that has no time left is not changed. */
static void balancer_finish(struct work *work) {
    const struct server *server = &((const struct member *)work->at)->server;
    uint64_t sum = 0;
    for (unsigned at = 0; at < 20; at += 2)
        sum += (uint64_t)work->frame[IPV4 + at] << 8 | work->frame[IPV4 + at + 1];
    if (sum % 0xffff || work->frame[22] <= 1) {
        refused++;
        return;
    }
    memcpy(work->frame, server->macs, 12);
    work->frame[22]--;
    work->frame[24]++; /* the checksum's part of it */
    counts[work->place[1]].packets++;
    counts[work->place[1]].bytes += 64;
}

/* --- bursts ---------------------------------------------------------------------------------------------------------
 */

typedef void work_fn(struct work *work);

static uint64_t send_all(odp_pktout_queue_t output, odp_packet_t packets[], int received) {
    int sent = received > 0 ? odp_pktout_send(output, packets, received) : 0;
    if (sent >= 0 && sent < received)
        odp_packet_free_multi(packets + sent, received - sent);
    return received > 0 ? (uint64_t)received : 0;
}

/* Inline, so that each loop has its functions in it. */
#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t one_burst(odp_pktin_queue_t input, odp_pktout_queue_t output, uint64_t burst, work_fn *const steps[],
                          unsigned count) {
    odp_packet_t packets[BURST_MAX];
    struct work works[BURST_MAX];
    int received = odp_pktin_recv(input, packets, (int)burst), ours = 0;
    now_ns = odp_time_global_ns();
    for (int i = 0; i < received; i++) {
        works[ours].frame = odp_packet_data(packets[i]);
        ours += is_ours(works[ours].frame);
    }
    for (unsigned step = 0; step < count; step++)
        for (int i = 0; i < ours; i++)
            steps[step](&works[i]);
    return send_all(output, packets, received);
}

INLINE uint64_t bursts(uint64_t burst, work_fn *const steps[], unsigned count) {
    uint64_t through = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        through += one_burst(ports.input, ports.output, burst, steps, count);
    return through;
}

static uint64_t firewall(uint64_t burst) {
    work_fn *const there[] = {open_start, open_finish}, *const back[] = {answer_start, answer_finish};
    uint64_t through = 0;
    for (unsigned round = 0; round < ROUNDS / 2; round++) {
        through += one_burst(ports.input, ports.output, burst, there, 2);
        through += one_burst(back_input, back_output, burst, back, 2);
    }
    return through;
}

#define CONTEST(name, ...)                                                                                             \
    static uint64_t name(uint64_t burst) {                                                                             \
        work_fn *const steps[] = {__VA_ARGS__};                                                                        \
        return bursts(burst, steps, sizeof(steps) / sizeof(steps[0]));                                                 \
    }
CONTEST(flows, flows_start, flows_finish)
CONTEST(heavyhitter, rows_start, rows_finish)
CONTEST(policer, policer_start, policer_middle, policer_finish)
CONTEST(balancer, balancer_start, balancer_middle, balancer_group, balancer_member, balancer_server, balancer_finish)

static void *memory(size_t count, size_t bytes, bool *there) {
    void *made = macs_memory_alloc(count * bytes, false);
    *there &= made != NULL;
    return made;
}

static bool make_state(void) {
    bool there = true;
    flow_of = memory(FLOWS, sizeof(*flow_of), &there);
    flow_packets = memory(FLOWS, 4, &there);
    flow_bytes = memory(FLOWS, 8, &there);
    flow_first = memory(FLOWS, 8, &there);
    flow_last = memory(FLOWS, 8, &there);
    rows = memory((size_t)ROWS * ROW, 4, &there);
    opened[0] = memory(OPENED, 1, &there);
    opened[1] = memory(OPENED, 1, &there);
    words = memory(2 * (size_t)SUBSCRIBERS, 8, &there);
    buckets = memory(SUBSCRIBERS, sizeof(*buckets), &there);
    counts = memory(SUBSCRIBERS, sizeof(*counts), &there);
    services = memory(BUCKETS, sizeof(*services), &there);
    lists = memory(SERVICES, sizeof(*lists), &there);
    group_at = memory(SERVICES, sizeof(*group_at), &there);
    members = memory(SERVICES, sizeof(*members), &there);
    server_at = memory(SERVICES, sizeof(*server_at), &there);
    for (uint64_t i = 0; there && i < 2 * (uint64_t)SUBSCRIBERS; i++)
        words[i] = i * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    for (uint32_t i = 0; there && i < SERVICES * MEMBERS; i++)
        lists[i / MEMBERS].members[i % MEMBERS] = i * 40503u % SERVICES;
    for (uint32_t i = 0; there && i < SERVICES; i++) {
        group_at[i] = &lists[i];
        server_at[i] = &members[i];
    }
    return there;
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"flows", flows},
                                          {"heavyhitter", heavyhitter},
                                          {"firewall", firewall},
                                          {"policer", policer},
                                          {"balancer", balancer}};
    if (argc < 5 || !make_state() ||
        ports_open(&ports, argv[1], argv[2], (uint32_t)atol(argv[3]), (uint32_t)atol(argv[4])) ||
        odp_pktin_queue(ports.sink, &back_input, 1) != 1 || odp_pktout_queue(ports.source, &back_output, 1) != 1) {
        fprintf(stderr, "cannot forward from %s\n", argc > 1 ? argv[1] : "nowhere");
        return 1;
    }
    int code = probe_serve(probes, 5);
    ports_close(&ports);
    return code;
}
