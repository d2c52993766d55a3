/* What the comparisons with DPDK's tables have in common: the same entries and the same keys for both sides.
 *
 * "ours" is a table kernel with its reader side inlined as generated code has it, BATCH lookups in flight; "peer" the
 * DPDK library's own bulk lookup, BATCH keys a call. Both go through the same KEYS keys round and round and read what
 * they find. Before anything is measured all answers are compared. Both have their memory on huge pages.
 */
#ifndef MACSAD_BENCH_PEER_H
#define MACSAD_BENCH_PEER_H

#include <macs/table.h>
#include <rte_eal.h>
#include <rte_memory.h>
#include <sched.h>

#include "probe.h"
#include "tables/common/prefetch.h"

#ifndef PEER_KEYS
#define PEER_KEYS (1 << 21)
#endif
#ifndef PEER_BATCH
#define PEER_BATCH 256 /* as a switch receives them at once */
#endif
enum { BATCH = PEER_BATCH, KEYS = PEER_KEYS, BATCHES_EACH = (1 << 15) / BATCH };

/* Answers to BATCH keys from number `first` on: what the entry says, 0 without one. */
typedef void peer_lookup(uint32_t first, uint64_t answers[BATCH]);

static peer_lookup ours_lookup, peer_lookup_bulk;

/* Where the key with this number is; the next one's place follows it. */
static const void *peer_key(uint32_t number);

/* A value with a number, which answers. */
struct peer_value {
    struct macs_entry head;
    uint32_t number;
};

static inline void peer_fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* DPDK on this CPU, with all vector instructions that it has. */
static inline void peer_start(const char *name) {
    char cpu[16], program[64];
    cpu_set_t cpus;
    unsigned first = 0;
    sched_getaffinity(0, sizeof(cpus), &cpus);
    while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &cpus))
        first++;
    snprintf(cpu, sizeof(cpu), "%u", first);
    snprintf(program, sizeof(program), "%s", name);
    char *arguments[] = {
        program, "--in-memory", "--no-pci", "-l", cpu, "--log-level=1", "--force-max-simd-bitwidth=512"};
    if (rte_eal_init(sizeof(arguments) / sizeof(arguments[0]), arguments) < 0)
        peer_fail("DPDK does not start: are there huge pages (sysctl vm.nr_hugepages=1024), and /dev/hugepages?");
}

/* A program has just seen the keys that it looks up, so they are in its cache: those of the next batch are prefetched
 * while this one is looked up, for both sides alike. */
static inline void peer_prefetch_keys(uint32_t first) {
    const char *end = peer_key(first + BATCH);
    for (const char *next = peer_key(first); next < end; next += 64)
        macs_prefetch(next);
}

static inline uint64_t peer_rounds(peer_lookup *lookup, uint32_t *at) {
    uint64_t answers[BATCH], sum = 0;
    for (unsigned i = 0; i < BATCHES_EACH; i++) {
        uint32_t next = (*at + BATCH) % KEYS;
        peer_prefetch_keys(next);
        lookup(*at, answers);
        for (unsigned k = 0; k < BATCH; k++)
            sum += answers[k];
        *at = next;
    }
    probe_keep(sum);
    return (uint64_t)BATCHES_EACH * BATCH;
}

static uint64_t ours_run(uint64_t number) {
    static uint32_t at;
    (void)number;
    return peer_rounds(ours_lookup, &at);
}

static uint64_t peer_run(uint64_t number) {
    static uint32_t at;
    (void)number;
    return peer_rounds(peer_lookup_bulk, &at);
}

/* Compare all answers; how many of the lookups find something. */
static inline uint64_t peer_compare(void) {
    uint64_t of_ours[BATCH], theirs[BATCH], hits = 0;
    for (uint32_t first = 0; first < KEYS; first += BATCH) {
        ours_lookup(first, of_ours);
        peer_lookup_bulk(first, theirs);
        for (unsigned i = 0; i < BATCH; i++) {
            hits += of_ours[i] != 0;
            if (of_ours[i] != theirs[i])
                peer_fail("the two tables answer differently");
        }
    }
    return hits;
}

/* Compare all answers, then measure; the program's exit code. */
static inline int peer_serve(void) {
    static const struct probe probes[] = {{"ours", ours_run}, {"peer", peer_run}};
    if (peer_compare() < KEYS / 2)
        peer_fail("most lookups find nothing");
    return probe_serve(probes, 2);
}

/* Make our table and fill it: entry n has the match and the number that `fill` sets. False from `fill`: left out. */
static inline void *peer_table(const struct macs_table_ops *ops, const struct macs_table_shape *shape) {
    void *self;
    if (ops->create(shape, NULL, &self))
        peer_fail("our table cannot be made");
    return self;
}

/* Our lookups of BATCH keys at once, which are numbers in the array `keys`. */
#define PEER_OURS_IN_BULK(KERNEL, BYTES)                                                                               \
    static void ours_lookup(uint32_t first, uint64_t answers[BATCH]) {                                                 \
        static const struct peer_value none;                                                                           \
        const struct macs_bulk_begin begin = macs_##KERNEL##_bulk_begin(ours, BYTES);                                  \
        struct macs_bulk bulk;                                                                                         \
        memcpy(bulk.keys, &keys[first], BATCH * sizeof(*keys));                                                        \
        MACS_BULK_LOOP                                                                                                 \
        for (unsigned i = 0; i < BATCH; i++)                                                                           \
            macs_bulk_prefetch(begin, bulk.keys[i]);                                                                   \
        macs_##KERNEL##_bulk_start(ours, &bulk, BATCH, BYTES, &none.head);                                             \
        MACS_BULK_LOOP                                                                                                 \
        for (unsigned i = 0; i < BATCH; i++)                                                                           \
            answers[i] = ((const struct peer_value *)(const void *)bulk.entries[i])->number;                           \
    }

#endif
