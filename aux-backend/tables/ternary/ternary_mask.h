/* Ternary match in a table whose entries all have the same mask: a hash of the masked key.
 *
 * Of the key only those words of 8 bytes are looked at in which the mask has a bit. Entries are in an array of places,
 * each where the hash of its masked words says, its *home*, or behind that: the home knows how far (`reach`). A place
 * has the masked words, so a lookup reads one cache line, then the entry. A prefix is a mask; so is a range that begins
 * and ends where one does.
 * Of entries with the same key, which differ in priority, only the best has a place. The first of all entries that is
 * removed then ends this, as does an entry with another mask: ternary_cells.h looks its entries up so while it can, and
 * else in its map, which is always there.
 * Invariants: the words of a place that was once used never change: an entry that is removed leaves its place unused
 * until all are made anew. A change is one atomic store of a slot number, so what a key finds is old or new.
 * -DMACS_NO_ONE_MASK: lookups never do this.
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Cost: lookup one hash and one line. Memory 64 to 512 bytes an entry for masks in up to 16 bytes. A change 0.1 µs.
 */
#ifndef MACS_TABLES_TERNARY_MASK_H
#define MACS_TABLES_TERNARY_MASK_H

#include <macs/inline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "tables/common/bulk.h"
#include "tables/common/hash.h"
#include "tables/common/prefetch.h"
#include "tables/common/rules.h"

#define MACS_TERNARY_MASK_WORDS 32u /* of a key */
#define MACS_TERNARY_MASK_TAKEN 2u  /* what is added to a slot, where a place has one */

struct macs_ternary_mask_place {
    _Atomic uint32_t slot;    /* + MACS_TERNARY_MASK_TAKEN; 0: free, 1: removed */
    _Atomic uint32_t reach;   /* places behind this one where an entry may be whose home it is */
    _Atomic uint64_t words[]; /* masked */
};

struct macs_ternary_mask {
    uint32_t words; /* at least one */
    uint32_t stride;
    uint32_t places; /* a power of two */
    uint64_t seed;
    uint8_t *base;
    uint32_t used;                           /* places that are not free; writer only, as the next */
    bool shadowed;                           /* some entry has no place: another one of the same key wins over it */
    uint8_t at[MACS_TERNARY_MASK_WORDS];     /* where in the key each word begins */
    uint64_t masks[MACS_TERNARY_MASK_WORDS]; /* of each word */
};

MACS_ALWAYS_INLINE struct macs_ternary_mask_place *macs_ternary_mask_at(const struct macs_ternary_mask *mask,
                                                                        uint32_t place) {
    return (struct macs_ternary_mask_place *)(void *)(mask->base + (size_t)place * mask->stride);
}

/* The home of a key, of so many words. */
MACS_ALWAYS_INLINE uint32_t macs_ternary_mask_home(const struct macs_ternary_mask *mask, const uint8_t *key,
                                                   uint32_t key_bytes, uint32_t words) {
    uint64_t hash = mask->seed;
    for (uint32_t at = 0; at < words; at++)
        hash = macs_hash_fold((macs_rules_key_word(key + mask->at[at], key_bytes) & mask->masks[at]) ^ hash,
                              MACS_HASH_PHI);
    hash = macs_hash_fold(hash ^ mask->seed, MACS_HASH_ROOT3) & MACS_HASH_MASK;
    return (uint32_t)(hash >> 32) & (mask->places - 1);
}

/* The slot that stands there, + MACS_TERNARY_MASK_TAKEN; less than that if it has none, or that of another key. Has no
 * branch, which nothing would foretell. */
MACS_ALWAYS_INLINE uint32_t macs_ternary_mask_look(const struct macs_ternary_mask *mask,
                                                   const struct macs_ternary_mask_place *place, const uint8_t *key,
                                                   uint32_t key_bytes, uint32_t words) {
    const uint32_t slot = atomic_load_explicit(&place->slot, memory_order_acquire);
    uint64_t differ = 0;
    for (uint32_t at = 0; at < words; at++)
        differ |= (macs_rules_key_word(key + mask->at[at], key_bytes) & mask->masks[at]) ^
                  atomic_load_explicit(&place->words[at], memory_order_relaxed);
    return slot & (0 - (uint32_t)(differ == 0));
}

