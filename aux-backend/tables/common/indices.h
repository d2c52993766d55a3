/* Allocates the indices 0 … size - 1 of a table's entries, in O(1).
 *
 * Where readers have indices of entries, one that is given back is taken again only after a grace period.
 * Threads: the one writer.
 * Cost: 4 bytes for each index that was ever freed.
 */
#ifndef MACS_TABLES_INDICES_H
#define MACS_TABLES_INDICES_H

#include <macs/qsbr.h>
#include <stdint.h>

struct macs_indices {
    uint32_t *next; /* of a free index: the one that is free after it, + 1 */
    uint32_t size;
    uint32_t top;   /* from here on none was ever taken */
    uint32_t free;  /* first of the list through those that were given back, + 1; 0: none */
    uint32_t given; /* which is taken next, + 1: one that was taken before; 0: any */
};

/* 0 or -ENOMEM. */
int macs_indices_create(struct macs_indices *indices, uint32_t size);
void macs_indices_destroy(struct macs_indices *indices);

/* 0, or -ENOSPC when all are taken. */
int macs_indices_take(struct macs_indices *indices, uint32_t *index);
void macs_indices_give(struct macs_indices *indices, uint32_t index);

/* The same where `entries` have one now: if all others wait for their readers, this waits too. 0, -ENOSPC, -EBUSY. */
int macs_indices_take_waiting(struct macs_indices *indices, struct macs_qsbr *qsbr, uint32_t entries, uint32_t *index);

/* Free an index after a grace period. Needs one reserved defer; macs_qsbr_drop() of the indices drops it. */
void macs_indices_give_later(struct macs_indices *indices, struct macs_qsbr *qsbr, uint32_t index);

uint64_t macs_indices_memory(const struct macs_indices *indices);

#endif
