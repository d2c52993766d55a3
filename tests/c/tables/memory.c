/* What a kernel says of its memory, beside what it has really allocated. It says all of the memory that is not sparse,
 * of the rest no less than what has been written and no more than there is, and what entries take as they come.
 * Prefixes with the same value take less. Destroyed, a table leaves nothing.
 * Usage: memory KERNEL.
 * Link with --wrap for malloc, calloc, realloc, aligned_alloc, free, macs_memory_alloc and macs_memory_free.
 */
#include "counted.h"

enum { ENTRIES = 3000, FEWER = 100, FEW = 10, AREAS = 64, LINE = 64 };
enum { GROUP_BYTES = 256 * 4 + 64 /* of lpm_dir24, with what the writer knows of it */ };

enum { SELF = 640 /* the table itself, and what it keeps one match in */ };

static struct {
    uint8_t *memory;
    uint64_t bytes;
    bool sparse;
} areas[AREAS];

static uint64_t allocated_for_areas;

static uint32_t place_of(const uint8_t *memory) {
    uint32_t at = 0;
    while (at < AREAS && areas[at].memory != memory)
        at++;
    return at;
}

WRAPPED(void *, macs_memory_alloc, size_t bytes, bool sparse) {
    const uint64_t before = allocated;
    void *memory = __real_macs_memory_alloc(bytes, sparse);
    allocated_for_areas += allocated - before;
    if (memory) {
        const uint32_t at = place_of(NULL);
        CHECK(at < AREAS);
        areas[at].memory = memory;
        areas[at].bytes = bytes;
        areas[at].sparse = sparse;
    }
    return memory;
}

WRAPPED(void, macs_memory_free, void *memory, size_t bytes) {
    const uint32_t at = memory ? place_of(memory) : AREAS;
    CHECK(at == AREAS ? !memory : areas[at].bytes == bytes);
    if (memory)
        areas[at].memory = NULL;
    const uint64_t before = allocated;
    __real_macs_memory_free(memory, bytes);
    allocated_for_areas -= before - allocated;
}

static uint64_t dense_bytes(void) {
    uint64_t bytes = 0;
    for (uint32_t at = 0; at < AREAS; at++)
        bytes += areas[at].memory && !areas[at].sparse ? areas[at].bytes : 0;
    return bytes;
}

/* Of sparse memory what has been written, by cache lines: those that are not zero. */
static uint64_t written_bytes(void) {
    static const uint8_t nothing[LINE];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < AREAS; i++)
        for (uint64_t at = 0; areas[i].memory && areas[i].sparse && at < areas[i].bytes; at += LINE) {
            const uint64_t left = areas[i].bytes - at, line = left < LINE ? left : LINE;
            bytes += memcmp(areas[i].memory + at, nothing, line) ? line : 0;
        }
    return bytes;
}

/* All that a table uses, whoever allocated it. */
static uint64_t used_bytes(void) {
    return dense_bytes() + written_bytes() + allocated - allocated_for_areas;
}

/* Returns what the table says. */
static uint64_t checked(const struct subject *subject, void *self, uint64_t before) {
    const uint64_t said = subject->ops->memory_bytes(self);
    CHECK(said <= all_bytes() - before);
    CHECK(said >= dense_bytes() + subject->ops->count(self) * sizeof(struct value));
    CHECK(!subject->ops->reader_bytes || subject->ops->reader_bytes(self) <= said);
    if (subject->ops->reader_bytes && !(subject->can & PREFIXES)) /* prefixes may share it */
        CHECK(subject->ops->reader_bytes(self) >= subject->ops->count(self) * sizeof(struct value));
    return said;
}

/* What a table of so many entries says. Those that are alike have one value, and hits do not tell them apart. */
static uint64_t filled(const struct subject *subject, uint32_t bytes, uint32_t size, bool alike) {
    struct macs_table_shape shape = whole_key_shape(subject, bytes, size);
    const uint64_t before = all_bytes(), used = used_bytes();
    struct own_match own;
    uint8_t key[KEY_MAX] = {0};
    void *self = NULL;
    shape.indexed = !alike;
    CHECK(subject->ops->create(&shape, NULL, &self) == 0);
    const uint64_t empty = checked(subject, self, before);
    for (uint32_t n = 0; n < size; n++) {
        const struct value value = make_value(alike ? 1 : n + 1);
        memcpy(key, &n, bytes < sizeof n ? bytes : sizeof n);
        CHECK(subject->ops->add(self, exactly(&own, key, bytes), &value.entry, NULL) == 0);
        if (n % 100 == 0)
            checked(subject, self, before);
    }
    const uint64_t said = checked(subject, self, before);
    CHECK(said + SELF >= used_bytes() - used && said >= empty + size * sizeof(struct value));
    subject->ops->destroy(self);
    CHECK(all_bytes() == before && dense_bytes() == 0);
    return said;
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    const struct subject *subject = subject_named(argv[1]);
    const uint32_t bytes = some_bytes(subject), size = at_most(subject, ENTRIES);
    context = subject->name;
    if (subject->key_min <= 2 && subject->key_max >= 2)
        filled(subject, 2, at_most(subject, FEWER), false);
    filled(subject, bytes, FEW, false);
    const uint64_t said = filled(subject, bytes, size, false), said_alike = filled(subject, bytes, size, true);
    CHECK(said_alike <= said);
    if (strcmp(subject->name, "lpm_dir24") == 0) /* each has a group of its own */
        CHECK(said_alike >= filled(subject, bytes, 0, true) + size * GROUP_BYTES);
    if ((subject->can & (PREFIXES | MASKS)) == PREFIXES) /* entries that are alike share what lookups find */
        CHECK(said_alike + size * sizeof(struct value) <= said);
    puts("ok");
    return 0;
}
