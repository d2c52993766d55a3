/* Nanoseconds per lookup, one after the other and in batches of 32 with each step done for all before the next; adding
 * and removing; memory. No test: a tool to look at.
 * Usage: bench_tables [KERNEL [ENTRIES]].
 * tests/c/test_tables.py builds it.
 */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "support.h"

#include "tables/exact/exact_hash.h"
#include "tables/lpm/lpm_dir24.h"
#include "tables/lpm/lpm_trie_plain.h"
#include "tables/ternary/ternary_cells.h"
#include "tables/ternary/ternary_tuple.h"

enum { LOOKUPS = 1 << 21 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Lookups with the key's length known to the compiler. `sum` keeps them from being left out, and touches the values. */
#define DEFINE_BENCH(X, BYTES)                                                                                         \
    static double single_##X##_##BYTES(const void *self, const uint8_t *keys, uint64_t *sum) {                         \
        double start = seconds();                                                                                      \
        for (uint32_t i = 0; i < LOOKUPS; i++)                                                                         \
            *sum += id_of(lookup_##X(self, keys + (size_t)i * (BYTES), BYTES));                                        \
        return (seconds() - start) / LOOKUPS * 1e9;                                                                    \
    }                                                                                                                  \
    static double batched_##X##_##BYTES(const void *self, const uint8_t *keys, uint64_t *sum) {                        \
        double start = seconds();                                                                                      \
        for (uint32_t i = 0; i < LOOKUPS; i += BATCH) {                                                                \
            const struct macs_entry *found[BATCH];                                                                     \
            batch_##X(self, keys + (size_t)i * (BYTES), BYTES, found);                                                 \
            for (uint32_t j = 0; j < BATCH; j++)                                                                       \
                *sum += id_of(found[j]);                                                                               \
        }                                                                                                              \
        return (seconds() - start) / LOOKUPS * 1e9;                                                                    \
    }

DEFINE_LOOKUPS(exact_hash, 1, macs_exact_hash_step)
DEFINE_LOOKUPS(lpm_dir24, 1, macs_lpm_dir24_step)
DEFINE_LOOKUPS(lpm_trie, 3, macs_lpm_trie_step)
DEFINE_LOOKUPS(lpm_trie_plain, 6, macs_lpm_trie_plain_step)
DEFINE_LOOKUPS(ternary_cells, 1, macs_ternary_cells_step)
DEFINE_LOOKUPS(ternary_tuple, 0, NO_STEP)
DEFINE_LOOKUPS(linear, 0, NO_STEP)

DEFINE_BENCH(exact_hash, 6)
DEFINE_BENCH(exact_hash, 8)
DEFINE_BENCH(exact_hash, 32)
DEFINE_BENCH(lpm_dir24, 4)
DEFINE_BENCH(lpm_trie, 4)
DEFINE_BENCH(lpm_trie, 16)
DEFINE_BENCH(lpm_trie_plain, 16)
DEFINE_BENCH(ternary_cells, 13)
DEFINE_BENCH(ternary_tuple, 13)
DEFINE_BENCH(linear, 13)

struct bench {
    const char *kernel;
    uint32_t key_bytes;
    uint32_t entries; /* unless the caller says otherwise */
    double (*single)(const void *, const uint8_t *, uint64_t *);
    double (*batched)(const void *, const uint8_t *, uint64_t *);
};

