/* The writer's side of the cuckoo buckets; their layout and rules are in cuckoo.h. */
#include "cuckoo.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "tables/common/memory.h"

enum { SEARCH_MAX = 1024 /* buckets that a search for a path looks at */ };

typedef struct macs_cuckoo cuckoo_t;
typedef struct macs_cuckoo_place place_t;

static size_t notes_bytes(const cuckoo_t *cuckoo) {
    return (size_t)cuckoo->bucket_count * MACS_CUCKOO_WAYS * sizeof *cuckoo->notes;
}

int macs_cuckoo_init(cuckoo_t *cuckoo, uint64_t bucket_count, bool with_notes) {
    *cuckoo = (cuckoo_t){0};
    if (bucket_count >= UINT32_MAX || bucket_count >= SIZE_MAX / 2 / sizeof *cuckoo->buckets)
        return -ENOMEM;
    cuckoo->bucket_count = (uint32_t)bucket_count;
    cuckoo->buckets = macs_memory_alloc((size_t)bucket_count * sizeof *cuckoo->buckets, false);
    cuckoo->overflows = macs_memory_alloc((size_t)bucket_count * sizeof *cuckoo->overflows, true);
    if (with_notes)
        cuckoo->notes = macs_memory_alloc(notes_bytes(cuckoo), true);
    return cuckoo->buckets && cuckoo->overflows && (cuckoo->notes || !with_notes) ? 0 : -ENOMEM;
}

void macs_cuckoo_fini(cuckoo_t *cuckoo) {
    macs_memory_free(cuckoo->buckets, (size_t)cuckoo->bucket_count * sizeof *cuckoo->buckets);
    macs_memory_free(cuckoo->overflows, (size_t)cuckoo->bucket_count * sizeof *cuckoo->overflows);
    macs_memory_free(cuckoo->notes, notes_bytes(cuckoo));
    *cuckoo = (cuckoo_t){0};
}

void macs_cuckoo_free(cuckoo_t *index) {
    if (!index)
        return;
    macs_cuckoo_fini(index);
    free(index);
}

void macs_cuckoo_release(void *owner, void *index) {
    (void)owner;
    macs_cuckoo_free(index);
}

uint64_t macs_cuckoo_memory(const cuckoo_t *cuckoo) {
    return (uint64_t)cuckoo->bucket_count * (sizeof *cuckoo->buckets + sizeof *cuckoo->overflows) +
           (cuckoo->notes ? notes_bytes(cuckoo) : 0);
}

uint64_t macs_cuckoo_word(const cuckoo_t *cuckoo, place_t at) {
    uint64_t word = atomic_load_explicit(&cuckoo->buckets[at.bucket].words[at.way], memory_order_relaxed);
    return word & ~MACS_CUCKOO_OVERFLOW;
}

bool macs_cuckoo_next(const cuckoo_t *cuckoo, place_t *at, uint64_t *word) {
    for (; at->bucket < cuckoo->bucket_count; *at = macs_cuckoo_behind(*at)) {
        *word = macs_cuckoo_word(cuckoo, *at);
        if (*word)
            return true;
    }
    return false;
}

/* Store a word, keeping the bucket's overflow mark. */
static void put(cuckoo_t *cuckoo, place_t at, uint64_t word) {
    _Atomic uint64_t *place = &cuckoo->buckets[at.bucket].words[at.way];
    uint64_t mark = atomic_load_explicit(place, memory_order_relaxed) & MACS_CUCKOO_OVERFLOW;
    atomic_store_explicit(place, word | mark, memory_order_release);
}

/* Count entries of this primary bucket that stand elsewhere, and mark it accordingly. */
static void count_overflow(cuckoo_t *cuckoo, uint32_t bucket, int difference) {
    uint64_t word = macs_cuckoo_word(cuckoo, (place_t){bucket, 0});
    cuckoo->overflows[bucket] += (uint32_t)difference;
    if (cuckoo->overflows[bucket])
        word |= MACS_CUCKOO_OVERFLOW;
    atomic_store_explicit(&cuckoo->buckets[bucket].words[0], word, memory_order_release);
}

