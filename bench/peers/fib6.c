/* IPv6 longest prefix match: lpm_trie against rte_fib6 (its trie, by AVX-512 where the CPU has it).
 *
 * Usage: fib6 PREFIXES [LENGTHS]. LENGTHS: sites, 48 to 64 bits alike; dfz, 20 to 64, about those of the Internet's
 * routing table; hosts, a fifth of 128 bits, the others as sites. Ten prefixes below each of a tenth as many 32-bit
 * blocks of 2000::/3, and the blocks themselves where that is a length. The number of a line is a traffic's: 0,
 * addresses that prefixes were made from; 1, any address of their blocks; 2, any of 2000::/3.
 * The peer asks for room for 3 to 5 groups of 256 entries a prefix before it takes it, 15 for one of 128 bits: 1 KiB
 * each, 900 MiB for 200,000 prefixes of sites.
 */
#include <errno.h>
#include <rte_fib6.h>

#include "peer.h"
#include "tables/lpm/lpm_trie.h"

enum { NEXT_HOPS = 256, BYTES = 16, BELOW = 10, TRAFFICS = 3 };

typedef uint8_t address_t[BYTES];

static address_t *keys;
static void *ours;
static struct rte_fib6 *peer;

static const void *peer_key(uint32_t number) {
    return keys[number];
}

static void ours_lookup(uint32_t first, uint64_t answers[BATCH]) {
    static const struct peer_value none;
    struct macs_lpm_trie_bulk bulk;
    for (unsigned i = 0; i < BATCH; i++)
        memcpy(bulk.keys[i], keys[first + i], BYTES);
    macs_lpm_trie_bulk_start(ours, &bulk, BATCH, BYTES, &none.head);
    for (unsigned i = 0; i < BATCH; i++)
        answers[i] = ((const struct peer_value *)(const void *)bulk.entries[i])->number;
}

static void peer_lookup_bulk(uint32_t first, uint64_t answers[BATCH]) {
    rte_fib6_lookup_bulk(peer, &keys[first], answers, BATCH);
}

/* -- prefixes ---------------------------------------------------------------------------------------------------------
 */

typedef uint8_t length_fn(uint64_t random);

static uint8_t sites(uint64_t random) {
    return (uint8_t)(48 + random % 17);
}

static uint8_t dfz(uint64_t random) {
    uint32_t share = (uint32_t)(random % 100);
    return share < 46 ? 48 : share < 60 ? 32 : share < 70 ? 40 : share < 80 ? 44 : (uint8_t)(20 + random / 100 % 45);
}

static uint8_t hosts(uint64_t random) {
    return random % 5 ? sites(random / 5) : 128;
}

static const struct lengths {
    const char *name;
    length_fn *length;
    uint32_t groups_each_two; /* prefixes, of the peer */
} all_lengths[] = {{"sites", sites, 9}, {"dfz", dfz, 9}, {"hosts", hosts, 16}};

static const struct lengths *lengths_named(const char *name) {
    for (unsigned i = 0; i < sizeof(all_lengths) / sizeof(all_lengths[0]); i++)
        if (strcmp(all_lengths[i].name, name) == 0)
            return &all_lengths[i];
    peer_fail("lengths are sites, dfz or hosts");
    return NULL;
}

static void make(uint32_t prefixes, const struct lengths *lengths) {
    const struct macs_table_shape shape = {
        .key_bytes = BYTES, .value_bytes = sizeof(struct peer_value), .size = prefixes};
    struct rte_fib6_conf conf = {
        .type = RTE_FIB6_TRIE,
        .default_nh = 0,
        .max_routes = (int)prefixes + 1,
        .trie = {.nh_sz = RTE_FIB6_TRIE_4B, .num_tbl8 = prefixes * lengths->groups_each_two / 2 + 1024}};
    ours = peer_table(&macs_lpm_trie_ops, &shape);
    peer = rte_fib6_create("peer", SOCKET_ID_ANY, &conf);
    if (!peer)
        peer_fail("rte_fib6 has no memory: more huge pages?");
    rte_fib6_select_lookup(peer, RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512); /* else the usual one stays */
}

static void write_address(uint64_t high, uint64_t low, address_t to) {
    for (unsigned i = 0; i < 8; i++) {
        to[i] = (uint8_t)(high >> (56 - 8 * i));
        to[8 + i] = (uint8_t)(low >> (56 - 8 * i));
    }
}

/* An address in a block of 32 bits. */
static void address_in(uint64_t block, uint64_t *state, address_t to) {
    uint64_t high = UINT64_C(1) << 61 | (probe_random(&block) >> 3 & ~UINT64_C(0xffffffff));
    high |= probe_random(state) & 0xffffffff;
    write_address(high, probe_random(state), to);
}

static void fill(address_t known[], uint32_t prefixes, const struct lengths *lengths) {
    uint64_t state = 1;
    for (uint32_t n = 0; n < prefixes;) {
        uint8_t bits = lengths->length(probe_random(&state));
        struct peer_value entry = {.number = (uint32_t)(probe_random(&state) % (NEXT_HOPS - 1)) + 1};
        /* Where nothing of this length is free in the block, others are tried. */
        address_in(probe_random(&state) % (prefixes / BELOW + 1), &state, known[n]);
        struct macs_match match = {.value = known[n], .mask = known[n], .high = known[n], .prefix_bits = bits};
        int error = macs_lpm_trie_ops.add(ours, &match, &entry, NULL);
        if (error == -EEXIST)
            continue;
        if (error || rte_fib6_add(peer, known[n], bits, entry.number))
            peer_fail("a prefix is refused");
        n++;
    }
}

/* -- traffic ----------------------------------------------------------------------------------------------------------
 */

static address_t *traffic_keys[TRAFFICS];

static void make_traffic(const address_t known[], uint32_t prefixes, uint32_t traffic) {
    uint64_t state = traffic;
    keys = traffic_keys[traffic] = malloc(KEYS * sizeof(*keys));
    if (!keys)
        peer_fail("no memory for keys");
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t random = probe_random(&state);
        if (traffic == 0)
            memcpy(keys[i], known[random % prefixes], BYTES);
        else if (traffic == 1)
            address_in(random % (prefixes / BELOW + 1), &state, keys[i]);
        else
            write_address(UINT64_C(1) << 61 | random >> 3, probe_random(&state), keys[i]);
    }
    peer_compare();
}

static uint64_t run_ours(uint64_t traffic) {
    keys = traffic_keys[traffic % TRAFFICS];
    return ours_run(0);
}

static uint64_t run_peer(uint64_t traffic) {
    keys = traffic_keys[traffic % TRAFFICS];
    return peer_run(0);
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"ours", run_ours}, {"peer", run_peer}};
    uint32_t prefixes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 200000;
    const struct lengths *lengths = lengths_named(argc > 2 ? argv[2] : "sites");
    address_t *known = malloc((prefixes + 1) * sizeof(*known));
    if (!known || !prefixes)
        peer_fail("no prefixes");
    peer_start(argv[0]);
    make(prefixes, lengths);
    fill(known, prefixes, lengths);
    for (uint32_t traffic = 0; traffic < TRAFFICS; traffic++)
        make_traffic(known, prefixes, traffic);
    free(known);
    return probe_serve(probes, 2);
}
