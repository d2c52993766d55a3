/* Exact match on a MAC address, ENTRIES of them: exact_packed against rte_hash's bulk lookup.
 *
 * Usage: exact ENTRIES. The peer's keys have 8 bytes, which its comparison is fastest with, and its hash is the CRC
 * instruction's; it has a quarter more room than entries, as it takes no more when it is nearly full.
 */
#include <rte_hash.h>
#include <rte_hash_crc.h>

#define PEER_BATCH RTE_HASH_LOOKUP_BULK_MAX /* the most that it takes */

#include "peer.h"
#include "tables/exact/exact_packed.h"

enum { KEY_BITS = 48, ACTION_BITS = 2, PORT_BITS = 9, DATA_BITS = ACTION_BITS + PORT_BITS };

static uint64_t keys[KEYS];
static void *ours;
static struct rte_hash *peer;

static const void *peer_key(uint32_t number) {
    return &keys[number];
}

/* A permutation of the addresses: no two entries have the same. */
static uint64_t address(uint64_t number) {
    uint64_t key = (number + 1) * UINT64_C(0x9e3779b97f4b) & macs_packing_ones(KEY_BITS);
    key ^= key >> 23;
    return key * UINT64_C(0xff51afd7ed55) & macs_packing_ones(KEY_BITS);
}

static uint32_t port(uint64_t number) {
    return (uint32_t)(number % 500) + 1;
}

static void ours_lookup(uint32_t first, uint64_t answers[BATCH]) {
    struct macs_exact_packed_cursor cursors[BATCH];
    for (unsigned i = 0; i < BATCH; i++)
        macs_exact_packed_start(ours, keys[first + i], KEY_BITS, DATA_BITS, &cursors[i]);
    for (unsigned i = 0; i < BATCH; i++)
        macs_exact_packed_step(DATA_BITS, &cursors[i]);
    for (unsigned i = 0; i < BATCH; i++) {
        uint64_t data = 0;
        bool found = macs_exact_packed_finish(KEY_BITS, DATA_BITS, &cursors[i], &data);
        answers[i] = found ? data >> ACTION_BITS : 0;
    }
}

static void peer_lookup_bulk(uint32_t first, uint64_t answers[BATCH]) {
    const void *wanted[BATCH];
    void *data[BATCH];
    uint64_t hits = 0;
    for (unsigned i = 0; i < BATCH; i++)
        wanted[i] = &keys[first + i];
    rte_hash_lookup_bulk_data(peer, wanted, BATCH, &hits, data);
    for (unsigned i = 0; i < BATCH; i++)
        answers[i] = hits >> i & 1 ? (uint64_t)(uintptr_t)data[i] : 0;
}

static void make(uint32_t entries) {
    static const struct macs_param params[] = {
        {.name = "port", .bits = PORT_BITS, .offset = offsetof(struct peer_value, number), .bytes = 4, .word_at = 2}};
    static const struct macs_action_desc actions[] = {{.name = "forward", .params = params, .param_count = 1}};
    static const struct macs_key_field fields[] = {{.name = "mac", .bits = KEY_BITS, .kind = MACS_EXACT}};
    const struct macs_table_shape shape = {.key_bytes = 6,
                                           .prefix_offset = 6,
                                           .value_bytes = sizeof(struct peer_value),
                                           .size = entries,
                                           .field_count = 1,
                                           .fields = fields,
                                           .actions = actions,
                                           .action_count = 1,
                                           .key_bits = KEY_BITS,
                                           .data_bits = DATA_BITS,
                                           .action_bits = ACTION_BITS};
    const struct rte_hash_parameters parameters = {.name = "peer",
                                                   .entries = entries + entries / 4,
                                                   .key_len = 8,
                                                   .hash_func = rte_hash_crc,
                                                   .socket_id = SOCKET_ID_ANY};
    ours = peer_table(&macs_exact_packed_ops, &shape);
    peer = rte_hash_create(&parameters);
    if (!peer)
        peer_fail("rte_hash has no memory: more huge pages?");
}

static void fill(uint32_t entries) {
    uint8_t bytes[6], mask[6];
    memset(mask, 0xff, sizeof(mask));
    for (uint32_t n = 0; n < entries; n++) {
        uint64_t key = address(n);
        struct peer_value value = {.number = port(n)};
        for (unsigned i = 0; i < sizeof(bytes); i++)
            bytes[i] = (uint8_t)(key >> (40 - 8 * i));
        struct macs_match match = {.value = bytes, .mask = mask, .high = bytes, .prefix_bits = KEY_BITS};
        if (macs_exact_packed_ops.add(ours, &match, &value, NULL) ||
            rte_hash_add_key_data(peer, &key, (void *)(uintptr_t)port(n)) < 0)
            peer_fail("an entry is refused");
    }
    uint64_t state = 4711;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = address(probe_random(&state) % entries);
}

int main(int argc, char **argv) {
    uint32_t entries = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 16000000;
    peer_start(argv[0]);
    make(entries);
    fill(entries);
    return peer_serve();
}
