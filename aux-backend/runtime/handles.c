#include "runtime/handles.h"

#include <errno.h>
#include <stdlib.h>

#define BITS 64u

int macs_handles_init(struct macs_handles *handles, uint64_t size) {
    *handles = (struct macs_handles){.size = size};
    uint64_t count = size;
    do {
        count = count / BITS + 1; /* a bit more than there are: it is never set */
        handles->level[handles->levels] = calloc(count, sizeof(uint64_t));
        if (!handles->level[handles->levels])
            return -ENOMEM;
        handles->levels++;
    } while (count > 1);
    return 0;
}

void macs_handles_fini(struct macs_handles *handles) {
    for (unsigned level = 0; level < handles->levels; level++)
        free(handles->level[level]);
    *handles = (struct macs_handles){0};
}

int macs_handles_take(struct macs_handles *handles, uint32_t *handle) {
    uint64_t at = 0;
    for (unsigned level = handles->levels; level--;)
        at = at * BITS + (unsigned)__builtin_ctzll(~handles->level[level][at]);
    if (at >= handles->size)
        return -ENOSPC;
    *handle = (uint32_t)at;
    for (unsigned level = 0; level < handles->levels; level++, at /= BITS) {
        uint64_t *word = &handles->level[level][at / BITS];
        *word |= UINT64_C(1) << at % BITS;
        if (~*word)
            break;
    }
    return 0;
}

void macs_handles_give_back(struct macs_handles *handles, uint32_t handle) {
    uint64_t at = handle;
    for (unsigned level = 0; level < handles->levels; level++, at /= BITS)
        handles->level[level][at / BITS] &= ~(UINT64_C(1) << at % BITS);
}
