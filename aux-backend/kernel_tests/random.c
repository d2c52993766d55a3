/* Random changes and lookups on a table and on the linear reference: both must give the same results.
 * Usage: random KERNEL KEY_BYTES EXACT_BYTES OPERATIONS SEED FAILING [RANGE_BYTES [SAME [SIZE]]].
 *
 * Keys are of a small set of bytes, so that entries collide. FAILING = N: every Nth allocation of the table fails (0:
 * none); an operation that then returns -ENOMEM must change nothing. RANGE_BYTES: this many bytes in front are a range;
 * the bytes from there to EXACT_BYTES have masks. SAME: of so many matches one has a mask of its own, the others the
 * same. SIZE: entries at most (0: 200). Prints how many comparisons of lookups were made while the kernel knew of one
 * mask.
 * Link with --wrap for malloc, calloc and aligned_alloc.
 */
#include "support.h"

static uint64_t state;
static uint32_t failing, with_failing, allocations;
static uint32_t range_bytes, same, size, with_one_mask;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

static bool allocation_fails(void) {
    return failing && ++allocations % failing == 0;
}

void *__wrap_malloc(size_t bytes) {
    return allocation_fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
    return allocation_fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return allocation_fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

static uint32_t below(uint32_t limit) {
    return (uint32_t)(next_random(&state) >> 33) % limit;
}

/* Bytes differ in their first and last bits mostly: prefixes and masks cut through both. */
static void random_key(uint8_t *key, uint32_t bytes) {
    static const uint8_t palette[] = {0x00, 0x01, 0x02, 0x80, 0x81, 0xc0, 0xff, 0x7f};
    for (uint32_t i = 0; i < bytes; i++)
        key[i] = below(8) ? palette[below(i % 4 == 3 ? 8 : 3)] : (uint8_t)below(256);
}

static void random_match(const struct subject *subject, struct own_match *own, uint32_t bytes, uint32_t exact_bytes) {
    uint8_t key[KEY_MAX];
    random_key(key, bytes);
    exactly(own, key, bytes);
    if (subject->can & PREFIXES &&
        exact_bytes < bytes) { /* mostly long ones, as in networks: they are near each other */
        uint32_t most = (bytes - exact_bytes) * 8;
        own->match.prefix_bits = exact_bytes * 8 + (below(4) ? most - below(10) % most : below(most + 1));
    }
    if (subject->can & MASKS) {
        uint32_t kind = same && below(same) ? 1 : below(6);
        own->match.priority = (int32_t)below(5) - 1;
        for (uint32_t i = 0; i < exact_bytes && kind < 4; i++)
            own->mask[i] = (uint8_t)((const char *)"\xff\x00\xf0\x0f")[(kind + i) % 4];
    }
    if (range_bytes && same && below(same)) { /* begins and ends where a mask does */
        own->value[range_bytes - 1] &= 0xf0;
        memcpy(own->high, own->value, range_bytes);
        own->high[range_bytes - 1] |= 0x0f;
    } else if (range_bytes) {
        random_key(own->high, below(4) ? range_bytes : 0);
        if (memcmp(own->high, own->value, range_bytes) < 0)
            memset(own->high + below(range_bytes), 0xff, 1);
    }
}

static void compare_lookup(const struct subject *subject, const void *self, const void *reference, uint32_t bytes) {
    uint8_t keys[BATCH * KEY_MAX];
    const struct macs_entry *found[BATCH];
    for (uint32_t i = 0; i < BATCH; i++)
        random_key(keys + (size_t)i * bytes, bytes);
    (subject->bulk && below(2) ? subject->bulk : subject->batch)(self, keys, bytes, found);
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint8_t *key = keys + (size_t)i * bytes;
        const struct macs_entry *expected = expected_of(reference, key, bytes);
        CHECK(id_of(found[i]) == id_of(expected));
        CHECK(subject->lookup(self, key, bytes) == found[i]);
        if (found[i])
            CHECK(((const struct value *)found[i])->not_id == ~id_of(found[i]) && found[i]->action == expected->action);
    }
}

static int compare_visit(const struct macs_match *match, const struct macs_entry *entry, void *reference) {
    CHECK(id_of(macs_linear_ops.find(reference, match)) == id_of(entry));
    return 0;
}

/* The kernel's answer is the reference's, or -ENOMEM and then the reference must not change either. */
#define SAME_ANSWER(operation, ...)                                                                                    \
    do {                                                                                                               \
        failing = with_failing;                                                                                        \
        int answer = subject->ops->operation(self, __VA_ARGS__);                                                       \
        failing = 0;                                                                                                   \
        if (with_failing == 0 || answer != -ENOMEM)                                                                    \
            CHECK(answer == macs_linear_ops.operation(reference, __VA_ARGS__));                                        \
    } while (0)

static void change(const struct subject *subject, void *self, void *reference, const struct own_match *own,
                   uint64_t id) {
    struct value value = make_value(below(2) ? id : id % 7 + 1); /* equal values may be shared */
    uint32_t kind = below(8);
    if (kind < 4)
        SAME_ANSWER(add, &own->match, &value, NULL);
    else if (kind < 6)
        SAME_ANSWER(remove, &own->match);
    else
        SAME_ANSWER(modify, &own->match, &value);
    CHECK(id_of(subject->ops->find(self, &own->match)) == id_of(macs_linear_ops.find(reference, &own->match)));
    CHECK(subject->ops->count(self) == macs_linear_ops.count(reference));
}

