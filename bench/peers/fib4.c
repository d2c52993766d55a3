/* IPv4 longest prefix match: lpm_dir24 against rte_fib (DIR-24-8, by AVX-512 where the CPU has it).
 *
 * Usage: fib4 PREFIXES [LENGTHS [NEXT_HOPS]]. LENGTHS: dfz, about those of the Internet's routing table; hosts, the
 * same with one of ten from 25 to 32 bits; single, all of 32; wide, 8 to 24 bits alike. The number of a line is a
 * traffic's: 0, addresses that prefixes were made from; 1, any address; 2, as 0, nine of ten from a hundredth of the
 * prefixes. The peer's entries have 2 bytes, its fastest, where these can name its groups of 256.
 */
#include <errno.h>
#include <rte_fib.h>

#include "peer.h"
#include "tables/lpm/lpm_dir24.h"

enum { TRAFFICS = 3, GROUPS_MAX = (1 << 15) - 2 /* that entries of 2 bytes can name */ };

static uint32_t *keys;
static void *ours;
static struct rte_fib *peer;

static const void *peer_key(uint32_t number) {
    return &keys[number];
}

PEER_OURS_IN_BULK(lpm_dir24, 4)

static void peer_lookup_bulk(uint32_t first, uint64_t answers[BATCH]) {
    rte_fib_lookup_bulk(peer, &keys[first], answers, BATCH);
}

/* -- prefixes ---------------------------------------------------------------------------------------------------------
 */

typedef uint8_t length_fn(uint64_t random);

static uint8_t dfz(uint64_t random) {
    uint32_t share = (uint32_t)(random % 100);
    return share < 61 ? 24 : share < 72 ? 23 : share < 83 ? 22 : (uint8_t)(16 + random / 100 % 6);
}

static uint8_t hosts(uint64_t random) {
    return random % 10 ? dfz(random / 10) : (uint8_t)(25 + random / 10 % 8);
}

static uint8_t single(uint64_t random) {
    (void)random;
    return 32;
}

static uint8_t wide(uint64_t random) {
    return (uint8_t)(8 + random % 17);
}

static const struct lengths {
    const char *name;
    length_fn *length;
    uint32_t groups_percent; /* prefixes of more than 24 bits, of 100, at most */
} all_lengths[] = {{"dfz", dfz, 0}, {"hosts", hosts, 11}, {"single", single, 100}, {"wide", wide, 0}};

static const struct lengths *lengths_named(const char *name) {
    for (unsigned i = 0; i < sizeof(all_lengths) / sizeof(all_lengths[0]); i++)
        if (strcmp(all_lengths[i].name, name) == 0)
            return &all_lengths[i];
    peer_fail("lengths are dfz, hosts, single or wide");
    return NULL;
}

static void split(uint32_t address, uint8_t to[4]) {
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(address >> (24 - 8 * i));
}

static void make(uint32_t prefixes, const struct lengths *lengths) {
    uint32_t groups = prefixes / 100 * lengths->groups_percent + 1024;
    const struct macs_table_shape shape = {.key_bytes = 4, .value_bytes = sizeof(struct peer_value), .size = prefixes};
    struct rte_fib_conf conf = {
        .type = RTE_FIB_DIR24_8,
        .default_nh = 0,
        .max_routes = (int)prefixes + 1,
        .dir24_8 = {.nh_sz = groups <= GROUPS_MAX ? RTE_FIB_DIR24_8_2B : RTE_FIB_DIR24_8_4B, .num_tbl8 = groups}};
    ours = peer_table(&macs_lpm_dir24_ops, &shape);
    peer = rte_fib_create("peer", SOCKET_ID_ANY, &conf);
    if (!peer)
        peer_fail("rte_fib has no memory: more huge pages?");
    rte_fib_select_lookup(peer, RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512); /* else the usual one stays */
}

static uint32_t any_address(uint64_t *state) {
    return (uint32_t)(probe_random(state) >> 32) % 0xdf000000u + 0x01000000u;
}

/* Fill both with prefixes of these addresses. */
static void fill(uint32_t known[], uint32_t prefixes, const struct lengths *lengths, uint32_t next_hops) {
    uint64_t state = 1;
    for (uint32_t n = 0; n < prefixes;) {
        uint64_t random = probe_random(&state);
        uint8_t bits = lengths->length(random), value[4];
        known[n] = any_address(&state);
        uint32_t prefix = known[n] & UINT32_MAX << (32 - bits);
        struct peer_value entry = {.number = (uint32_t)(random >> 32) % (next_hops - 1) + 1};
        split(prefix, value);
        struct macs_match match = {.value = value, .mask = value, .high = value, .prefix_bits = bits};
        int error = macs_lpm_dir24_ops.add(ours, &match, &entry, NULL);
        if (error == -EEXIST)
            continue;
        if (error || rte_fib_add(peer, prefix, bits, entry.number))
            peer_fail("a prefix is refused");
        n++;
    }
}

/* -- traffic ----------------------------------------------------------------------------------------------------------
 */

static uint32_t *traffic_keys[TRAFFICS];

static void choose(uint64_t traffic) {
    keys = traffic_keys[traffic % TRAFFICS];
}

static void make_traffic(const uint32_t known[], uint32_t prefixes, uint32_t traffic) {
    uint64_t state = traffic;
    traffic_keys[traffic] = malloc(KEYS * sizeof(*keys));
    choose(traffic);
    if (!keys)
        peer_fail("no memory for keys");
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t random = probe_random(&state);
        uint32_t of = traffic == 2 && random % 10 ? (prefixes + 99) / 100 : prefixes;
        keys[i] = traffic == 1 ? any_address(&state) : known[random / 10 % of];
    }
    peer_compare();
}

static uint64_t run_ours(uint64_t traffic) {
    choose(traffic);
    return ours_run(0);
}

static uint64_t run_peer(uint64_t traffic) {
    choose(traffic);
    return peer_run(0);
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"ours", run_ours}, {"peer", run_peer}};
    uint32_t prefixes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 500000;
    const struct lengths *lengths = lengths_named(argc > 2 ? argv[2] : "dfz");
    uint32_t next_hops = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 256;
    uint32_t *known = malloc((prefixes + 1) * sizeof(*known));
    if (!known || !prefixes || next_hops < 2)
        peer_fail("no prefixes, or no next hops");
    peer_start(argv[0]);
    make(prefixes, lengths);
    fill(known, prefixes, lengths, next_hops);
    for (uint32_t traffic = 0; traffic < TRAFFICS; traffic++)
        make_traffic(known, prefixes, traffic);
    free(known);
    return probe_serve(probes, 2);
}
