/* IPv6 longest prefix match: lpm_trie against rte_fib6 (its trie, by AVX-512 where the CPU has it).
 *
 * Usage: fib6 PREFIXES. Of 48 to 64 bits, ten of them below each of a tenth as many 32-bit blocks of 2000::/3. The peer
 * asks for room for 3 to 5 groups of 256 entries a prefix before it takes it: 1 KiB each, 900 MiB for 200,000 prefixes.
 */
#include <errno.h>
#include <rte_fib6.h>

#include "peer.h"
#include "tables/lpm_trie.h"

enum { NEXT_HOPS = 256, BYTES = 16, BELOW = 10, GROUPS_EACH_TWO = 9 };

static uint8_t keys[KEYS][BYTES];
static void *ours;
static struct rte_fib6 *peer;

#define KEY_OF(NUMBER) keys[NUMBER]

PEER_OURS(lpm_trie, MACS_LPM_TRIE_STEPS, macs_lpm_trie_step, KEY_OF, BYTES)

static void peer_lookup_bulk(uint32_t first, uint64_t answers[BATCH]) {
    rte_fib6_lookup_bulk(peer, &keys[first], answers, BATCH);
}

static void make(uint32_t prefixes) {
    const struct macs_table_shape shape = {
        .key_bytes = BYTES, .value_bytes = sizeof(struct peer_value), .size = prefixes};
    struct rte_fib6_conf conf = {.type = RTE_FIB6_TRIE,
                                 .default_nh = 0,
                                 .max_routes = (int)prefixes + 1,
                                 .trie = {.nh_sz = RTE_FIB6_TRIE_4B, .num_tbl8 = prefixes * GROUPS_EACH_TWO / 2}};
    ours = peer_table(&macs_lpm_trie_kernel, &shape);
    peer = rte_fib6_create("peer", SOCKET_ID_ANY, &conf);
    if (!peer)
        peer_fail("rte_fib6 has no memory: more huge pages?");
    rte_fib6_select_lookup(peer, RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512); /* else the usual one stays */
}

static void address(uint64_t block, uint64_t *state, uint8_t to[BYTES]) {
    uint64_t high = UINT64_C(1) << 61 | (probe_random(&block) >> 3 & ~UINT64_C(0xffffffff));
    high |= probe_random(state) & 0xffffffff;
    uint64_t low = probe_random(state);
    for (unsigned i = 0; i < 8; i++) {
        to[i] = (uint8_t)(high >> (56 - 8 * i));
        to[8 + i] = (uint8_t)(low >> (56 - 8 * i));
    }
}

static void fill(uint32_t prefixes) {
    uint64_t state = 1;
    uint8_t(*known)[BYTES] = malloc((size_t)prefixes * BYTES);
    for (uint32_t n = 0; known && n < prefixes;) {
        uint32_t bits = 48 + (uint32_t)(probe_random(&state) % 17);
        struct peer_value entry = {.number = (uint32_t)(probe_random(&state) % (NEXT_HOPS - 1)) + 1};
        address(n / BELOW, &state, known[n]);
        struct macs_match match = {.value = known[n], .mask = known[n], .high = known[n], .prefix_bits = bits};
        int error = macs_lpm_trie_kernel.add(ours, &match, &entry, NULL);
        if (error == -EEXIST)
            continue;
        if (error || rte_fib6_add(peer, known[n], (uint8_t)bits, entry.number))
            peer_fail("a prefix is refused");
        n++;
    }
    for (uint32_t i = 0; known && i < KEYS; i++)
        memcpy(keys[i], known[probe_random(&state) % prefixes], BYTES);
    free(known);
}

int main(int argc, char **argv) {
    uint32_t prefixes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 200000;
    peer_start(argv[0]);
    make(prefixes);
    fill(prefixes);
    return peer_serve();
}
