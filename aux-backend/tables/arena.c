/* Small blocks on huge pages. */
#include "arena.h"

#include <stdlib.h>

#include "memory.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BLOCKS_FROM_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BLOCKS_FROM_MALLOC 1
#endif
#endif

struct macs_arena_block {
    struct macs_arena_block *next;
};

struct macs_arena_chunk {
    _Alignas(64) struct macs_arena_chunk *next;
};

#ifdef BLOCKS_FROM_MALLOC

void *macs_arena_alloc(struct macs_arena *arena, size_t bytes) {
    void *block = bytes <= MACS_ARENA_BLOCK_MAX ? aligned_alloc(64, (bytes + 63) & ~(size_t)63) : NULL;
    arena->bytes += block ? (bytes + 63) & ~(size_t)63 : 0;
    return block;
}

void macs_arena_free(struct macs_arena *arena, void *block, size_t bytes) {
    arena->bytes -= (bytes + 63) & ~(size_t)63;
    free(block);
}

#else

/* Begin a new chunk; what is left of the last one is less than a block and is lost. */
static int add_chunk(struct macs_arena *arena) {
    struct macs_arena_chunk *chunk = macs_memory_alloc(MACS_MEMORY_BIG, false);
    if (!chunk)
        return 0;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->used = sizeof *chunk;
    arena->bytes += MACS_MEMORY_BIG;
    return 1;
}

void *macs_arena_alloc(struct macs_arena *arena, size_t bytes) {
    size_t lines = (bytes + 63) / 64;
    if (bytes > MACS_ARENA_BLOCK_MAX)
        return NULL;
    struct macs_arena_block *block = arena->free[lines];
    if (block) {
        arena->free[lines] = block->next;
        return block;
    }
    if ((!arena->chunks || arena->used + lines * 64 > MACS_MEMORY_BIG) && !add_chunk(arena))
        return NULL;
    void *fresh = (uint8_t *)arena->chunks + arena->used;
    arena->used += lines * 64;
    return fresh;
}

void macs_arena_free(struct macs_arena *arena, void *block, size_t bytes) {
    struct macs_arena_block *freed = block;
    freed->next = arena->free[(bytes + 63) / 64];
    arena->free[(bytes + 63) / 64] = freed;
}

#endif

void macs_arena_destroy(struct macs_arena *arena) {
    while (arena->chunks) {
        struct macs_arena_chunk *next = arena->chunks->next;
        macs_memory_free(arena->chunks, MACS_MEMORY_BIG);
        arena->chunks = next;
    }
}
