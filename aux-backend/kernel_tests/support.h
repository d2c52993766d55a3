/* What the tests of table kernels share: one interface to all kernels, matches made from a few bytes, checks that print
 * their place. The kernels are in a table, `subjects`, which macsad/kernel_subjects.py generates from a target's
 * description.
 */
#ifndef KERNEL_TESTS_SUPPORT_H
#define KERNEL_TESTS_SUPPORT_H

#include <errno.h>
#include <macs/qsbr.h>
#include <macs/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables/common/bulk.h"
#include "tables/common/linear.h"

#define KEY_MAX 40
#define BATCH 32

static const char *context __attribute__((unused)) = ""; /* of the check that runs, in messages */

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, context, #condition);                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A value with a few data that must always be seen together. */
struct value {
    struct macs_entry entry;
    uint64_t id;
    uint64_t not_id;
};

static inline struct value make_value(uint64_t id) {
    return (struct value){.entry.action = (uint32_t)(id % 7), .id = id, .not_id = ~id};
}

static inline uint64_t id_of(const struct macs_entry *entry) {
    const struct value *value = (const struct value *)entry;
    return value ? value->id : 0;
}

/* A match that owns its bytes. */
struct own_match {
    struct macs_match match;
    uint8_t value[KEY_MAX], mask[KEY_MAX], high[KEY_MAX];
};

static inline struct macs_match *exactly(struct own_match *own, const uint8_t *key, uint32_t bytes) {
    memcpy(own->value, key, bytes);
    memset(own->mask, 0xff, bytes);
    memcpy(own->high, key, bytes);
    own->match = (struct macs_match){own->value, own->mask, own->high, bytes * 8, 0};
    return &own->match;
}

static inline struct macs_match *prefix(struct own_match *own, const uint8_t *key, uint32_t bytes, uint32_t bits) {
    exactly(own, key, bytes);
    own->match.prefix_bits = bits;
    return &own->match;
}

typedef const struct macs_entry *lookup_fn(const void *self, const uint8_t *key, uint32_t key_bytes);
typedef void batch_fn(const void *self, const uint8_t *keys, uint32_t key_bytes, const struct macs_entry **found);

/* What the reference finds, a table of the kernel linear. */
static inline const struct macs_entry *expected_of(const void *reference, const uint8_t *key, uint32_t bytes) {
    struct macs_linear_cursor cursor;
    macs_linear_start(reference, key, bytes, &cursor);
    return macs_linear_finish(reference, key, bytes, &cursor);
}

/* One lookup, and BATCH of them with each step done for all before the next: as generated code does it. */
#define DEFINE_LOOKUPS(X, STEPS, STEP)                                                                                 \
    static inline const struct macs_entry *lookup_##X(const void *self, const uint8_t *key, uint32_t key_bytes) {      \
        struct macs_##X##_cursor cursor;                                                                               \
        macs_##X##_start(self, key, key_bytes, &cursor);                                                               \
        return macs_##X##_finish(self, key, key_bytes, &cursor);                                                       \
    }                                                                                                                  \
    static inline void batch_##X(const void *self, const uint8_t *keys, uint32_t key_bytes,                            \
                                 const struct macs_entry **found) {                                                    \
        struct macs_##X##_cursor cursors[BATCH];                                                                       \
        for (uint32_t i = 0; i < BATCH; i++)                                                                           \
            macs_##X##_start(self, keys + (size_t)i * key_bytes, key_bytes, &cursors[i]);                              \
        for (int step = 0; step < (STEPS); step++)                                                                     \
            for (uint32_t i = 0; i < BATCH; i++)                                                                       \
                STEP(self, keys + (size_t)i * key_bytes, key_bytes, &cursors[i]);                                      \
        for (uint32_t i = 0; i < BATCH; i++)                                                                           \
            found[i] = macs_##X##_finish(self, keys + (size_t)i * key_bytes, key_bytes, &cursors[i]);                  \
    }
