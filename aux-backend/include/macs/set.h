/* A set of packets of a burst, by their index: what one stage leaves for another. Listed in packet order, so that no
 * packet overtakes another at a stage however it came there. Threads: a worker's own. */
#ifndef MACS_SET_H
#define MACS_SET_H

#include <macs/program.h>
#include <stdint.h>

struct macs_set {
    uint64_t words[MACS_BURST_MAX / 64];
};

static inline void macs_set_add(struct macs_set *set, uint32_t index) {
    set->words[index / 64] |= UINT64_C(1) << index % 64;
}

/* The members in rising order into `list` (MACS_BURST_MAX places); returns how many. */
static inline uint32_t macs_set_list(const struct macs_set *set, uint16_t *list) {
    uint32_t count = 0;
    for (uint32_t word = 0; word < MACS_BURST_MAX / 64; word++)
        for (uint64_t left = set->words[word]; left; left &= left - 1)
            list[count++] = (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(left));
    return count;
}

#endif
