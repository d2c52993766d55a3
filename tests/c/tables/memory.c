/* What a kernel says of its memory, beside what it has really allocated. It says all of the memory that is not sparse,
 * of the rest no more than there is, and what entries take as they come. Destroyed, a table leaves nothing.
 * Usage: memory KERNEL.
 * Link with --wrap for malloc, calloc, realloc, aligned_alloc, free, macs_memory_alloc and macs_memory_free.
 */
#include <malloc.h>

#include "support.h"

#include "tables/common/memory.h"

enum { ENTRIES = 3000, AREAS = 64 };

static uint64_t allocated;
static struct {
    void *memory;
    uint64_t bytes;
} dense[AREAS];

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

static uint32_t place_of(const void *memory) {
    uint32_t at = 0;
    while (at < AREAS && dense[at].memory != memory)
        at++;
    return at;
}

WRAPPED(void *, macs_memory_alloc, size_t bytes, bool sparse) {
    void *memory = __real_macs_memory_alloc(bytes, sparse);
    if (memory && !sparse) {
        const uint32_t at = place_of(NULL);
        CHECK(at < AREAS);
        dense[at].memory = memory;
        dense[at].bytes = bytes;
    }
    return memory;
}

WRAPPED(void, macs_memory_free, void *memory, size_t bytes) {
    const uint32_t at = memory ? place_of(memory) : AREAS;
    CHECK(at == AREAS || dense[at].bytes == bytes);
    if (at < AREAS)
        dense[at].memory = NULL;
    __real_macs_memory_free(memory, bytes);
}

static uint64_t dense_bytes(void) {
    uint64_t bytes = 0;
    for (uint32_t at = 0; at < AREAS; at++)
        bytes += dense[at].memory ? dense[at].bytes : 0;
    return bytes;
}

static uint64_t all_bytes(void) {
    const struct macs_memory_use use = macs_memory_use();
    return allocated + use.reserved + use.refused + use.sparse;
}

/* Returns what the table says. */
static uint64_t checked(const struct subject *subject, void *self, uint64_t before) {
    const uint64_t said = subject->ops->memory_bytes(self);
    CHECK(said <= all_bytes() - before);
    CHECK(said >= dense_bytes() + subject->ops->count(self) * sizeof(struct value));
    CHECK(!subject->ops->reader_bytes || subject->ops->reader_bytes(self) <= said);
    return said;
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    const struct subject *subject = subject_named(argv[1]);
    const uint32_t bytes = some_bytes(subject), size = at_most(subject, ENTRIES);
    const struct macs_table_shape shape = whole_key_shape(subject, bytes, size);
    const uint64_t before = all_bytes();
    struct own_match own;
    uint8_t key[KEY_MAX] = {0};
    void *self = NULL;
    context = subject->name;
    CHECK(subject->ops->create(&shape, NULL, &self) == 0);
    const uint64_t empty = checked(subject, self, before);
    for (uint32_t n = 0; n < size; n++) {
        const struct value value = make_value(n + 1);
        memcpy(key, &n, bytes < sizeof n ? bytes : sizeof n);
        CHECK(subject->ops->add(self, exactly(&own, key, bytes), &value.entry, NULL) == 0);
        if (n % 100 == 0)
            checked(subject, self, before);
    }
    CHECK(checked(subject, self, before) >= empty + size * sizeof(struct value));
    subject->ops->destroy(self);
    CHECK(all_bytes() == before && dense_bytes() == 0);
    puts("ok");
    return 0;
}
