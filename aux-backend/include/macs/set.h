/* The packets that go to a stage, by their index in the burst, in packet order: at no stage does a packet overtake
 * another, whichever stage it comes from.
 *
 * A list, where only one stage hands over packets, as that stage has them in order. Else a bit set, which is listed
 * when all packets are in it.
 * Threads: a worker's own.
 */
#ifndef MACS_SET_H
#define MACS_SET_H

#include <macs/program.h>
#include <stdint.h>

struct macs_list {
    uint16_t *members; /* apart, so that compilers keep the list itself in registers */
    uint32_t count;
};

/* `members`: MACS_BURST_MAX places for them. */
static inline void macs_list_init(struct macs_list *list, uint16_t *members) {
    *list = (struct macs_list){.members = members};
}

static inline void macs_list_add(struct macs_list *list, uint32_t index) {
    list->members[list->count++] = (uint16_t)index;
}

struct macs_set {
    uint64_t words[MACS_BURST_MAX / 64];
};

static inline void macs_set_clear(struct macs_set *set) {
    *set = (struct macs_set){0};
}

static inline void macs_set_add(struct macs_set *set, uint32_t index) {
    set->words[index / 64] |= UINT64_C(1) << index % 64;
}

/* The members in rising order into `list` (MACS_BURST_MAX places); returns how many. Mostly a burst goes on as a whole:
 * the first so many packets are listed by vector code. */
static inline uint32_t macs_set_list(const struct macs_set *set, uint16_t *list) {
    uint32_t count = 0;
    for (uint32_t word = 0; word < MACS_BURST_MAX / 64; word++) {
        uint64_t left = set->words[word];
        if (__builtin_expect((left & (left + 1)) == 0, 1)) {
            const uint32_t first = (uint32_t)__builtin_popcountll(left);
            for (uint32_t i = 0; i < first; i++)
                list[count + i] = (uint16_t)(word * 64 + i);
            count += first;
            continue;
        }
        for (; left; left &= left - 1)
            list[count++] = (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(left));
    }
    return count;
}

#endif
