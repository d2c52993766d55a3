/* The contract of struct macs_table_ops, case by case.
 * Usage: conformance [KERNEL]: of the kernel that is named, or of all. 3: an operation is missing.
 */
#include "support.h"

#include "tables/common/memory.h"

/* One lookup, and every now and then a batch, which must find the same. */
static const struct macs_entry *get(const struct subject *subject, void *self, const uint8_t *key, uint32_t bytes) {
    static uint32_t calls;
    const struct macs_entry *found[BATCH];
    uint8_t keys[BATCH * KEY_MAX];
    const struct macs_entry *single = subject->lookup(self, key, bytes);
    if (calls++ % 16)
        return single;
    for (uint32_t i = 0; i < BATCH; i++)
        memcpy(keys + (size_t)i * bytes, key, bytes);
    subject->batch(self, keys, bytes, found);
    for (uint32_t i = 0; i < BATCH; i++)
        CHECK(found[i] == single);
    return single;
}

static int add(const struct subject *subject, void *self, const struct macs_match *match, uint64_t id,
               uint32_t *index) {
    struct value value = make_value(id);
    return subject->ops->add(self, match, &value, index);
}

static void *create(const struct subject *subject, const struct macs_table_shape *shape) {
    void *self = NULL;
    CHECK(subject->ops->create(shape, NULL, &self) == 0);
    return self;
}

static int count_visit(const struct macs_match *match, const struct macs_entry *entry, void *arg) {
    (void)match;
    CHECK(((const struct value *)entry)->not_id == ~id_of(entry));
    ++*(uint32_t *)arg;
    return 0;
}

static int stop_visit(const struct macs_match *match, const struct macs_entry *entry, void *arg) {
    (void)match;
    (void)entry;
    ++*(uint32_t *)arg;
    return 7;
}

/* Key number n: n in its last bytes, the rest fixed. */
static void numbered(uint8_t *key, uint32_t bytes, uint32_t n) {
    memset(key, 0xa5, bytes);
    for (uint32_t i = 0; i < bytes && i < 4; i++)
        key[bytes - 1 - i] = (uint8_t)(n >> (8 * i));
}

static void life_of_entries(const struct subject *subject, uint32_t bytes) {
    enum { MOST = 100 };
    const uint32_t size = at_most(subject, MOST), middle = size / 2;
    const struct macs_table_ops *ops = subject->ops;
    struct macs_table_shape shape = whole_key_shape(subject, bytes, size);
    void *self = create(subject, &shape);
    struct own_match own;
    uint8_t key[KEY_MAX];
    bool used[MOST] = {false};
    uint32_t index, walked = 0;
    for (uint32_t n = 0; n < size; n++) {
        numbered(key, bytes, n);
        CHECK(get(subject, self, key, bytes) == NULL);
        CHECK(add(subject, self, exactly(&own, key, bytes), n + 1, &index) == 0);
        CHECK(index < size && !used[index]);
        used[index] = true;
        CHECK(id_of(get(subject, self, key, bytes)) == n + 1 && get(subject, self, key, bytes)->index == index);
        CHECK(add(subject, self, &own.match, 999, NULL) == -EEXIST);
        CHECK(id_of(get(subject, self, key, bytes)) == n + 1);
        CHECK(id_of(ops->find(self, &own.match)) == n + 1 && ops->find(self, &own.match)->index == index);
    }
    CHECK(ops->count(self) == size && ops->memory_bytes(self) > 0);
    numbered(key, bytes, 200);
    CHECK(add(subject, self, exactly(&own, key, bytes), 999, NULL) == -ENOSPC);
    CHECK(ops->remove(self, &own.match) == -ENOENT && ops->find(self, &own.match) == NULL);
    CHECK(ops->modify(self, &own.match, &(struct value){.id = 1}) == -ENOENT);
    CHECK(ops->walk(self, count_visit, &walked) == 0 && walked == size);
    CHECK(ops->walk(self, stop_visit, &walked) == 7 && walked == size + 1);

    numbered(key, bytes, middle);
    uint32_t before = get(subject, self, key, bytes)->index;
    struct value changed = make_value(4242);
    changed.entry.index = 12345;
    CHECK(ops->modify(self, exactly(&own, key, bytes), &changed) == 0);
    CHECK(id_of(get(subject, self, key, bytes)) == 4242 && get(subject, self, key, bytes)->index == before);
    CHECK(ops->remove(self, &own.match) == 0);
    CHECK(get(subject, self, key, bytes) == NULL && ops->count(self) == size - 1);
    CHECK(ops->remove(self, &own.match) == -ENOENT);
    numbered(key, bytes, 201);
    CHECK(add(subject, self, exactly(&own, key, bytes), 5, &index) == 0 && index == before);
    for (uint32_t n = 0; n < size; n++) {
        numbered(key, bytes, n);
        CHECK(id_of(get(subject, self, key, bytes)) == (n == middle ? 0 : n + 1));
    }
    ops->destroy(self);
}