/* Such a batch as generated code looks it up at once, by keys that are numbers; all at once, or some at a time. */
#define DEFINE_BULK(X)                                                                                                 \
    static inline void bulk_##X(const void *self, const uint8_t *keys, uint32_t key_bytes,                             \
                                const struct macs_entry **found) {                                                     \
        static const struct macs_entry miss;                                                                           \
        struct macs_bulk bulk;                                                                                         \
        const uint32_t some = keys[0] & 1 ? 1 + keys[0] / 2 % BATCH : BATCH;                                           \
        for (uint32_t from = 0; from < BATCH; from += some) {                                                          \
            const uint32_t count = from + some <= BATCH ? some : BATCH - from;                                         \
            for (uint32_t i = 0; i < count; i++) {                                                                     \
                bulk.keys[i] = 0;                                                                                      \
                for (uint32_t k = 0; k < key_bytes; k++)                                                               \
                    bulk.keys[i] = bulk.keys[i] << 8 | keys[(size_t)(from + i) * key_bytes + k];                       \
                macs_bulk_prefetch(macs_##X##_bulk_begin(self, key_bytes), bulk.keys[i]);                              \
            }                                                                                                          \
            macs_##X##_bulk_start(self, &bulk, count, key_bytes, &miss);                                               \
            for (uint32_t i = 0; i < count; i++)                                                                       \
                found[from + i] = bulk.entries[i] == bulk.miss ? NULL : bulk.entries[i];                               \
        }                                                                                                              \
    }
/* The same by keys that are bytes, of which there are KEY_BYTES at most; all at once, and as many more as a burst has,
 * or some at a time. Longer ones are looked up by cursors. */
#define DEFINE_BULK_OF_BYTES(X, KEY_BYTES)                                                                             \
    static inline void bulk_##X(const void *self, const uint8_t *keys, uint32_t key_bytes,                             \
                                const struct macs_entry **found) {                                                     \
        static const struct macs_entry miss;                                                                           \
        struct macs_##X##_bulk bulk;                                                                                   \
        const uint32_t some = key_bytes && keys[0] & 1 ? 1 + keys[0] / 2 % BATCH : BATCH;                              \
        const uint32_t more = some < BATCH ? 0 : MACS_BURST_MAX - BATCH;                                               \
        if (key_bytes > (KEY_BYTES)) {                                                                                 \
            batch_##X(self, keys, key_bytes, found);                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        memset(bulk.keys, 0xee, sizeof bulk.keys);                                                                     \
        for (uint32_t from = 0; from < BATCH; from += some) {                                                          \
            const uint32_t count = from + some <= BATCH ? some : BATCH - from;                                         \
            for (uint32_t i = 0; i < count + more; i++)                                                                \
                memcpy(bulk.keys[i], keys + (size_t)((from + i) % BATCH) * key_bytes, key_bytes);                      \
            macs_##X##_bulk_start(self, &bulk, count + more, key_bytes, &miss);                                        \
            for (uint32_t i = 0; i < count; i++)                                                                       \
                found[from + i] = bulk.entries[i] == bulk.miss ? NULL : bulk.entries[i];                               \
        }                                                                                                              \
    }
/* The same in parts, which stand one after the other here. */
#define DEFINE_BULK_IN_PARTS(X, KEY_BYTES)                                                                             \
    static inline void bulk_##X(const void *self, const uint8_t *keys, uint32_t key_bytes,                             \
                                const struct macs_entry **found) {                                                     \
        static const struct macs_entry miss;                                                                           \
        struct macs_##X##_bulk bulk;                                                                                   \
        const uint32_t some = key_bytes && keys[0] & 1 ? 1 + keys[0] / 2 % BATCH : BATCH;                              \
        if (key_bytes > (KEY_BYTES)) {                                                                                 \
            batch_##X(self, keys, key_bytes, found);                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        memset(bulk.keys, 0xee, sizeof bulk.keys);                                                                     \
        for (uint32_t from = 0; from < BATCH; from += some) {                                                          \
            const uint32_t count = from + some <= BATCH ? some : BATCH - from;                                         \
            for (uint32_t i = 0; i < count; i++)                                                                       \
                memcpy(bulk.keys[i], keys + (size_t)(from + i) * key_bytes, key_bytes);                                \
            macs_##X##_bulk_start(self, &bulk, count, key_bytes, &miss);                                               \
            macs_##X##_bulk_step(self, &bulk, count);                                                                  \
            macs_##X##_bulk_finish(self, &bulk, count, key_bytes);                                                     \
            for (uint32_t i = 0; i < count; i++)                                                                       \
                found[from + i] = bulk.entries[i] == bulk.miss ? NULL : bulk.entries[i];                               \
        }                                                                                                              \
    }
#define NO_STEP(self, key, key_bytes, cursor) (void)0

/* What a kernel can match, beyond whole keys. */
enum { PREFIXES = 1, MASKS = 2, RANGES = 4, EXACT_IN_FRONT = 8 };

struct subject {
    const char *name;
    const struct macs_table_ops *ops;
    lookup_fn *lookup;
    batch_fn *batch;
    unsigned can;
    uint32_t key_min, key_max, size_max; /* bytes of keys, entries */
    batch_fn *bulk;                      /* or NULL */
};

extern const struct subject subjects[];
extern const uint32_t subject_count;

/* The bytes of a key of it, four if it can be. */
static inline uint32_t some_bytes(const struct subject *subject) {
    const uint32_t most = subject->key_max < 4 ? subject->key_max : 4;
    return most < subject->key_min ? subject->key_min : most;
}

/* So many entries, or as many as a table of it may have. */
static inline uint32_t at_most(const struct subject *subject, uint32_t entries) {
    return entries < subject->size_max ? entries : subject->size_max;
}

/* The shape of a table of `size` entries whose key is one field: a prefix where the kernel has them, else exact. */
static inline struct macs_table_shape whole_key_shape(const struct subject *subject, uint32_t key_bytes,
                                                      uint32_t size) {
    uint32_t prefix_offset = subject->can & PREFIXES ? 0 : key_bytes;
    return (struct macs_table_shape){.key_bytes = key_bytes,
                                     .prefix_offset = prefix_offset,
                                     .value_bytes = sizeof(struct value),
                                     .size = size,
                                     .indexed = true};
}

/* xorshift64*: the same numbers for the same seed everywhere. */
static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static inline const struct subject *subject_named(const char *name) {
    for (uint32_t i = 0; i < subject_count; i++)
        if (strcmp(subjects[i].name, name) == 0)
            return &subjects[i];
    fprintf(stderr, "no kernel %s\n", name);
    exit(2);
}

#endif
