/* The bare loop beside a production program, SONiC's DASH: what a burst costs where the code is written by hand.
 *
 * It is compiled with the C that macsad makes of the program, and takes the place of its function over a burst: same
 * tables, same entries, same counters, same runtime. All generated frames are tunnels of VXLAN in IPv6 with IPv6
 * inside, and come out as VXLAN in IPv4; like the program it decides frames once that agree in all that its tables look
 * at, until a table changes. The key is the frame's own words behind a mask, nine of them; kept are the headers as they
 * are sent, with their checksum, so that a decision is sent by one copy of 56 bytes. Decisions that it has not it takes
 * from the program's own cache; where they are not ready there either, the program does the burst.
 * Written as one would write such a loop: nothing is kept of a packet but where its decision is.
 * Threads: a worker's own.
 */
#ifndef MACSAD_BENCH_DASH_H
#define MACSAD_BENCH_DASH_H

#include "bare.h"

/* Where headers of such a frame are, up to the ports, and what it is sent with. */
enum {
    OUTER_IP = 14,
    OUTER_UDP = 54,
    TUNNEL = 62,
    INNER = 70,
    INNER_IP = 84,
    LAYER4 = 124,
    PARSED = 164,
    PORTS_END = 128
};
enum { HEAD_BYTES = 56, SHORTER = 20 };
enum { BARE_KEY_WORDS = 9, BARE_DECISIONS = 4096 };

struct bare_decision {
    uint64_t epoch;
    uint64_t key[BARE_KEY_WORDS];
    uint64_t head[HEAD_BYTES / 8];
    macs_verdict verdict;
    uint32_t counted;
    struct macs_count *counts[MACS_DECISION_COUNTS / 2];
} __attribute__((aligned(64)));

struct bare_own {
    struct bare_decision decisions[BARE_DECISIONS];
    uint64_t keys[MACS_BURST_MAX][BARE_KEY_WORDS];
    struct bare_decision *places[MACS_BURST_MAX];
    uint16_t missing[MACS_BURST_MAX], members[MACS_BURST_MAX];
    struct state states[MACS_BURST_MAX];
    struct ingress_sets sets;
};

static inline uint64_t bare_word(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return odp_le_to_cpu_64(word);
}

/* Parse a frame and take its key. Returns false if it is another than this loop can do by itself. */
static inline bool bare_key(const uint8_t *data, uint32_t length, uint32_t port, uint64_t *key) {
    const uint8_t protocol = data[INNER_IP + 6];
    const uint32_t layer4 = protocol == 6 ? 20 : protocol == 17 ? 8 : 0;
    if (length < PORTS_END || length < LAYER4 + layer4 || macs_load16(data + 12) != 0x86dd ||
        data[OUTER_IP + 6] != 17 || macs_load16(data + OUTER_UDP + 2) != 4789 ||
        macs_load16(data + INNER + 12) != 0x86dd)
        return false;
    key[0] = (bare_word(data) & UINT64_C(0xffffffffffff)) | (uint64_t)port << 48;
    key[1] = (bare_word(data + OUTER_IP + 4) & 0xffffffff) | bare_word(data + TUNNEL + 4) << 40;
    key[2] = bare_word(data + INNER);
    key[3] = bare_word(data + INNER + 8) & UINT64_C(0xffffffffffff);
    key[4] = bare_word(data + INNER_IP + 4) & UINT64_C(0xffffffff00ffffff);
    key[5] = bare_word(data + INNER_IP + 12);
    key[6] = bare_word(data + INNER_IP + 20);
    key[7] = bare_word(data + INNER_IP + 28);
    key[8] = bare_word(data + INNER_IP + 36) & (layer4 ? UINT64_MAX : 0xffffffff);
    return true;
}

static inline struct bare_decision *bare_place(struct bare_own *own, const uint64_t *key) {
    uint64_t hash = MACS_HASH_ROOT2;
    for (uint32_t i = 0; i < BARE_KEY_WORDS - 1; i += 2)
        hash = macs_hash_fold(key[i] ^ MACS_HASH_PHI, key[i + 1] ^ hash);
    hash = macs_hash_fold(key[BARE_KEY_WORDS - 1] ^ MACS_HASH_PHI, hash);
    return &own->decisions[(hash >> 32) % BARE_DECISIONS];
}

static inline bool bare_is_there(const struct bare_decision *decision, const uint64_t *key, uint64_t epoch) {
    return ((decision->epoch ^ epoch) | macs_decisions_differ(decision->key, key, BARE_KEY_WORDS)) == 0;
}

/* Do a frame as it was decided. Returns its length. */
static inline uint32_t bare_send(const struct bare_decision *decision, odp_packet_t handle, macs_verdict *verdict) {
    const uint32_t length = odp_packet_len(handle);
    for (uint32_t i = 0; i < decision->counted; i++)
        macs_count_add(decision->counts[i], length);
    *verdict = decision->verdict;
    if (decision->verdict >= MACS_VERDICT_DROP)
        return length;
    uint8_t *const data = odp_packet_pull_head(handle, SHORTER);
    memcpy(data, decision->head, HEAD_BYTES);
    return length - SHORTER;
}