/* Neighbours of one value, which a kernel may keep as one, where hits do not tell entries apart: a change of one is
 * none of the others'. */
static void equal_neighbours(const struct subject *subject, uint32_t bytes, bool indexed) {
    enum { MOST = 8 };
    const uint32_t size = at_most(subject, MOST);
    struct macs_table_shape shape = whole_key_shape(subject, bytes, size);
    shape.indexed = indexed;
    void *self = create(subject, &shape);
    struct own_match own;
    uint8_t key[KEY_MAX];
    for (uint32_t n = 0; n < size; n++) {
        numbered(key, bytes, n);
        CHECK(add(subject, self, exactly(&own, key, bytes), 1, NULL) == 0);
    }
    for (uint32_t changed = 0; changed < size; changed++) {
        const struct value value = make_value(changed % 3 + 2);
        numbered(key, bytes, changed);
        CHECK(subject->ops->modify(self, exactly(&own, key, bytes), &value) == 0);
        for (uint32_t n = 0; n < size; n++) {
            numbered(key, bytes, n);
            CHECK(id_of(get(subject, self, key, bytes)) == (n <= changed ? n % 3 + 2 : 1));
        }
    }
    subject->ops->destroy(self);
}

static void small_and_empty(const struct subject *subject) {
    const struct macs_table_ops *ops = subject->ops;
    const uint32_t bytes = some_bytes(subject);
    struct own_match own;
    uint8_t key[KEY_MAX] = {1, 2, 3, 4};
    struct macs_table_shape shape = whole_key_shape(subject, bytes, 0);
    void *self = create(subject, &shape);
    CHECK(get(subject, self, key, bytes) == NULL);
    CHECK(add(subject, self, exactly(&own, key, bytes), 1, NULL) == -ENOSPC);
    CHECK(ops->remove(self, &own.match) == -ENOENT && ops->count(self) == 0);
    ops->destroy(self);

    shape = whole_key_shape(subject, bytes, 1);
    self = create(subject, &shape);
    for (uint32_t round = 1; round < 20; round++) {
        uint32_t index = 99;
        key[3] = (uint8_t)round;
        CHECK(add(subject, self, exactly(&own, key, bytes), round, &index) == 0 && index == 0);
        CHECK(id_of(get(subject, self, key, bytes)) == round);
        const struct value changed = make_value(100 + round);
        CHECK(ops->modify(self, &own.match, &changed) == 0);
        CHECK(id_of(get(subject, self, key, bytes)) == 100 + round);
        struct own_match other;
        uint8_t second[4] = {9, 9, 9, 9};
        CHECK(add(subject, self, exactly(&other, second, bytes), 77, NULL) == -ENOSPC);
        CHECK(get(subject, self, second, bytes) == NULL);
        CHECK(ops->remove(self, &own.match) == 0);
        CHECK(get(subject, self, key, bytes) == NULL);
    }
    ops->destroy(self);

    shape = whole_key_shape(subject, 0, 10);
    self = create(subject, &shape);
    CHECK(subject->lookup(self, key, 0) == NULL);
    CHECK(add(subject, self, exactly(&own, key, 0), 1, NULL) == -EINVAL);
    CHECK(ops->count(self) == 0);
    ops->destroy(self);

    shape = whole_key_shape(subject, bytes, 10);
    shape.value_bytes = 4;
    CHECK(ops->create(&shape, NULL, &self) == -EINVAL);
}

/* What a removed entry used is used again: many more entries than the table holds, one after the other. */
static void nothing_is_used_up(const struct subject *subject) {
    const uint32_t bytes = some_bytes(subject);
    struct macs_table_shape shape = whole_key_shape(subject, bytes, 10);
    void *self = create(subject, &shape);
    struct own_match own;
    uint64_t most = 0; /* bytes in the first rounds: later ones take no more */
    for (uint32_t n = 0; n < 3000; n++) {
        uint32_t scattered = n * UINT32_C(2654435761);
        CHECK(add(subject, self, exactly(&own, (const uint8_t *)&scattered, bytes), n + 1, NULL) == 0);
        CHECK(id_of(get(subject, self, own.value, bytes)) == n + 1);
        CHECK(subject->ops->remove(self, &own.match) == 0);
        const uint64_t now = subject->ops->memory_bytes(self);
        CHECK(n < 1000 || now <= most);
        most = now > most ? now : most;
    }
    subject->ops->destroy(self);
}

