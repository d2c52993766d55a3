/* Allocates numbers, the lowest free one first, as BMv2 numbers its handles.
 *
 * A tree of bits. A bit of level 0 is set if its number is in use; a bit of a higher level is set if the 64 bits below
 * it are all set.
 * Threads: one.
 * Cost: one word for each level, however many numbers are in use.
 */
#ifndef MACS_RUNTIME_HANDLES_H
#define MACS_RUNTIME_HANDLES_H

#include <stdint.h>

#define MACS_HANDLE_LEVELS 6u /* 64^6 numbers: more than there are */

struct macs_handles {
    uint64_t size; /* numbers below this */
    unsigned levels;
    uint64_t *level[MACS_HANDLE_LEVELS];
};

/* None is taken. 0 or -ENOMEM; what was made so far is freed by macs_handles_fini(). */
int macs_handles_init(struct macs_handles *handles, uint64_t size);
void macs_handles_fini(struct macs_handles *handles);

/* 0, or -ENOSPC when all are taken. */
int macs_handles_take(struct macs_handles *handles, uint32_t *handle);
void macs_handles_give_back(struct macs_handles *handles, uint32_t handle);

#endif