static void change_and_compare(const struct subject *subject, void *self, void *reference, uint32_t bytes,
                               uint32_t exact_bytes, uint32_t operations) {
    static struct own_match recent[16];
    for (uint32_t i = 0; i < operations; i++) {
        struct own_match *own = &recent[below(16)];
        if (i < 16 || below(2)) {
            own = &recent[i % 16];
            random_match(subject, own, bytes, exact_bytes);
        }
        change(subject, self, reference, own, i + 1);
        if (subject->ops->tidy && below(256) == 0) {
            failing = with_failing;
            const int answer = subject->ops->tidy(self);
            failing = 0;
            CHECK(answer == 0 || (with_failing && answer == -ENOMEM));
        }
        if (i % 16 == 0)
            compare_lookup(subject, self, reference, bytes);
        const char *way = subject->ops->way ? subject->ops->way(self) : NULL;
        with_one_mask += i % 16 == 0 && way && strcmp(way, "one mask") == 0;
        if (i % 4096 == 0)
            CHECK(subject->ops->walk(self, compare_visit, reference) == 0);
    }
}

static int remove_visit(const struct macs_match *match, const struct macs_entry *entry, void *both) {
    const struct subject *subject = ((void **)both)[0];
    (void)entry;
    CHECK(macs_linear_ops.remove(((void **)both)[2], match) == 0);
    CHECK(subject->ops->remove(((void **)both)[1], match) == 0);
    return 0;
}

/* Nothing was lost, whatever failed before: emptied, the table takes as many entries as when it was new. */
static void refill(const struct subject *subject, void *self, void *reference, uint32_t bytes, uint32_t exact_bytes) {
    void *both[] = {(void *)(uintptr_t)subject, self, reference};
    with_failing = 0;
    CHECK(subject->ops->walk(self, remove_visit, both) == 0);
    CHECK(subject->ops->count(self) == 0 && macs_linear_ops.count(reference) == 0);
    compare_lookup(subject, self, reference, bytes);
    for (uint32_t i = 0; i < 4 * size; i++) {
        struct own_match own;
        struct value value = make_value(i + 1);
        random_match(subject, &own, bytes, exact_bytes);
        SAME_ANSWER(add, &own.match, &value, NULL);
    }
    compare_lookup(subject, self, reference, bytes);
}

/* A table is made, or not at all, whichever allocation fails. */
static void make_with_failures(const struct subject *subject, const struct macs_table_shape *shape,
                               struct macs_qsbr *qsbr) {
    allocations = 0;
    for (uint32_t next = 1; allocations + 1 >= next; next++) {
        void *self = NULL;
        allocations = 0;
        failing = next;
        const int error = subject->ops->create(shape, qsbr, &self);
        failing = 0;
        CHECK(!error || (error == -ENOMEM && allocations >= next));
        if (!error)
            subject->ops->destroy(self);
    }
}

int main(int argc, char **argv) {
    if (argc < 7 || argc > 10)
        return 2;
    const struct subject *subject = subject_named(argv[1]);
    uint32_t bytes = (uint32_t)atoi(argv[2]), exact_bytes = (uint32_t)atoi(argv[3]),
             operations = (uint32_t)atoi(argv[4]);
    char where[200];
    snprintf(where, sizeof where, "random %s %u %u %u %s %s", argv[1], bytes, exact_bytes, operations, argv[5],
             argv[6]);
    context = where;
    state = strtoull(argv[5], NULL, 10) * 2 + 1;
    for (int i = 0; i < 8; i++)
        next_random(&state);
    range_bytes = argc > 7 ? (uint32_t)atoi(argv[7]) : 0;
    same = argc > 8 ? (uint32_t)atoi(argv[8]) : 0;
    size = argc > 9 ? (uint32_t)atoi(argv[9]) : 0;
    if (size == 0)
        size = 200;
    struct macs_table_shape shape = {.key_bytes = bytes,
                                     .prefix_offset = exact_bytes,
                                     .value_bytes = sizeof(struct value),
                                     .size = at_most(subject, size)};
    const struct macs_key_field fields[] = {
        {"range", (uint16_t)(range_bytes * 8), 0, MACS_RANGE, 0},
        {"masked", (uint16_t)((exact_bytes - range_bytes) * 8), (uint16_t)range_bytes,
         subject->can & MASKS ? MACS_TERNARY : MACS_EXACT, 0},
    };
    if (range_bytes) {
        shape.fields = fields;
        shape.field_count = 2;
    }
    struct macs_qsbr *qsbr = NULL;
    void *self = NULL, *reference = NULL;
    CHECK(macs_qsbr_create(&qsbr) == 0);
    with_failing = (uint32_t)atoi(argv[6]);
    if (with_failing)
        make_with_failures(subject, &shape, qsbr);
    CHECK(subject->ops->create(&shape, qsbr, &self) == 0);
    CHECK(macs_linear_ops.create(&shape, NULL, &reference) == 0);
    change_and_compare(subject, self, reference, bytes, exact_bytes, operations);
    refill(subject, self, reference, bytes, exact_bytes);
    subject->ops->destroy(self);
    macs_linear_ops.destroy(reference);
    macs_qsbr_destroy(qsbr);
    printf("ok, %u with one mask\n", with_one_mask);
    return 0;
}