/* Prefixes of a key of `bytes`, nested at each length, added in an order that mixes long and short ones. */
static void nested_prefixes(const struct subject *subject, uint32_t bytes, uint32_t exact_bytes) {
    const struct macs_table_ops *ops = subject->ops;
    uint32_t bits = bytes * 8, least = exact_bytes * 8, lengths = bits - least + 1;
    struct macs_table_shape shape = whole_key_shape(subject, bytes, lengths);
    shape.prefix_offset = exact_bytes;
    void *self = create(subject, &shape);
    struct own_match own;
    uint8_t key[KEY_MAX], probe[KEY_MAX];
    bool present[KEY_MAX * 8 + 1] = {false};
    memset(key, 0xc3, sizeof key);
    for (uint32_t round = 0; round < 2 * lengths; round++) {
        uint32_t length = least + (round * 7 + round / lengths) % lengths;
        while (present[length] == (round < lengths))
            length = length == bits ? least : length + 1;
        if (round < lengths)
            CHECK(add(subject, self, prefix(&own, key, bytes, length), length + 1, NULL) == 0);
        else
            CHECK(ops->remove(self, prefix(&own, key, bytes, length)) == 0);
        present[length] = round < lengths;
        for (uint32_t differs = 0; differs <= bits; differs++) {
            memcpy(probe, key, sizeof probe);
            if (differs < bits)
                probe[differs / 8] ^= (uint8_t)(0x80 >> differs % 8);
            uint64_t expected = 0;
            for (uint32_t shorter = least; shorter <= differs; shorter++)
                expected = present[shorter] ? shorter + 1 : expected;
            CHECK(id_of(get(subject, self, probe, bytes)) == expected);
        }
    }
    CHECK(ops->count(self) == 0);
    CHECK(add(subject, self, prefix(&own, key, bytes, bits + 1), 1, NULL) == -EINVAL);
    if (least > 0)
        CHECK(add(subject, self, prefix(&own, key, bytes, least - 1), 1, NULL) == -EINVAL);
    ops->destroy(self);
}

/* Whole keys under one short prefix, each gone before the next one comes: where it was, the short one answers, whatever
 * is used again for those that come later. */
static void one_after_the_other(const struct subject *subject, uint32_t bytes) {
    const struct macs_table_ops *ops = subject->ops;
    const struct macs_table_shape shape = whole_key_shape(subject, bytes, 4);
    void *self = create(subject, &shape);
    struct own_match own;
    uint8_t key[KEY_MAX];
    memset(key, 0x5a, sizeof key);
    CHECK(add(subject, self, prefix(&own, key, bytes, 4), 1, NULL) == 0);
    for (uint8_t n = 0; n < 8; n++) {
        key[bytes - 2] = (uint8_t)(n * 32); /* far from the others */
        CHECK(add(subject, self, prefix(&own, key, bytes, bytes * 8), 10 + n, NULL) == 0);
        for (uint8_t other = 0; other <= n; other++) {
            key[bytes - 2] = (uint8_t)(other * 32);
            CHECK(id_of(get(subject, self, key, bytes)) == (other == n ? 10u + n : 1));
        }
        CHECK(ops->remove(self, prefix(&own, key, bytes, bytes * 8)) == 0);
        CHECK(id_of(get(subject, self, key, bytes)) == 1);
    }
    ops->destroy(self);
}

static void excluded_bits_are_ignored(const struct subject *subject) {
    struct macs_table_shape shape = whole_key_shape(subject, 4, 10);
    void *self = create(subject, &shape);
    struct own_match own;
    CHECK(add(subject, self, prefix(&own, (uint8_t[]){10, 1, 2, 3}, 4, 8), 1, NULL) == 0);
    CHECK(add(subject, self, prefix(&own, (uint8_t[]){10, 9, 9, 9}, 4, 8), 2, NULL) == -EEXIST);
    CHECK(id_of(get(subject, self, (uint8_t[]){10, 200, 0, 0}, 4)) == 1);
    own.match.priority = 0;
    CHECK(subject->ops->remove(self, &own.match) == 0 && subject->ops->count(self) == 0);
    subject->ops->destroy(self);
}

