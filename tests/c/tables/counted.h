/* The bytes that are allocated, counted as they come and go.
 * Link with --wrap for malloc, calloc, realloc, aligned_alloc and free.
 */
#ifndef TABLES_COUNTED_H
#define TABLES_COUNTED_H

#include <malloc.h>

#include "support.h"

#include "tables/common/memory.h"

static uint64_t allocated;

#define WRAPPED(RESULT, NAME, ...)                                                                                     \
    RESULT __real_##NAME(__VA_ARGS__);                                                                                 \
    RESULT __wrap_##NAME(__VA_ARGS__);                                                                                 \
    RESULT __wrap_##NAME(__VA_ARGS__)

static void *counted(void *memory) {
    allocated += malloc_usable_size(memory);
    return memory;
}

WRAPPED(void *, malloc, size_t bytes) {
    return counted(__real_malloc(bytes));
}

WRAPPED(void *, calloc, size_t count, size_t bytes) {
    return counted(__real_calloc(count, bytes));
}

WRAPPED(void *, realloc, void *memory, size_t bytes) {
    allocated -= malloc_usable_size(memory);
    return counted(__real_realloc(memory, bytes));
}

WRAPPED(void *, aligned_alloc, size_t alignment, size_t bytes) {
    return counted(__real_aligned_alloc(alignment, bytes));
}

WRAPPED(void, free, void *memory) {
    allocated -= malloc_usable_size(memory);
    __real_free(memory);
}

/* With what is mapped. */
static uint64_t all_bytes(void) {
    const struct macs_memory_use use = macs_memory_use();
    return allocated + use.reserved + use.refused + use.sparse;
}

#endif