/* The entry of a key with that home, or `miss`. */
MACS_ALWAYS_INLINE const struct macs_entry *macs_ternary_mask_probe(const struct macs_rules *rules,
                                                                    const struct macs_ternary_mask *mask, uint32_t home,
                                                                    const uint8_t *key, uint32_t key_bytes,
                                                                    uint32_t words, const struct macs_entry *miss) {
    const struct macs_ternary_mask_place *place = macs_ternary_mask_at(mask, home);
    const uint32_t reach = atomic_load_explicit(&place->reach, memory_order_acquire);
    uint32_t slot = macs_ternary_mask_look(mask, place, key, key_bytes, words);
    for (uint32_t far = 1; __builtin_expect(far <= reach, 0); far++) {
        place = macs_ternary_mask_at(mask, (home + far) & (mask->places - 1));
        const uint32_t other = macs_ternary_mask_look(mask, place, key, key_bytes, words);
        slot = other > slot ? other : slot;
    }
    const uintptr_t found = (uintptr_t)macs_values_at(&rules->values, slot - MACS_TERNARY_MASK_TAKEN);
    const uintptr_t is = (uintptr_t)0 - (slot >= MACS_TERNARY_MASK_TAKEN);
    return (const void *)((found & is) | ((uintptr_t)miss & ~is));
}

/* The home of a key, which is prefetched. */
static inline uint32_t macs_ternary_mask_start(const struct macs_ternary_mask *mask, const uint8_t *key,
                                               uint32_t key_bytes) {
    const uint32_t home = macs_ternary_mask_home(mask, key, key_bytes, mask->words);
    macs_prefetch(macs_ternary_mask_at(mask, home));
    return home;
}

/* The entry of a key with that home, or NULL. */
static inline const struct macs_entry *macs_ternary_mask_finish(const struct macs_rules *rules,
                                                                const struct macs_ternary_mask *mask,
                                                                const uint8_t *key, uint32_t key_bytes, uint32_t home) {
    return macs_ternary_mask_probe(rules, mask, home, key, key_bytes, mask->words, NULL);
}

/* Of many keys, each `next` bytes behind the one before: all homes, then their places. */
MACS_ALWAYS_INLINE void macs_ternary_mask_find_in(const struct macs_rules *rules, const struct macs_ternary_mask *mask,
                                                  const uint8_t *keys, uint32_t next, uint32_t count,
                                                  uint32_t key_bytes, uint32_t words, const struct macs_entry *miss,
                                                  const struct macs_entry *entries[]) {
    uint32_t homes[MACS_BURST_MAX];
    for (uint32_t i = 0; i < count; i++) {
        homes[i] = macs_ternary_mask_home(mask, keys + (size_t)i * next, key_bytes, words);
        macs_prefetch(macs_ternary_mask_at(mask, homes[i]));
    }
    for (uint32_t i = 0; i < count; i++)
        entries[i] = macs_ternary_mask_probe(rules, mask, homes[i], keys + (size_t)i * next, key_bytes, words, miss);
}

MACS_ALWAYS_INLINE void macs_ternary_mask_find_all(const struct macs_rules *rules, const struct macs_ternary_mask *mask,
                                                   const uint8_t *keys, uint32_t next, uint32_t count,
                                                   uint32_t key_bytes, const struct macs_entry *miss,
                                                   const struct macs_entry *entries[]) {
    if (mask->words == 1)
        macs_ternary_mask_find_in(rules, mask, keys, next, count, key_bytes, 1, miss, entries);
    else if (mask->words == 2)
        macs_ternary_mask_find_in(rules, mask, keys, next, count, key_bytes, 2, miss, entries);
    else
        macs_ternary_mask_find_in(rules, mask, keys, next, count, key_bytes, mask->words, miss, entries);
}

/* -- the writer's side ------------------------------------------------------------------------------------------------
 */

/* What readers see of all rules, not yet published; NULL where their masks differ, or without memory. */
struct macs_ternary_mask *macs_ternary_mask_make(const struct macs_rules *rules);
void macs_ternary_mask_free(struct macs_ternary_mask *mask);

/* Whether no more rules are put, until all are made anew. */
static inline bool macs_ternary_mask_is_full(const struct macs_ternary_mask *mask) {
    return mask->used * UINT64_C(4) >= mask->places;
}

/* Put a rule that has no place: whether there is one for it. Where there is none nothing has changed. */
bool macs_ternary_mask_put(struct macs_ternary_mask *mask, const struct macs_rules *rules,
                           const struct macs_rule *rule);

/* Readers find a rule in another slot from now on: whether it had a place, or needs none. */
bool macs_ternary_mask_move(struct macs_ternary_mask *mask, const struct macs_rules *rules,
                            const struct macs_rule *rule, uint32_t old);

/* Readers no longer find a rule: false where another entry may now have to be found in its place, or it had none. */
bool macs_ternary_mask_remove(struct macs_ternary_mask *mask, const struct macs_rules *rules,
                              const struct macs_rule *rule);

uint64_t macs_ternary_mask_bytes(const struct macs_ternary_mask *mask);

#endif
