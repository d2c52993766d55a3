/* Memory for tables, on huge pages where they can be had. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_HUGETLB, MADV_HUGEPAGE */
#endif
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t whole_pages(size_t bytes) {
    return (bytes + MACS_MEMORY_BIG - 1) & ~(MACS_MEMORY_BIG - 1);
}

/* Ordinary memory that begins at a huge page's boundary: map more than that, give both ends back. */
static void *map_aligned(size_t bytes) {
    size_t mapped = bytes + MACS_MEMORY_BIG;
    if (mapped < bytes)
        return NULL;
    uint8_t *area = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        return NULL;
    size_t before = (MACS_MEMORY_BIG - (uintptr_t)area % MACS_MEMORY_BIG) % MACS_MEMORY_BIG;
    if (before)
        munmap(area, before);
    munmap(area + before + bytes, MACS_MEMORY_BIG - before);
#ifdef MADV_HUGEPAGE
    madvise(area + before, bytes, MADV_HUGEPAGE);
#endif
    return area + before;
}

void *macs_memory_alloc(size_t bytes, bool sparse) {
    if (bytes > SIZE_MAX - 2 * MACS_MEMORY_BIG)
        return NULL;
    if (bytes < MACS_MEMORY_BIG) {
        size_t lines = bytes ? (bytes + 63) & ~(size_t)63 : 64;
        void *memory = aligned_alloc(64, lines);
        return memory ? memset(memory, 0, lines) : NULL;
    }
#ifdef MAP_HUGETLB
    if (!sparse) {
        void *huge =
            mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
        if (huge != MAP_FAILED && (uintptr_t)huge % MACS_MEMORY_BIG == 0)
            return huge;
        if (huge != MAP_FAILED)
            munmap(huge, whole_pages(bytes));
    }
#endif
    return map_aligned(whole_pages(bytes));
}

void macs_memory_free(void *memory, size_t bytes) {
    if (!memory)
        return;
    if (bytes < MACS_MEMORY_BIG)
        free(memory);
    else
        munmap(memory, whole_pages(bytes));
}