static int add_masked(const struct subject *subject, void *self, const char *value, const char *mask, int32_t priority,
                      uint64_t id) {
    struct own_match own;
    exactly(&own, (const uint8_t *)value, 2);
    memcpy(own.mask, mask, 2);
    own.match.priority = priority;
    return add(subject, self, &own.match, id, NULL);
}

static int remove_masked(const struct subject *subject, void *self, const char *value, const char *mask,
                         int32_t priority) {
    struct own_match own;
    exactly(&own, (const uint8_t *)value, 2);
    memcpy(own.mask, mask, 2);
    own.match.priority = priority;
    return subject->ops->remove(self, &own.match);
}

static void priorities(const struct subject *subject) {
    struct macs_table_shape shape = whole_key_shape(subject, 2, 50);
    shape.prefix_offset = 2;
    void *self = create(subject, &shape);
    const uint8_t *key = (const uint8_t *)"\x12\x34";
    CHECK(add_masked(subject, self, "\x12\x00", "\xff\x00", 5, 1) == 0);
    CHECK(add_masked(subject, self, "\x00\x34", "\x00\xff", 5, 2) == 0);
    CHECK(id_of(get(subject, self, key, 2)) == 1); /* a tie: the first added */
    CHECK(add_masked(subject, self, "\x12\x30", "\xff\xf0", 5, 3) == 0);
    CHECK(id_of(get(subject, self, key, 2)) == 1);
    CHECK(add_masked(subject, self, "\x12\x34", "\xff\xff", -2, 4) == 0);
    CHECK(id_of(get(subject, self, key, 2)) == 1);
    CHECK(add_masked(subject, self, "\x12\x34", "\xff\xff", 6, 5) == 0);
    CHECK(id_of(get(subject, self, key, 2)) == 5);
    CHECK(add_masked(subject, self, "\x12\x34", "\xff\xff", 6, 6) == -EEXIST);
    CHECK(add_masked(subject, self, "\x12\xff", "\xff\x00", 5, 6) == -EEXIST); /* excluded bits don't count */
    CHECK(add_masked(subject, self, "\x00\x00", "\x00\x00", INT32_MIN, 7) == 0);
    CHECK(id_of(get(subject, self, (const uint8_t *)"\xee\xee", 2)) == 7);
    CHECK(add_masked(subject, self, "\x00\x00", "\x00\x00", INT32_MAX, 8) == 0);
    CHECK(id_of(get(subject, self, key, 2)) == 8);
    CHECK(remove_masked(subject, self, "\x00\x00", "\x00\x00", INT32_MAX) == 0);
    CHECK(id_of(get(subject, self, key, 2)) == 5);
    CHECK(remove_masked(subject, self, "\x12\x34", "\xff\xff", 6) == 0);
    CHECK(id_of(get(subject, self, key, 2)) == 1);
    CHECK(remove_masked(subject, self, "\x12\x00", "\xff\x00", 5) == 0);
    CHECK(id_of(get(subject, self, key, 2)) == 2);
    CHECK(add_masked(subject, self, "\x12\x00", "\xff\x00", 5, 9) == 0); /* now the last of the three */
    CHECK(id_of(get(subject, self, key, 2)) == 2);
    subject->ops->destroy(self);
}

