/* A million entries in each kernel that is made for them: all found, none that is not there, half removed, all gone.
 * Usage: load KERNEL KEY_BYTES. Built with MACS_EXACT_HASH_LOAD_PERCENT=95: the hash must hold that without growing.
 */
#include "support.h"

#include "tables/exact/exact_hash.h"

enum { ENTRIES = 1000000 };

/* Key number n; odd numbers are never added. Prefix kernels get the whole key as prefix for some, for most a shorter
 * one that holds no other key. */
static struct macs_match *numbered(const struct subject *subject, struct own_match *own, uint32_t bytes, uint32_t n) {
    uint8_t key[KEY_MAX] = {0};
    for (uint32_t i = 0; i < 4; i++)
        key[i + (bytes > 8 ? 4 : 0)] = (uint8_t)((n << 8) * UINT32_C(2654435761) >> (24 - 8 * i));
    exactly(own, key, bytes);
    if (subject->can & PREFIXES && n % 64 != 2)
        own->match.prefix_bits = bytes > 8 ? 64 : 24;
    return &own->match;
}

/* What is said beforehand of a change of that match. */
static void prefetch(const struct macs_table_ops *ops, void *self, const struct macs_match *match) {
    for (int entry = 0; ops->prefetch && entry < 2; entry++)
        ops->prefetch(self, match, entry);
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    const struct subject *subject = subject_named(argv[1]);
    const struct macs_table_ops *ops = subject->ops;
    uint32_t bytes = (uint32_t)atoi(argv[2]);
    struct macs_table_shape shape = whole_key_shape(subject, bytes, ENTRIES);
    struct macs_qsbr *qsbr = NULL;
    struct own_match own;
    void *self = NULL;
    context = argv[1];
    CHECK(macs_qsbr_create(&qsbr) == 0 && ops->create(&shape, qsbr, &self) == 0);
    for (uint32_t n = 0; n < 2 * ENTRIES; n += 2) {
        struct value value = make_value(n + 1);
        prefetch(ops, self, numbered(subject, &own, bytes, n));
        CHECK(ops->add(self, numbered(subject, &own, bytes, n), &value, NULL) == 0);
    }
    CHECK(ops->count(self) == ENTRIES);
    if (ops == &macs_exact_hash_ops) {
        const struct macs_exact_hash_index *index = ((const struct macs_exact_hash *)self)->index;
        CHECK((uint64_t)ENTRIES * 1000 / (index->cuckoo.bucket_count * UINT64_C(8)) >= 949);
    }
    for (uint32_t n = 0; n < 2 * ENTRIES; n++) {
        numbered(subject, &own, bytes, n);
        CHECK(id_of(subject->lookup(self, own.value, bytes)) == (n % 2 ? 0 : n + 1));
    }
    for (uint32_t n = 0; n < 2 * ENTRIES; n += 4) {
        prefetch(ops, self, numbered(subject, &own, bytes, n));
        CHECK(ops->remove(self, &own.match) == 0);
    }
    for (uint32_t n = 0; n < 2 * ENTRIES; n += 2) {
        numbered(subject, &own, bytes, n);
        CHECK(id_of(subject->lookup(self, own.value, bytes)) == (n % 4 ? n + 1 : 0));
    }
    for (uint32_t n = 2; n < 2 * ENTRIES; n += 4)
        CHECK(ops->remove(self, numbered(subject, &own, bytes, n)) == 0);
    CHECK(ops->count(self) == 0);
    if (ops == &macs_exact_hash_ops) {
        const struct macs_exact_hash_index *index = ((const struct macs_exact_hash *)self)->index;
        for (uint32_t bucket = 0; bucket < index->cuckoo.bucket_count; bucket++)
            CHECK(index->cuckoo.overflows[bucket] == 0 && index->cuckoo.buckets[bucket].words[0] == 0);
    }
    ops->destroy(self);
    macs_qsbr_destroy(qsbr);
    puts("ok");
    return 0;
}
