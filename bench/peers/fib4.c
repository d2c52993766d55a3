/* IPv4 longest prefix match: lpm_dir24 against rte_fib (DIR-24-8, by AVX-512 where the CPU has it).
 *
 * Usage: fib4 PREFIXES. Lengths are about those of the Internet's routing table; 256 next hops; 2-byte entries for the
 * peer, its fastest that hold them.
 */
#include <errno.h>
#include <rte_fib.h>

#include "peer.h"
#include "tables/lpm_dir24.h"

enum { NEXT_HOPS = 256 };

static uint32_t keys[KEYS];    /* as rte_fib has them */
static uint8_t bytes[KEYS][4]; /* as a packet has them */
static void *ours;
static struct rte_fib *peer;

#define KEY_OF(NUMBER) bytes[NUMBER]

PEER_OURS(lpm_dir24, MACS_LPM_DIR24_STEPS, macs_lpm_dir24_step, KEY_OF, 4)

static void peer_lookup_bulk(uint32_t first, uint64_t answers[BATCH]) {
    rte_fib_lookup_bulk(peer, &keys[first], answers, BATCH);
}

static uint8_t length(uint64_t random) {
    uint32_t share = (uint32_t)(random % 100);
    return share < 61 ? 24 : share < 72 ? 23 : share < 83 ? 22 : (uint8_t)(16 + random / 100 % 6);
}

static void split(uint32_t address, uint8_t to[4]) {
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(address >> (24 - 8 * i));
}

static void make(uint32_t prefixes) {
    const struct macs_table_shape shape = {.key_bytes = 4, .value_bytes = sizeof(struct peer_value), .size = prefixes};
    struct rte_fib_conf conf = {.type = RTE_FIB_DIR24_8,
                                .default_nh = 0,
                                .max_routes = (int)prefixes + 1,
                                .dir24_8 = {.nh_sz = RTE_FIB_DIR24_8_2B, .num_tbl8 = 1024}};
    ours = peer_table(&macs_lpm_dir24_kernel, &shape);
    peer = rte_fib_create("peer", SOCKET_ID_ANY, &conf);
    if (!peer)
        peer_fail("rte_fib has no memory: more huge pages?");
    rte_fib_select_lookup(peer, RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512); /* else the usual one stays */
}

static void fill(uint32_t prefixes) {
    uint64_t state = 1;
    uint32_t *known = malloc(prefixes * sizeof(*known));
    for (uint32_t n = 0; known && n < prefixes;) {
        uint64_t random = probe_random(&state);
        uint8_t bits = length(random), value[4];
        known[n] = (uint32_t)(random >> 32) % 0xdf000000u + 0x01000000u;
        uint32_t prefix = known[n] & UINT32_MAX << (32 - bits);
        struct peer_value entry = {.number = (uint32_t)(random >> 8) % (NEXT_HOPS - 1) + 1};
        split(prefix, value);
        struct macs_match match = {.value = value, .mask = value, .high = value, .prefix_bits = bits};
        int error = macs_lpm_dir24_kernel.add(ours, &match, &entry, NULL);
        if (error == -EEXIST)
            continue;
        if (error || rte_fib_add(peer, prefix, bits, entry.number))
            peer_fail("a prefix is refused");
        n++;
    }
    for (uint32_t i = 0; known && i < KEYS; i++) {
        keys[i] = known[probe_random(&state) % prefixes];
        split(keys[i], bytes[i]);
    }
    free(known);
}

int main(int argc, char **argv) {
    uint32_t prefixes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 500000;
    peer_start(argv[0]);
    make(prefixes);
    fill(prefixes);
    return peer_serve();
}
