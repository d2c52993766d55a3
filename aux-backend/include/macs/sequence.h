/* A sequence of items of one size. One thread changes it while any number of readers see it whole.
 *
 * A version of the sequence is immutable. It consists of runs of at most MACS_SEQUENCE_RUN items, most of which it
 * shares with the version before. A change copies one run or two, and the array of runs. So a reader sees all items of
 * one moment, and a change costs O(n / MACS_SEQUENCE_RUN + MACS_SEQUENCE_RUN) instead of O(n). Few items (24 bytes of
 * them) are in the same cache line as the version itself; no other version shares them.
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 */
#ifndef MACS_SEQUENCE_H
#define MACS_SEQUENCE_H

#include <stdint.h>

#define MACS_SEQUENCE_RUN 512u

struct macs_qsbr;

struct macs_sequence_run {
    uint32_t count;
    uint32_t unused;
    uint64_t items[]; /* of the list's size; this is how they are aligned */
};

struct macs_sequence_part {
    struct macs_sequence_run *run; /* not empty */
    uint32_t start;                /* items before it */
};

struct macs_sequence {
    uint32_t count;
    uint32_t part_count;
    uint32_t own; /* the writer's: the parts from here on whose runs are no other version's and go with this one */
    uint32_t own_count;
    struct macs_sequence_part parts[];
};

/* Item number `at`, which is below the count. */
static inline void *macs_sequence_at(const struct macs_sequence *list, uint32_t item_bytes, uint32_t at) {
    uint32_t low = 0, high = list->part_count - 1;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (list->parts[middle].start <= at)
            low = middle;
        else
            high = middle - 1;
    }
    const struct macs_sequence_part *part = &list->parts[low];
    return (uint8_t *)part->run->items + (uint64_t)(at - part->start) * item_bytes;
}

/* An empty one, or NULL. */
struct macs_sequence *macs_sequence_create(void);

/* All of it. NULL is allowed. */
void macs_sequence_destroy(struct macs_sequence *list);

/* The same as a macs_qsbr_release_fn, of a version that nothing follows. */
void macs_sequence_release(void *owner, void *list);

/* Take out `removed` items from number `at` on and put `added` others there: *list becomes the new version, for the
 * caller to publish and then to defer macs_sequence_retire() of the old one. 0 or -ENOMEM, and nothing has changed. */
int macs_sequence_splice(struct macs_sequence **list, uint32_t item_bytes, uint32_t at, uint32_t removed,
                         const void *items, uint32_t added);

/* A macs_qsbr_release_fn for a replaced version. */
void macs_sequence_retire(void *owner, void *list);

uint64_t macs_sequence_memory(const struct macs_sequence *list, uint32_t item_bytes);

#endif
