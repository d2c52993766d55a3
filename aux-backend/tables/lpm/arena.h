/* Allocates small blocks on huge pages. A block is named by a number of 31 bits. Its size is a whole number of cache
 * lines; there is a list of free blocks for each size.
 *
 * Invariants: a block is aligned to 64 bytes and never moves. Chunks of 2 MiB are freed only with the arena. Number 0
 * is no block. With the address sanitizer a freed block is poisoned.
 * Threads: macs_arena_at by any, with a number that was published; all else by the one writer.
 * Cost: O(1); at most 8 GiB.
 * Errors: 0 when there is no memory or the block is too large.
 */
#ifndef MACS_TABLES_ARENA_H
#define MACS_TABLES_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define MACS_ARENA_BLOCK_MAX 4096u /* bytes */
#define MACS_ARENA_CHUNKS 4096u
/* A block's number: its chunk from this bit on, below it the cache line in the chunk. */
#ifndef MACS_ARENA_CHUNK_AT
#define MACS_ARENA_CHUNK_AT 15
#endif

struct macs_arena {
    uint8_t **chunks;                             /* MACS_ARENA_CHUNKS places */
    uint32_t free[MACS_ARENA_BLOCK_MAX / 64 + 1]; /* by cache lines: first of a list through the free blocks, or 0 */
    uint32_t chunk_count;
    uint32_t used; /* cache lines of the newest chunk */
};

/* 0 or -ENOMEM. */
int macs_arena_create(struct macs_arena *arena);

/* Takes all blocks along. */
void macs_arena_destroy(struct macs_arena *arena);

static inline void *macs_arena_at(const struct macs_arena *arena, uint32_t block) {
    uint32_t line = block & ((UINT32_C(1) << MACS_ARENA_CHUNK_AT) - 1);
    return arena->chunks[block >> MACS_ARENA_CHUNK_AT] + (size_t)line * 64;
}

uint32_t macs_arena_alloc(struct macs_arena *arena, size_t bytes);

/* `bytes` as given to macs_arena_alloc. */
void macs_arena_free(struct macs_arena *arena, uint32_t block, size_t bytes);

/* Bytes of the chunks, and of the writer's own data. */
uint64_t macs_arena_memory(const struct macs_arena *arena);

#endif