/* Whether the program has decided a frame before: it is parsed by the program, and its key is there then. */
static bool bare_has_decided(struct macs_worker *worker, const struct macs_common *common, struct bare_own *own,
                             odp_packet_t handle, uint32_t index) {
    struct macs_decisions *const cache = worker->decisions;
    struct state *const state = &own->states[index];
    macs_bind(common, &state->packet, handle, MACS_BIND_ALL);
    macs_list_init(&own->sets.to_1, own->members);
    ingress_0_entry(worker, state, index, &own->sets);
    const uint64_t *const there = macs_decisions_find(cache, &cache->undecided[index], cache->shape.key_words);
    return there && there[MACS_DECISION_COUNTED] >> 32;
}

/* Send a frame as the program has decided, and keep what it has come to. Returns its length. */
static uint32_t bare_learn(struct macs_worker *worker, const struct macs_common *common, struct bare_own *own,
                           odp_packet_t handle, uint32_t index, macs_verdict *verdict) {
    const struct macs_decisions *const cache = worker->decisions;
    struct bare_decision *const decision = own->places[index];
    const uint32_t before = odp_packet_len(handle);
    uint8_t behind[PORTS_END - HEAD_BYTES - SHORTER];
    memcpy(behind, (const uint8_t *)odp_packet_data(handle) + HEAD_BYTES + SHORTER, sizeof behind);
    if (!macs_ready_send(worker, common, handle, index, cache->shape.key_words, verdict))
        return before;
    const uint8_t *const data = odp_packet_data(handle);
    const uint32_t length = odp_packet_len(handle);
    const bool dropped = *verdict >= MACS_VERDICT_DROP;
    const uint64_t *const made = macs_decisions_at(cache, cache->undecided[index].where),
                          *counts = made + MACS_DECISION_KEY;
    counts += cache->shape.key_words + cache->shape.kept_words;
    if ((uint32_t)made[MACS_DECISION_COUNTED] > MACS_DECISION_COUNTS / 2 ||
        (!dropped && (length != before - SHORTER || memcmp(data + HEAD_BYTES, behind, sizeof behind))))
        return length;
    decision->epoch = cache->epoch;
    memcpy(decision->key, own->keys[index], sizeof decision->key);
    memcpy(decision->head, data, HEAD_BYTES);
    decision->verdict = *verdict;
    decision->counted = (uint32_t)made[MACS_DECISION_COUNTED];
    for (uint32_t i = 0; i < decision->counted; i++)
        decision->counts[i] = (struct macs_count *)(uintptr_t)counts[i];
    return length;
}

static uint64_t bare_burst(struct macs_worker *worker, const odp_packet_t handles[], unsigned count) {
    static _Thread_local struct bare_own of_worker;
    struct bare_own *const own = &of_worker;
    const struct macs_common common = macs_common_of(worker);
    macs_verdict verdicts[MACS_BURST_MAX];
    struct macs_extent received = {0, 0}, sent = {0, 0};
    const uint64_t epoch = macs_tables_epoch();
    uint32_t missing = 0;
    for (uint32_t i = 0; i < count; i++) {
        macs_prefetch_headers(handles, i, count);
        macs_extent_add(&received, odp_packet_len(handles[i]));
        if (!macs_can_parse(handles[i], PARSED) ||
            !bare_key(odp_packet_data(handles[i]), odp_packet_len(handles[i]), common.ingress_port, own->keys[i]))
            return ingress_burst(worker, handles, count);
        own->places[i] = bare_place(own, own->keys[i]);
        for (uint32_t line = 0; line < sizeof(struct bare_decision) / 64; line++)
            macs_prefetch((const uint8_t *)own->places[i] + 64 * line);
    }
    for (uint32_t i = 0; i < count; i++) {
        own->missing[missing] = (uint16_t)i;
        missing += !bare_is_there(own->places[i], own->keys[i], epoch);
    }
    if (missing) {
        macs_decisions_begin(worker);
        bool decided = worker->deciding;
        for (uint32_t i = 0; decided && i < missing; i++)
            decided = bare_has_decided(worker, &common, own, handles[own->missing[i]], own->missing[i]);
        if (!decided)
            return ingress_burst(worker, handles, count);
    }
    own->missing[missing] = MACS_BURST_MAX;
    for (uint32_t i = 0, next = 0; i < count; i++) {
        const bool learnt = own->missing[next] == i;
        next += learnt;
        macs_extent_add(&sent, learnt ? bare_learn(worker, &common, own, handles[i], i, &verdicts[i])
                                      : bare_send(own->places[i], handles[i], &verdicts[i]));
    }
    macs_transmit_burst(worker, handles, verdicts, count, sent);
    return received.bytes;
}

#endif
