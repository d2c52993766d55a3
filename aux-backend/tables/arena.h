/* Many small blocks on few huge pages: classes of whole cache lines, each with a list of free blocks.
 *
 * Invariants: a block is aligned to 64 bytes and never moves; chunks of 2 MiB are given back only when the arena is
 * destroyed. Built with a sanitizer each block comes from malloc, so that its use after release is seen.
 * Threads: the one writer.
 * Cost: O(1).
 * Errors: NULL when there is no memory or the block is too large.
 */
#ifndef MACS_TABLES_ARENA_H
#define MACS_TABLES_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define MACS_ARENA_BLOCK_MAX 4096u /* bytes */

struct macs_arena_block;
struct macs_arena_chunk;

struct macs_arena {
    struct macs_arena_block *free[MACS_ARENA_BLOCK_MAX / 64 + 1]; /* by cache lines */
    struct macs_arena_chunk *chunks;
    size_t used; /* bytes of the newest chunk */
    uint64_t bytes;
};

/* An arena of zeros is empty and ready. */
void *macs_arena_alloc(struct macs_arena *arena, size_t bytes);

/* `bytes` as given to macs_arena_alloc. */
void macs_arena_free(struct macs_arena *arena, void *block, size_t bytes);

/* Gives the chunks back; every block must have been freed before. */
void macs_arena_destroy(struct macs_arena *arena);

#endif
