/* Which worker a frame is for, where a program's registers are sharded: each cell is touched by one worker alone.
 *
 * The compiler finds bits of the indexes that are parities of the frame's bits (transpiler/schedule/steering.py): the
 * columns. Which bits of the frame they are made of depends on the frame's headers, so there is a tree of comparisons.
 * Threads: any; nothing is written.
 */
#ifndef MACS_STEER_H
#define MACS_STEER_H

#include <stdint.h>

#define MACS_STEER_COLUMNS 8
#define MACS_STEER_PARTS 1024 /* nodes and leaves, at most */

/* Compares a byte of the frame; without a mask, asks whether the frame has `at` bytes. `yes`, `no`: numbers of nodes,
 * behind these those of leaves. */
struct macs_steer_node {
    uint16_t at;
    uint8_t mask, value;
    uint16_t yes, no;
};

/* A byte of the frame, and the bits of it that count: those of column n in byte n. */
struct macs_steer_term {
    uint16_t at;
    uint64_t masks;
};

/* Terms from `first` on; `constant`: what is added, a bit a column. */
struct macs_steer_leaf {
    uint16_t first, count;
    uint8_t constant;
};

struct macs_steering {
    const struct macs_steer_node *nodes; /* the first one is the root; none: there is one leaf */
    const struct macs_steer_leaf *leaves;
    const struct macs_steer_term *terms;
    uint16_t node_count, leaf_count;
    uint8_t columns; /* 1 … MACS_STEER_COLUMNS */
};

/* The columns of a frame, the first one in bit 0. `length` bytes of it are there. */
static inline uint32_t macs_steer(const struct macs_steering *steering, const uint8_t *frame, uint32_t length) {
    uint32_t at = 0;
    while (at < steering->node_count) {
        const struct macs_steer_node node = steering->nodes[at];
        const int fits = node.mask ? (frame[node.at] & node.mask) == node.value : length >= node.at;
        at = fits ? node.yes : node.no;
    }
    const struct macs_steer_leaf leaf = steering->leaves[at - steering->node_count];
    uint64_t sums = 0; /* of column n in byte n */
    for (uint32_t i = leaf.first; i < (uint32_t)leaf.first + leaf.count; i++)
        sums ^= frame[steering->terms[i].at] * UINT64_C(0x0101010101010101) & steering->terms[i].masks;
    sums ^= sums >> 4;
    sums ^= sums >> 2;
    sums ^= sums >> 1;
    sums &= UINT64_C(0x0101010101010101);
    return (uint32_t)(sums * UINT64_C(0x0102040810204080) >> 56) ^ leaf.constant;
}

#endif