/* A free way; MACS_CUCKOO_WAYS: none. */
static uint32_t free_way(const cuckoo_t *cuckoo, uint32_t bucket) {
    uint32_t free = macs_scan(cuckoo->buckets[bucket].words, ~MACS_CUCKOO_OVERFLOW, 0);
    return free ? (uint32_t)__builtin_ctz(free) : MACS_CUCKOO_WAYS;
}

static uint32_t *note(cuckoo_t *cuckoo, place_t at) {
    return &cuckoo->notes[(size_t)at.bucket * MACS_CUCKOO_WAYS + at.way];
}

/* Move an entry to its other bucket's free way; see the invariant in cuckoo.h. */
static void move(cuckoo_t *cuckoo, place_t from, place_t to) {
    uint64_t word = macs_cuckoo_word(cuckoo, from);
    bool to_primary = word & MACS_CUCKOO_SECONDARY;
    put(cuckoo, to, word ^ MACS_CUCKOO_SECONDARY);
    if (cuckoo->notes)
        *note(cuckoo, to) = *note(cuckoo, from);
    if (!to_primary)
        count_overflow(cuckoo, from.bucket, 1);
    atomic_fetch_add_explicit(&cuckoo->moves, 1, memory_order_acq_rel);
    put(cuckoo, from, 0);
    if (to_primary)
        count_overflow(cuckoo, to.bucket, -1);
}

/* A bucket in the search for a path: reached by moving the entry in `way` of the bucket of node `parent`. */
struct node {
    uint32_t bucket;
    int16_t parent;
    uint8_t way;
};

static bool on_path(const struct node *nodes, int at, uint32_t bucket) {
    for (; at >= 0; at = nodes[at].parent)
        if (nodes[at].bucket == bucket)
            return true;
    return false;
}

/* Make a way of bucket a or b free by moving others. Breadth first, so by the fewest moves. */
static bool make_room(cuckoo_t *cuckoo, uint32_t a, uint32_t b, macs_cuckoo_other_fn *other, const void *table,
                      place_t *room) {
    struct node nodes[SEARCH_MAX] = {{a, -1, 0}, {b, -1, 0}};
    int count = 2;
    for (int at = 0; at < count; at++) {
        *room = (place_t){nodes[at].bucket, free_way(cuckoo, nodes[at].bucket)};
        if (room->way < MACS_CUCKOO_WAYS) {
            for (; nodes[at].parent >= 0; at = nodes[at].parent) {
                place_t from = {nodes[nodes[at].parent].bucket, nodes[at].way};
                move(cuckoo, from, *room);
                *room = from;
            }
            return true;
        }
        for (uint32_t way = 0; way < MACS_CUCKOO_WAYS && count < SEARCH_MAX; way++) {
            uint64_t word = macs_cuckoo_word(cuckoo, (place_t){nodes[at].bucket, way});
            uint32_t next = other(table, nodes[at].bucket, word);
            if (!on_path(nodes, at, next))
                nodes[count++] = (struct node){next, (int16_t)at, (uint8_t)way};
        }
    }
    return false;
}

bool macs_cuckoo_add(cuckoo_t *cuckoo, uint32_t primary, uint64_t word, macs_cuckoo_other_fn *other, const void *table,
                     place_t *place) {
    place_t at = {primary, free_way(cuckoo, primary)};
    if (at.way == MACS_CUCKOO_WAYS && !make_room(cuckoo, primary, other(table, primary, word), other, table, &at))
        return false;
    put(cuckoo, at, at.bucket == primary ? word : word | MACS_CUCKOO_SECONDARY);
    if (at.bucket != primary)
        count_overflow(cuckoo, primary, 1);
    if (place)
        *place = at;
    return true;
}

void macs_cuckoo_replace(cuckoo_t *cuckoo, place_t at, uint64_t word) {
    put(cuckoo, at, word | (macs_cuckoo_word(cuckoo, at) & MACS_CUCKOO_SECONDARY));
}

void macs_cuckoo_remove(cuckoo_t *cuckoo, place_t at, uint32_t primary) {
    put(cuckoo, at, 0);
    if (at.bucket != primary)
        count_overflow(cuckoo, primary, -1);
}