/* Entries of one match but many priorities come and go: the highest of those that are there is found. */
static void priorities_of_one_match(const struct subject *subject) {
    enum { PRIORITIES = 8 };
    static const uint8_t orders[][PRIORITIES] = {
        {0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {3, 6, 0, 7, 1, 4, 2, 5}, {4, 1, 5, 2, 6, 3, 7, 0}};
    struct macs_table_shape shape = whole_key_shape(subject, 2, PRIORITIES);
    shape.prefix_offset = 2;
    void *self = create(subject, &shape);
    for (int round = 0; round < 16; round++) {
        uint32_t there = 0;
        for (int i = 0; i < 2 * PRIORITIES; i++) {
            uint32_t priority = orders[i < PRIORITIES ? round % 4 : round / 4][i % PRIORITIES];
            if (i < PRIORITIES)
                CHECK(add_masked(subject, self, "\x12\x30", "\xff\xf0", (int32_t)priority - 4, priority + 1) == 0);
            else
                CHECK(remove_masked(subject, self, "\x12\x30", "\xff\xf0", (int32_t)priority - 4) == 0);
            there ^= 1u << priority;
            uint32_t highest = there ? 32u - (uint32_t)__builtin_clz(there) : 0;
            CHECK(id_of(get(subject, self, (const uint8_t *)"\x12\x3f", 2)) == highest);
        }
    }
    subject->ops->destroy(self);
}

/* Two bytes of range, one exact: as numbers, not byte by byte. */
static void ranges(const struct subject *subject) {
    static const struct macs_key_field fields[] = {{"port", 16, 1, MACS_RANGE, 0}, {"proto", 8, 0, MACS_EXACT, 0}};
    struct macs_table_shape shape = {.key_bytes = 3,
                                     .prefix_offset = 3,
                                     .value_bytes = sizeof(struct value),
                                     .size = 8,
                                     .field_count = 2,
                                     .fields = fields};
    void *self = NULL;
    if (!(subject->can & RANGES)) {
        CHECK(subject->ops->create(&shape, NULL, &self) == -EINVAL);
        return;
    }
    self = create(subject, &shape);
    struct own_match own;
    exactly(&own, (const uint8_t *)"\x06\x01\xf0", 3);
    memcpy(own.high, "\x06\x03\x10", 3);
    CHECK(add(subject, self, &own.match, 1, NULL) == 0);
    CHECK(id_of(get(subject, self, (const uint8_t *)"\x06\x02\xff", 3)) == 1);
    CHECK(id_of(get(subject, self, (const uint8_t *)"\x06\x01\xf0", 3)) == 1);
    CHECK(id_of(get(subject, self, (const uint8_t *)"\x06\x03\x10", 3)) == 1);
    CHECK(id_of(get(subject, self, (const uint8_t *)"\x06\x03\x11", 3)) == 0);
    CHECK(id_of(get(subject, self, (const uint8_t *)"\x06\x01\xef", 3)) == 0);
    CHECK(id_of(get(subject, self, (const uint8_t *)"\x07\x02\x00", 3)) == 0);
    memcpy(own.high, "\x06\x01\x00", 3);
    CHECK(add(subject, self, &own.match, 2, NULL) == -EINVAL);
    subject->ops->destroy(self);
}

/* Of any number of bytes: only the first one says that a number is below or above. */
static void ranges_of(const struct subject *subject, uint32_t bytes) {
    const struct macs_key_field field = {"number", (uint16_t)(bytes * 8), 0, MACS_RANGE, 0};
    const struct macs_table_shape shape = {.key_bytes = bytes,
                                           .prefix_offset = bytes,
                                           .value_bytes = sizeof(struct value),
                                           .size = 8,
                                           .field_count = 1,
                                           .fields = &field};
    void *self = create(subject, &shape);
    uint8_t key[KEY_MAX] = {1};
    struct own_match own;
    exactly(&own, key, bytes);
    own.high[0] = 3;
    CHECK(add(subject, self, &own.match, 1, NULL) == 0);
    for (uint8_t first = 0; first < 5; first++) {
        key[0] = first;
        CHECK(id_of(get(subject, self, key, bytes)) == (first >= 1 && first <= 3));
    }
    key[0] = 3;
    key[bytes - 1]++;
    CHECK(id_of(get(subject, self, key, bytes)) == 0);
    memset(key, 0xff, bytes);
    key[0] = 0;
    CHECK(id_of(get(subject, self, key, bytes)) == 0);
    own.high[0] = 0;
    CHECK(add(subject, self, &own.match, 2, NULL) == -EINVAL);
    subject->ops->destroy(self);
}

/* Big areas are told by what they lie on, and forgotten when they go. */
static void memory_is_booked(void) {
    const size_t bytes = 3 * MACS_MEMORY_BIG - 1;
    const struct macs_memory_use before = macs_memory_use();
    void *dense = macs_memory_alloc(bytes, false), *sparse = macs_memory_alloc(bytes, true);
    void *small = macs_memory_alloc(MACS_MEMORY_BIG - 1, false);
    CHECK(dense && sparse && small);
    struct macs_memory_use use = macs_memory_use();
    CHECK(use.reserved + use.refused - before.reserved - before.refused == 4 * MACS_MEMORY_BIG);
    CHECK(use.sparse - before.sparse == 3 * MACS_MEMORY_BIG);
    macs_memory_free(dense, bytes);
    macs_memory_free(sparse, bytes);
    macs_memory_free(small, MACS_MEMORY_BIG - 1);
    use = macs_memory_use();
    CHECK(use.reserved == before.reserved && use.refused == before.refused && use.sparse == before.sparse);
}

static bool only(const uint8_t *memory, size_t bytes, uint8_t value) {
    for (size_t i = 0; i < bytes; i++)
        if (memory[i] != value)
            return false;
    return true;
}

/* Areas of some units share pages, come zeroed, do not overlap, and leave nothing behind. */
static void pages_are_shared(void) {
    enum { AREAS = 24 };
    static const size_t units[AREAS] = {1, 31, 2, 16, 3, 15, 1, 1, 7, 9, 20, 1, 5, 13, 8, 8, 8, 8, 30, 2, 1, 4, 17, 11};
    const struct macs_memory_use before = macs_memory_use();
    uint8_t *areas[AREAS] = {NULL};
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < AREAS; i++) {
            const size_t bytes = units[i] * MACS_MEMORY_UNIT - i;
            if (areas[i] && (round + i) % 3 == 0) {
                CHECK(only(areas[i], bytes, (uint8_t)(i + 1)));
                macs_memory_free(areas[i], bytes);
                areas[i] = NULL;
            }
            if (!areas[i]) {
                areas[i] = macs_memory_alloc(bytes, false);
                CHECK(areas[i] && (uintptr_t)areas[i] % 64 == 0 && only(areas[i], bytes, 0));
                memset(areas[i], (int)i + 1, bytes);
            }
        }
    }
    const struct macs_memory_use use = macs_memory_use();
    CHECK(use.reserved + use.refused - before.reserved - before.refused <= 10 * MACS_MEMORY_BIG); /* of 222 units: 7 */
    for (unsigned i = 0; i < AREAS; i++) {
        CHECK(only(areas[i], units[i] * MACS_MEMORY_UNIT - i, (uint8_t)(i + 1)));
        macs_memory_free(areas[i], units[i] * MACS_MEMORY_UNIT - i);
    }
    const struct macs_memory_use after = macs_memory_use();
    CHECK(after.reserved == before.reserved && after.refused == before.refused && after.sparse == before.sparse);
}

