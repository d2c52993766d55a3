/* Allocation of small blocks on huge pages; see arena.h. */
#include "arena.h"

#include <errno.h>
#include <stdlib.h>

#include "tables/common/memory.h"
#include "tables/common/poison.h"

enum { CHUNK_LINES = 1 << MACS_ARENA_CHUNK_AT, CHUNK_BYTES = CHUNK_LINES * 64 };

_Static_assert(CHUNK_BYTES >= MACS_ARENA_BLOCK_MAX, "a chunk holds a block");

int macs_arena_create(struct macs_arena *arena) {
    *arena = (struct macs_arena){.used = CHUNK_LINES};
    arena->chunks = calloc(MACS_ARENA_CHUNKS, sizeof *arena->chunks);
    return arena->chunks ? 0 : -ENOMEM;
}

void macs_arena_destroy(struct macs_arena *arena) {
    for (uint32_t i = 0; i < arena->chunk_count; i++) {
        ASAN_UNPOISON_MEMORY_REGION(arena->chunks[i], CHUNK_BYTES);
        macs_memory_free(arena->chunks[i], CHUNK_BYTES);
    }
    free(arena->chunks);
    *arena = (struct macs_arena){0};
}

/* Begin a new chunk; what is left of the last one is less than a block and is lost. */
static int add_chunk(struct macs_arena *arena) {
    uint8_t *chunk = arena->chunk_count < MACS_ARENA_CHUNKS ? macs_memory_alloc(CHUNK_BYTES, false) : NULL;
    if (!chunk)
        return -ENOMEM;
    arena->used = arena->chunk_count ? 0 : 1; /* number 0 is no block */
    arena->chunks[arena->chunk_count++] = chunk;
    return 0;
}

uint32_t macs_arena_alloc(struct macs_arena *arena, size_t bytes) {
    uint32_t lines = (uint32_t)((bytes + 63) / 64);
    if (bytes > MACS_ARENA_BLOCK_MAX)
        return 0;
    uint32_t block = arena->free[lines];
    if (block) {
        uint32_t *next = macs_arena_at(arena, block);
        ASAN_UNPOISON_MEMORY_REGION(next, (size_t)lines * 64);
        arena->free[lines] = *next;
        __builtin_prefetch(macs_arena_at(arena, *next)); /* the next time it is read */
        return block;
    }
    if (arena->used + lines > CHUNK_LINES && add_chunk(arena))
        return 0;
    block = (arena->chunk_count - 1) << MACS_ARENA_CHUNK_AT | arena->used;
    arena->used += lines;
    return block;
}

void macs_arena_free(struct macs_arena *arena, uint32_t block, size_t bytes) {
    uint32_t lines = (uint32_t)((bytes + 63) / 64);
    uint32_t *next = macs_arena_at(arena, block);
    *next = arena->free[lines];
    arena->free[lines] = block;
    ASAN_POISON_MEMORY_REGION(next, (size_t)lines * 64);
}

uint64_t macs_arena_memory(const struct macs_arena *arena) {
    return (uint64_t)arena->chunk_count * CHUNK_BYTES + MACS_ARENA_CHUNKS * sizeof *arena->chunks;
}
