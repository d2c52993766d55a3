/* Memory for tables; see memory.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_HUGETLB, MADV_HUGEPAGE */
#endif
#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A record of the mapped areas. */
struct area {
    struct area *next;
    void *memory;
    uint64_t *kind; /* the member of `use` that it counts in */
    size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct area *areas;
static struct macs_memory_use use;
static bool avoids_huge_pages;

void macs_memory_avoid_huge_pages(void) {
    avoids_huge_pages = true;
}

static void record(struct area *area, void *memory, size_t bytes, uint64_t *kind) {
    pthread_mutex_lock(&lock);
    *area = (struct area){areas, memory, kind, bytes};
    areas = area;
    *kind += bytes;
    pthread_mutex_unlock(&lock);
}

static void strike_out(const void *memory) {
    pthread_mutex_lock(&lock);
    struct area **link = &areas;
    while (*link && (*link)->memory != memory)
        link = &(*link)->next;
    struct area *area = *link;
    if (area) {
        *area->kind -= area->bytes;
        *link = area->next;
    }
    pthread_mutex_unlock(&lock);
    free(area);
}

struct macs_memory_use macs_memory_use(void) {
    pthread_mutex_lock(&lock);
    struct macs_memory_use now = use;
    pthread_mutex_unlock(&lock);
    return now;
}

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
    madvise(area + before, bytes, avoids_huge_pages ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
#endif
    return area + before;
}

/* Memory on reserved huge pages, or NULL. */
static void *map_reserved(size_t bytes) {
#ifdef MAP_HUGETLB
    void *huge = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (huge != MAP_FAILED && (uintptr_t)huge % MACS_MEMORY_BIG == 0)
        return huge;
    if (huge != MAP_FAILED)
        munmap(huge, bytes);
#endif
    (void)bytes;
    return NULL;
}

static void *map_recorded(size_t bytes, bool sparse) {
    struct area *area = malloc(sizeof *area);
    sparse |= avoids_huge_pages;
    void *memory = area && !sparse ? map_reserved(bytes) : NULL;
    uint64_t *kind = memory ? &use.reserved : sparse ? &use.sparse : &use.refused;
    if (area && !memory)
        memory = map_aligned(bytes);
    if (memory)
        record(area, memory, bytes, kind);
    else
        free(area);
    return memory;
}

void *macs_memory_alloc(size_t bytes, bool sparse) {
    if (bytes > SIZE_MAX - 2 * MACS_MEMORY_BIG)
        return NULL;
    if (bytes < MACS_MEMORY_BIG) {
        size_t lines = bytes ? (bytes + 63) & ~(size_t)63 : 64;
        void *memory = aligned_alloc(64, lines);
        return memory ? memset(memory, 0, lines) : NULL;
    }
    return map_recorded(whole_pages(bytes), sparse);
}

void macs_memory_free(void *memory, size_t bytes) {
    if (!memory)
        return;
    if (bytes < MACS_MEMORY_BIG) {
        free(memory);
        return;
    }
    strike_out(memory);
    munmap(memory, whole_pages(bytes));
}
