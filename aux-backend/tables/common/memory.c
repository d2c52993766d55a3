/* Memory for tables; see memory.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_HUGETLB, MADV_HUGEPAGE */
#endif
#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "poison.h"

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

/* -- what shares a page -----------------------------------------------------------------------------------------------
 */

/* A mapped page, in units. */
struct shared {
    struct shared *next;
    uint8_t *memory;
    uint32_t used; /* a bit for each unit */
};

static struct shared *shared_pages;
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

/* What needs all units of a page has one of its own. */
static bool is_shared(size_t bytes) {
    return bytes >= MACS_MEMORY_UNIT && bytes <= MACS_MEMORY_BIG - MACS_MEMORY_UNIT;
}

static unsigned units_of(size_t bytes) {
    return (unsigned)((bytes + MACS_MEMORY_UNIT - 1) / MACS_MEMORY_UNIT);
}

/* So many units that are free one behind the other, as bits; 0: there are not so many. */
static uint32_t find_free(const struct shared *page, unsigned units) {
    const uint32_t run = (UINT32_C(1) << units) - 1;
    for (unsigned at = 0; at + units <= 32; at++)
        if (!(page->used & run << at))
            return run << at;
    return 0;
}

static struct shared *add_page(void) {
    struct shared *page = malloc(sizeof *page);
    void *memory = page ? map_recorded(MACS_MEMORY_BIG, false) : NULL;
    if (!memory) {
        free(page);
        return NULL;
    }
    ASAN_POISON_MEMORY_REGION(memory, MACS_MEMORY_BIG);
    *page = (struct shared){shared_pages, memory, 0};
    shared_pages = page;
    return page;
}

static void *take_shared(size_t bytes) {
    const unsigned units = units_of(bytes);
    uint32_t found = 0;
    pthread_mutex_lock(&shared_lock);
    struct shared *page = shared_pages;
    while (page && !(found = find_free(page, units)))
        page = page->next;
    if (!page && (page = add_page()) != NULL)
        found = find_free(page, units);
    uint8_t *memory = NULL;
    if (page) {
        page->used |= found;
        memory = page->memory + (unsigned)__builtin_ctz(found) * MACS_MEMORY_UNIT;
    }
    pthread_mutex_unlock(&shared_lock);
    if (!memory)
        return NULL;
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    return memset(memory, 0, bytes);
}

static void give_shared(void *memory, size_t bytes) {
    const size_t offset = (uintptr_t)memory % MACS_MEMORY_BIG;
    const uint8_t *const start = (uint8_t *)memory - offset;
    pthread_mutex_lock(&shared_lock);
    struct shared **link = &shared_pages;
    while ((*link)->memory != start)
        link = &(*link)->next;
    struct shared *page = *link;
    page->used &= ~(((UINT32_C(1) << units_of(bytes)) - 1) << offset / MACS_MEMORY_UNIT);
    ASAN_POISON_MEMORY_REGION(memory, bytes);
    const bool empty = !page->used;
    if (empty)
        *link = page->next;
    pthread_mutex_unlock(&shared_lock);
    if (empty) {
        strike_out(page->memory);
        ASAN_UNPOISON_MEMORY_REGION(page->memory, MACS_MEMORY_BIG);
        munmap(page->memory, MACS_MEMORY_BIG);
        free(page);
    }
}

/* -- all --------------------------------------------------------------------------------------------------------------
 */

void *macs_memory_alloc(size_t bytes, bool sparse) {
    if (bytes > SIZE_MAX - 2 * MACS_MEMORY_BIG)
        return NULL;
    if (is_shared(bytes))
        return take_shared(bytes);
    if (bytes < MACS_MEMORY_UNIT) {
        size_t lines = bytes ? (bytes + 63) & ~(size_t)63 : 64;
        void *memory = aligned_alloc(64, lines);
        return memory ? memset(memory, 0, lines) : NULL;
    }
    return map_recorded(whole_pages(bytes), sparse);
}

void macs_memory_free(void *memory, size_t bytes) {
    if (!memory)
        return;
    if (is_shared(bytes)) {
        give_shared(memory, bytes);
    } else if (bytes < MACS_MEMORY_UNIT) {
        free(memory);
    } else {
        strike_out(memory);
        munmap(memory, whole_pages(bytes));
    }
}