/* Every operation but those that may be left out. */
static void operations_are_there(const struct subject *subject) {
    const struct macs_table_ops *ops = subject->ops;
    const char *missing = macs_table_missing(ops);
    if (!missing && strcmp(ops->name, subject->name) != 0)
        missing = "name"; /* another one's */
    if (!missing)
        return;
    fprintf(stderr, "missing: %s\n", missing);
    exit(3);
}

/* Nested prefixes of short keys, and behind exact bytes, as many as a table of it may have. */
static void prefixes(const struct subject *subject) {
    const uint32_t most = subject->key_max < 16 ? subject->key_max : 16;
    if (subject->key_min <= 4 && subject->key_max >= 4)
        excluded_bits_are_ignored(subject);
    for (uint32_t bytes = subject->key_min; bytes <= most && bytes * 8 < subject->size_max; bytes++)
        nested_prefixes(subject, bytes, 0);
    for (uint32_t bytes = subject->key_min < 3 ? 3 : subject->key_min; bytes <= most && subject->size_max >= 4; bytes++)
        one_after_the_other(subject, bytes);
    if (subject->can & EXACT_IN_FRONT && subject->key_max >= 20 && subject->size_max > 128)
        nested_prefixes(subject, 20, 4);
}

static void test(const struct subject *subject) {
    context = subject->name;
    operations_are_there(subject);
    for (uint32_t bytes = subject->key_min; bytes <= subject->key_max; bytes++) {
        life_of_entries(subject, bytes);
        equal_neighbours(subject, bytes, true);
        equal_neighbours(subject, bytes, false);
    }
    small_and_empty(subject);
    nothing_is_used_up(subject);
    if (subject->key_min <= 3 && subject->key_max >= 3)
        ranges(subject);
    for (uint32_t bytes = subject->key_min; subject->can & RANGES && bytes <= subject->key_max; bytes++)
        if (bytes)
            ranges_of(subject, bytes);
    if (subject->can & PREFIXES)
        prefixes(subject);
    if (subject->can & MASKS && subject->key_min <= 2 && subject->key_max >= 2) {
        priorities(subject);
        priorities_of_one_match(subject);
    }
}

int main(int argc, char **argv) {
    memory_is_booked();
    pages_are_shared();
    if (argc > 1)
        test(subject_named(argv[1]));
    for (uint32_t i = 0; argc == 1 && i < subject_count; i++)
        test(&subjects[i]);
    puts("ok");
    return 0;
}