#define BENCH(X, BYTES, ENTRIES)                                                                                       \
    { #X, BYTES, ENTRIES, single_##X##_##BYTES, batched_##X##_##BYTES }

static const struct bench benches[] = {
    BENCH(exact_hash, 6, 1000000),     BENCH(exact_hash, 8, 1000000), BENCH(exact_hash, 32, 1000000),
    BENCH(lpm_dir24, 4, 500000),       BENCH(lpm_trie, 4, 500000),    BENCH(lpm_trie, 16, 200000),
    BENCH(lpm_trie_plain, 16, 200000), BENCH(linear, 13, 50),         BENCH(ternary_cells, 13, 1000),
    BENCH(ternary_tuple, 13, 1000),
};

/* Match number n: a scattered key; for prefixes 16 to 24 bits of 32, or 48 to 64 of 128, below one /16 in 256; for
 * masks one of 16. */
static void numbered_match(const struct bench *bench, struct own_match *own, uint32_t n) {
    uint64_t random = (n + 1) * MACS_HASH_PHI;
    uint8_t key[KEY_MAX] = {0};
    for (uint32_t at = 0; at < bench->key_bytes; at += 8) {
        uint64_t word = next_random(&random);
        memcpy(key + at, &word, 8);
    }
    exactly(own, key, bench->key_bytes);
    if (strncmp(bench->kernel, "lpm", 3) == 0) {
        own->match.prefix_bits = bench->key_bytes == 4 ? 16 + n % 9 : 48 + n % 17;
        own->value[0] = bench->key_bytes == 16 ? 0x20 : own->value[0];
        if (n % 50 == 0)
            own->match.prefix_bits += 8;
    } else if (bench->key_bytes == 13) {
        for (uint32_t i = 0; i < 4; i++)
            own->mask[i] = n % 16 >> i & 1 ? 0xff : 0;
        own->match.priority = (int32_t)(n % 100);
    }
}

static uint8_t *make_keys(const struct bench *bench, uint32_t entries) {
    uint8_t *keys = malloc((size_t)LOOKUPS * bench->key_bytes);
    uint64_t random = 4711;
    struct own_match own;
    for (uint32_t i = 0; keys && i < LOOKUPS; i++) {
        numbered_match(bench, &own, (uint32_t)((next_random(&random) >> 32) * entries >> 32));
        memcpy(keys + (size_t)i * bench->key_bytes, own.value, bench->key_bytes);
    }
    return keys;
}

static void run(const struct bench *bench, uint32_t entries) {
    const struct subject *subject = subject_named(bench->kernel);
    struct macs_table_shape shape = whole_key_shape(subject, bench->key_bytes, entries);
    struct own_match own;
    void *self = NULL;
    uint64_t sum = 0;
    uint32_t added = 0;
    context = bench->kernel;
    if (bench->key_bytes == 13)
        shape.prefix_offset = 13;
    CHECK(subject->ops->create(&shape, NULL, &self) == 0);
    double start = seconds();
    for (uint32_t n = 0; n < entries; n++) {
        struct value value = make_value(n);
        numbered_match(bench, &own, n);
        int error = subject->ops->add(self, &own.match, &value, NULL);
        CHECK(error == 0 || error == -EEXIST);
        added += error == 0;
    }
    double filled = seconds();
    uint8_t *keys = make_keys(bench, entries);
    CHECK(keys);
    double single = bench->single(self, keys, &sum);
    double batched = bench->batched(self, keys, &sum);
    double bytes = (double)subject->ops->memory_bytes(self) / (added ? added : 1);
    double removing = seconds();
    for (uint32_t n = 0; n < entries; n++) {
        numbered_match(bench, &own, n);
        subject->ops->remove(self, &own.match);
    }
    printf("%-14s %2u bytes %9u entries: lookup %6.1f ns, of %d %6.1f ns (%.2fx); add %5.2f us, remove %5.2f us; "
           "%4.0f bytes an entry [%llx]\n",
           bench->kernel, bench->key_bytes, added, single, BATCH, batched, single / batched,
           (filled - start) / entries * 1e6, (seconds() - removing) / entries * 1e6, bytes, (unsigned long long)sum);
    free(keys);
    subject->ops->destroy(self);
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (argc < 2 || strcmp(argv[1], benches[i].kernel) == 0)
            run(&benches[i], argc > 2 ? (uint32_t)atol(argv[2]) : benches[i].entries);
    return 0;
}
