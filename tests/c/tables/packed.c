/* The packed hash against the linear reference, with readers while it changes, and with a million entries.
 * Usage: packed random SHAPE OPERATIONS SEED | packed failing SHAPE OPERATIONS SEED |
 * packed readers MILLISECONDS SHAPE SEED | packed load | packed indices | packed all.
 * To fail: link with --wrap for malloc, calloc and aligned_alloc.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "tables/exact/exact_packed.h"
#include "support.h"

/* Two actions with data, and one without. */
struct packed_value {
    struct macs_entry head;
    union {
        struct {
            uint16_t port;
        } as_forward;
        struct {
            uint32_t group;
            uint8_t flag;
        } as_spread;
    };
};

#define PARAM(NAME, BITS, BYTES, AT, MEMBER)                                                                           \
    { .name = NAME, .bits = BITS, .offset = offsetof(struct packed_value, MEMBER), .bytes = BYTES, .word_at = AT }

static const struct macs_param forward_params[] = {PARAM("port", 9, 2, 2, as_forward.port)};
static const struct macs_param spread_params[] = {PARAM("group", 15, 4, 2, as_spread.group),
                                                  PARAM("flag", 1, 1, 17, as_spread.flag)};
static const struct macs_action_desc actions[] = {
    {.name = "forward", .params = forward_params, .param_count = 1},
    {.name = "spread", .params = spread_params, .param_count = 2},
    {.name = "drop"},
};
enum { DATA_BITS = 18 };

#define FIELD(BITS, OFFSET, AT)                                                                                        \
    { .name = "field", .bits = BITS, .offset = OFFSET, .kind = MACS_EXACT, .word_at = AT }

/* Keys: an address; address and port; three odd fields; four bits; 64 bits, whose rest must be short. */
static const struct macs_key_field one_field[] = {FIELD(48, 0, 0)};
static const struct macs_key_field two_fields[] = {FIELD(48, 0, 9), FIELD(9, 6, 0)};
static const struct macs_key_field three_fields[] = {FIELD(13, 3, 0), FIELD(1, 0, 13), FIELD(11, 1, 14)};
static const struct macs_key_field short_field[] = {FIELD(4, 0, 0)};
static const struct macs_key_field long_field[] = {FIELD(64, 0, 0)};
static const struct macs_key_field forty_bits[] = {FIELD(40, 0, 0)};

#define SHAPE(FIELDS, COUNT, BYTES, BITS, SIZE, ...)                                                                   \
    {                                                                                                                  \
        .fields = FIELDS, .field_count = COUNT, .key_bytes = BYTES, .prefix_offset = BYTES, .key_bits = BITS,          \
        .size = SIZE, .value_bytes = sizeof(struct packed_value), .actions = actions, .action_count = 3,               \
        .action_bits = 2, .data_bits = DATA_BITS, __VA_ARGS__                                                          \
    }

static const struct macs_table_shape shapes[] = {
    SHAPE(one_field, 1, 6, 48, 3000, .indexed = false),    SHAPE(two_fields, 2, 8, 57, 3000, .indexed = false),
    SHAPE(three_fields, 3, 5, 25, 3000, .indexed = false), SHAPE(short_field, 1, 1, 4, 20, .indexed = false),
    SHAPE(long_field, 1, 8, 64, 20000, .indexed = false),  SHAPE(forty_bits, 1, 5, 40, 3000, .indexed = true),
    SHAPE(three_fields, 3, 5, 25, 3000, .indexed = true),  SHAPE(short_field, 1, 1, 4, 20, .indexed = true),
};
enum { INDEXED = 5 /* the first of them */ };

static uint64_t state;
static uint32_t failing, with_failing, allocations; /* every so many of them fails; 0: none */

void *__real_malloc(size_t bytes) __attribute__((weak));
void *__real_calloc(size_t number, size_t bytes) __attribute__((weak));
void *__real_aligned_alloc(size_t alignment, size_t bytes) __attribute__((weak));
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t number, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

static bool allocation_fails(void) {
    return failing && ++allocations % failing == 0;
}

void *__wrap_malloc(size_t bytes) {
    return allocation_fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t number, size_t bytes) {
    return allocation_fails() ? NULL : __real_calloc(number, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return allocation_fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

static uint32_t below(uint32_t limit) {
    return (uint32_t)(next_random(&state) >> 33) % limit;
}

static void key_bytes(const struct macs_table_shape *shape, uint64_t key, struct own_match *own) {
    uint8_t bytes[KEY_MAX];
    macs_packing_key_bytes(shape, key, bytes);
    exactly(own, bytes, shape->key_bytes);
    CHECK(macs_packing_key(shape, own->value) == (key & macs_packing_ones(shape->key_bits)));
}

static struct packed_value random_value(void) {
    struct packed_value value = {.head.action = below(3)};
    if (value.head.action == 0)
        value.as_forward.port = (uint16_t)below(512);
    else if (value.head.action == 1)
        value.as_spread.group = below(1 << 15), value.as_spread.flag = (uint8_t)below(2);
    return value;
}

/* As the lookups of a burst are done. */
static bool look_up_in_bulk(void *self, const struct macs_table_shape *shape, uint64_t key, uint64_t *data,
                            uint32_t *number) {
    struct macs_exact_packed_bulk bulk;
    bulk.keys[0] = bulk.keys[2] = key;
    bulk.keys[1] = ~key & macs_packing_ones(shape->key_bits);
    macs_exact_packed_bulk_start(self, &bulk, 3, shape->key_bits, DATA_BITS);
    CHECK(bulk.keys[0] == bulk.keys[2] && bulk.buckets[0] == bulk.buckets[2]);
    macs_exact_packed_bulk_prefetch(&bulk, 2);
    macs_exact_packed_bulk_step(&bulk, 2, DATA_BITS);
    return shape->indexed ? macs_exact_packed_bulk_finish_indexed(&bulk, 2, DATA_BITS, data, number)
                          : macs_exact_packed_bulk_finish(&bulk, 2, DATA_BITS, data);
}

static bool finish(const struct macs_table_shape *shape, struct macs_exact_packed_cursor *cursor, uint64_t *data,
                   uint32_t *number) {
    return shape->indexed ? macs_exact_packed_finish_indexed(shape->key_bits, DATA_BITS, cursor, data, number)
                          : macs_exact_packed_finish(shape->key_bits, DATA_BITS, cursor, data);
}

/* Both say the same of that key; `index` of the entry apart, of which lookups say what the writer says. */
static void compare(const struct macs_table_shape *shape, void *self, void *reference, uint64_t key) {
    struct own_match own;
    struct macs_exact_packed_cursor cursor;
    uint64_t data, same;
    uint32_t number = 0, same_number = 0;
    key &= macs_packing_ones(shape->key_bits);
    key_bytes(shape, key, &own);
    const struct macs_entry *expected = expected_of(reference, own.value, shape->key_bytes);
    macs_exact_packed_start(self, key, shape->key_bits, DATA_BITS, &cursor);
    if (below(2)) /* it may be left out */
        macs_exact_packed_step(DATA_BITS, &cursor);
    CHECK(finish(shape, &cursor, &data, &number) == (expected != NULL));
    CHECK(look_up_in_bulk(self, shape, key, &same, &same_number) == (expected != NULL));
    CHECK(!expected || (data == same && number == same_number));
    const struct macs_entry *found = macs_exact_packed_ops.find(self, &own.match);
    CHECK((found != NULL) == (expected != NULL));
    if (!found)
        return;
    CHECK(data == macs_packing_data(shape, expected) && data == macs_packing_data(shape, found));
    CHECK(found->action == expected->action && found->index < shape->size);
    CHECK(!shape->indexed || found->index == number);
    CHECK(memcmp(found + 1, expected + 1, sizeof(struct packed_value) - sizeof *found) == 0);
}

struct seen {
    const struct macs_table_shape *shape;
    void *self, *reference;
    uint32_t count;
    bool *used;
};

static int compare_visit(const struct macs_match *match, const struct macs_entry *entry, void *argument) {
    struct seen *seen = argument;
    const struct macs_entry *expected = macs_linear_ops.find(seen->reference, match);
    CHECK(expected && macs_packing_data(seen->shape, expected) == macs_packing_data(seen->shape, entry));
    CHECK(entry->index < seen->shape->size && !seen->used[entry->index]);
    CHECK(match->prefix_bits == seen->shape->key_bytes * 8 && match->mask[0] == 0xff);
    seen->used[entry->index] = true;
    seen->count++;
    return 0;
}

static void compare_all(const struct macs_table_shape *shape, void *self, void *reference) {
    struct seen seen = {shape, self, reference, 0, calloc(shape->size, sizeof(bool))};
    CHECK(macs_exact_packed_ops.walk(self, compare_visit, &seen) == 0);
    CHECK(seen.count == macs_exact_packed_ops.count(self));
    CHECK(seen.count == macs_linear_ops.count(reference));
    free(seen.used);
}

/* The key number n: few of them where the linear reference has to look through all. */
static uint64_t numbered(uint32_t n) {
    return n * MACS_HASH_PHI >> (n % 2 ? 7 : 0);
}

static void change(const struct macs_table_shape *shape, void *self, void *reference, uint64_t key) {
    struct packed_value value = random_value();
    struct own_match own;
    key_bytes(shape, key, &own);
    uint32_t kind = below(8), index = UINT32_MAX;
    if (kind < 5) {
        failing = with_failing;
        int answer = macs_exact_packed_ops.add(self, &own.match, &value, &index);
        failing = 0;
        CHECK((index < shape->size) == (answer == 0));
        if (answer == -ENOMEM && with_failing) /* and then nothing has changed */
            return;
        CHECK(answer == macs_linear_ops.add(reference, &own.match, &value, NULL));
    } else if (kind < 6) {
        CHECK(macs_exact_packed_ops.modify(self, &own.match, &value) ==
              macs_linear_ops.modify(reference, &own.match, &value));
    } else {
        CHECK(macs_exact_packed_ops.remove(self, &own.match) == macs_linear_ops.remove(reference, &own.match));
    }
}

static int remove_visit(const struct macs_match *match, const struct macs_entry *entry, void *both) {
    (void)entry;
    CHECK(macs_linear_ops.remove(((void **)both)[1], match) == 0);
    CHECK(macs_exact_packed_ops.remove(((void **)both)[0], match) == 0);
    return 0;
}

/* Emptied, the table takes as many entries as when it was new, and no more. */
static void refill(const struct macs_table_shape *shape, void *self, void *reference) {
    const uint32_t size = shape->size < 3000 ? shape->size : 3000;
    void *both[] = {self, reference};
    CHECK(macs_exact_packed_ops.walk(self, remove_visit, both) == 0);
    compare_all(shape, self, reference);
    for (uint32_t n = 0; n < size + 1; n++) {
        const struct packed_value value = random_value();
        struct own_match own;
        key_bytes(shape, numbered(n), &own);
        const int answer = macs_linear_ops.add(reference, &own.match, &value, NULL);
        CHECK(macs_exact_packed_ops.add(self, &own.match, &value.head, NULL) == answer);
    }
    compare_all(shape, self, reference);
}

/* A table is made as a whole or not at all, whichever allocation fails. */
static void make_with_failures(const struct macs_table_shape *shape) {
    for (uint32_t next = 1; allocations + 1 >= next; next++) {
        void *self = NULL;
        allocations = 0;
        failing = next;
        const int error = macs_exact_packed_ops.create(shape, NULL, &self);
        failing = 0;
        CHECK(error == (allocations >= next ? -ENOMEM : 0));
        if (!error)
            macs_exact_packed_ops.destroy(self);
    }
}

static void random_changes(const struct macs_table_shape *shape, uint32_t operations) {
    struct macs_table_shape for_linear = *shape;
    struct macs_qsbr *qsbr = NULL;
    void *self = NULL, *reference = NULL;
    for_linear.fields = NULL;
    if (with_failing)
        make_with_failures(shape);
    CHECK(macs_qsbr_create(&qsbr) == 0 && macs_exact_packed_ops.create(shape, qsbr, &self) == 0);
    CHECK(macs_linear_ops.create(&for_linear, NULL, &reference) == 0);
    uint32_t keys = shape->size > 3000 ? 400 : shape->size + shape->size / 8;
    for (uint32_t i = 0; i < operations; i++) {
        change(shape, self, reference, numbered(below(keys)));
        compare(shape, self, reference, numbered(below(keys)));
        compare(shape, self, reference, next_random(&state));
        if (i % 1024 == 0)
            compare_all(shape, self, reference);
    }
    compare_all(shape, self, reference);
    with_failing = 0;
    refill(shape, self, reference);
    struct packed_value wrong = {.head.action = 0, .as_forward.port = 0};
    wrong.head.action = 1u << DATA_BITS;
    struct own_match own;
    key_bytes(shape, numbered(0), &own);
    CHECK(macs_exact_packed_ops.modify(self, &own.match, &wrong) == -EINVAL);
    compare_all(shape, self, reference); /* it is as it was */
    CHECK(macs_exact_packed_ops.remove(self, &own.match) == 0);
    CHECK(macs_exact_packed_ops.modify(self, &own.match, &wrong) == -ENOENT);
    const uint32_t left = macs_exact_packed_ops.count(self);
    CHECK(macs_exact_packed_ops.add(self, &own.match, &wrong, NULL) == -EINVAL);
    CHECK(macs_exact_packed_ops.count(self) == left && macs_exact_packed_ops.find(self, &own.match) == NULL);
    wrong.head.action = 2;
    CHECK(macs_exact_packed_ops.add(self, &own.match, &wrong, NULL) == 0);
    macs_exact_packed_ops.destroy(self);
    macs_linear_ops.destroy(reference);
    macs_qsbr_destroy(qsbr);
}

/* -- readers ----------------------------------------------------------------------------------------------------------
 */

enum { KEYS = 20000, READERS = 2 };

static void *table;
static const struct macs_table_shape *of_table;
static struct macs_qsbr *qsbr;
static atomic_bool stop;

/* Those that are always there are added first: their index is their rank, however they are moved. Entry n is, by n % 4:
 * always there; always there with changing data; now and then there; never there. Its data tell the lowest bits of its
 * number. */
static struct packed_value value_of(uint32_t n, uint32_t version) {
    struct packed_value value = {.head.action = 1};
    value.as_spread.group = (n & 0xff) << 7 | (version & 0x7f);
    return value;
}

static void check_read(uint32_t number, bool found, uint64_t data, uint32_t index) {
    const uint32_t rank = number / 4 * 2 + number % 4;
    CHECK(!of_table->indexed || !found || (number % 4 < 2 ? index == rank : index >= KEYS / 2));
    CHECK(found || number % 4 >= 2);
    CHECK(!found || number % 4 != 3);
    CHECK(!found || ((data & 3) == 1 && (data >> 9 & 0xff) == (number & 0xff)));
}

/* Keys of these numbers, one by one, each second with a step. */
static void read_singly(const uint32_t numbers[], const uint64_t keys[]) {
    const struct macs_table_shape *shape = of_table;
    struct macs_exact_packed_cursor cursors[BATCH];
    for (uint32_t i = 0; i < BATCH; i++)
        macs_exact_packed_start(table, keys[i], shape->key_bits, DATA_BITS, &cursors[i]);
    for (uint32_t i = 0; i < BATCH; i += 2)
        macs_exact_packed_step(DATA_BITS, &cursors[i]);
    for (uint32_t i = 0; i < BATCH; i++) {
        uint64_t data;
        uint32_t index = 0;
        bool found = finish(shape, &cursors[i], &data, &index);
        check_read(numbers[i], found, data, index);
    }
}

static void read_in_bulk(const uint32_t numbers[], const uint64_t keys[]) {
    struct macs_exact_packed_bulk bulk;
    memcpy(bulk.keys, keys, BATCH * sizeof(*keys));
    macs_exact_packed_bulk_start(table, &bulk, BATCH, of_table->key_bits, DATA_BITS);
    for (uint32_t i = 0; i < BATCH; i++)
        macs_exact_packed_bulk_step(&bulk, i, DATA_BITS);
    for (uint32_t i = 0; i < BATCH; i++) {
        uint64_t data;
        uint32_t index = 0;
        bool found = of_table->indexed ? macs_exact_packed_bulk_finish_indexed(&bulk, i, DATA_BITS, &data, &index)
                                       : macs_exact_packed_bulk_finish(&bulk, i, DATA_BITS, &data);
        check_read(numbers[i], found, data, index);
    }
}

static void read_batch(uint64_t *random) {
    uint32_t numbers[BATCH];
    uint64_t keys[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) {
        numbers[i] = (uint32_t)(next_random(random) >> 33) % KEYS;
        keys[i] = numbered(numbers[i]) & macs_packing_ones(of_table->key_bits);
    }
    if (next_random(random) >> 63)
        read_singly(numbers, keys);
    else
        read_in_bulk(numbers, keys);
}

static void *reader(void *seed) {
    uint64_t random = (uint64_t)(uintptr_t)seed;
    struct macs_qsbr_reader *self = NULL;
    CHECK(macs_qsbr_register(qsbr, &self) == 0);
    macs_qsbr_online(qsbr, self);
    while (!atomic_load(&stop)) {
        read_batch(&random);
        macs_qsbr_quiescent(qsbr, self);
    }
    macs_qsbr_unregister(self);
    return NULL;
}

static void put(uint32_t n, uint32_t version, bool modify) {
    struct packed_value value = value_of(n, version);
    struct own_match own;
    key_bytes(of_table, numbered(n), &own);
    if (modify)
        CHECK(macs_exact_packed_ops.modify(table, &own.match, &value) == 0);
    else
        CHECK(macs_exact_packed_ops.add(table, &own.match, &value, NULL) == 0);
}

static void change_for_readers(bool *present, uint32_t version) {
    uint32_t n = below(KEYS);
    struct own_match own;
    if (n % 4 == 1) {
        put(n, version, true);
    } else if (n % 4 == 2) {
        key_bytes(of_table, numbered(n), &own);
        if (present[n])
            CHECK(macs_exact_packed_ops.remove(table, &own.match) == 0);
        else
            put(n, version, false);
        present[n] = !present[n];
    }
}

static void with_readers(long milliseconds, const struct macs_table_shape *like) {
    static bool present[KEYS];
    struct macs_table_shape shape = *like;
    shape.size = KEYS;
    of_table = &shape;
    CHECK(macs_qsbr_create(&qsbr) == 0 && macs_exact_packed_ops.create(&shape, qsbr, &table) == 0);
    for (uint32_t n = 0; n < KEYS; n++)
        if (n % 4 < 2)
            put(n, 0, false);
    pthread_t threads[READERS];
    for (uintptr_t i = 0; i < READERS; i++)
        CHECK(pthread_create(&threads[i], NULL, reader, (void *)(i * 977 + 12345)) == 0);
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    uint32_t version = 0;
    do {
        for (int i = 0; i < 64; i++)
            change_for_readers(present, ++version);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < milliseconds);
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    macs_exact_packed_ops.destroy(table);
    macs_qsbr_destroy(qsbr);
}

/* A table for every key that there can be takes them all, again and again. */
static void all_keys(uint8_t bits, bool is_indexed) {
    const struct macs_key_field field = FIELD(bits, 0, 0);
    const struct macs_table_shape shape = SHAPE(&field, 1, (bits + 7u) / 8, bits, 2u << bits, .indexed = is_indexed);
    const uint32_t keys = 1u << bits;
    struct own_match own;
    void *self = NULL;
    CHECK(macs_exact_packed_ops.create(&shape, NULL, &self) == 0);
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t key = 0; key < keys; key++) {
            const struct packed_value value = {.head.action = 0, .as_forward.port = (uint16_t)(key & 511)};
            uint32_t index = UINT32_MAX;
            key_bytes(&shape, key, &own);
            CHECK(macs_exact_packed_ops.add(self, &own.match, &value, &index) == 0);
            CHECK(index < (is_indexed ? keys : shape.size));
        }
        CHECK(macs_exact_packed_ops.count(self) == keys);
        for (uint32_t key = 0; key < keys; key++) {
            const uint32_t number = turn ? keys - 1 - key : key;
            key_bytes(&shape, number, &own);
            const struct packed_value *found = (const void *)macs_exact_packed_ops.find(self, &own.match);
            CHECK(found && found->as_forward.port == (number & 511));
            CHECK(macs_exact_packed_ops.remove(self, &own.match) == 0);
            CHECK(!macs_exact_packed_ops.find(self, &own.match));
        }
    }
    macs_exact_packed_ops.destroy(self);
}

/* While readers may have many indices others are taken, which words may have to grow for; an entry stays where there is
 * no room for its index to wait. */
static void many_indices_wait(void) {
    enum { MANY = 3000 };
    struct macs_table_shape shape = shapes[INDEXED];
    struct macs_qsbr_reader *self = NULL;
    struct own_match own;
    const struct packed_value value = {.head.action = 2};
    shape.size = 2 * MANY;
    CHECK(macs_qsbr_create(&qsbr) == 0 && macs_exact_packed_ops.create(&shape, qsbr, &table) == 0);
    CHECK(macs_qsbr_register(qsbr, &self) == 0);
    macs_qsbr_online(qsbr, self);
    for (uint32_t n = 0; n < MANY; n++) {
        uint32_t index = UINT32_MAX;
        key_bytes(&shape, numbered(n), &own);
        CHECK(macs_exact_packed_ops.add(table, &own.match, &value, &index) == 0 && index == n);
        const struct macs_entry *found = macs_exact_packed_ops.find(table, &own.match);
        CHECK(found && found->index == n && found->action == 2);
        CHECK(macs_exact_packed_ops.remove(table, &own.match) == 0);
        CHECK(!macs_exact_packed_ops.find(table, &own.match) && macs_exact_packed_ops.count(table) == 0);
    }
    CHECK(macs_exact_packed_ops.add(table, &own.match, &value, NULL) == 0);
    while (macs_qsbr_pending(qsbr) < MACS_QSBR_BACKLOG)
        macs_qsbr_defer(qsbr, macs_cuckoo_release, NULL, NULL);
    CHECK(macs_exact_packed_ops.remove(table, &own.match) == -EBUSY && macs_exact_packed_ops.count(table) == 1);
    CHECK(macs_exact_packed_ops.find(table, &own.match) && macs_qsbr_pending(qsbr) == MACS_QSBR_BACKLOG);
    macs_qsbr_unregister(self);
    CHECK(macs_exact_packed_ops.remove(table, &own.match) == 0);
    macs_exact_packed_ops.destroy(table);
    macs_qsbr_destroy(qsbr);
}

/* An index is used again only when no reader can have it any more. */
static void index_waits(void) {
    struct macs_table_shape shape = shapes[INDEXED];
    struct macs_qsbr_reader *self = NULL;
    struct own_match first, second, third;
    const struct packed_value value = {.head.action = 2};
    uint32_t index = UINT32_MAX;
    shape.size = 2;
    CHECK(macs_qsbr_create(&qsbr) == 0 && macs_exact_packed_ops.create(&shape, qsbr, &table) == 0);
    CHECK(macs_qsbr_register(qsbr, &self) == 0);
    macs_qsbr_online(qsbr, self);
    key_bytes(&shape, 1, &first);
    key_bytes(&shape, 2, &second);
    key_bytes(&shape, 3, &third);
    CHECK(macs_exact_packed_ops.add(table, &first.match, &value, &index) == 0 && index == 0);
    CHECK(macs_exact_packed_ops.remove(table, &first.match) == 0);
    CHECK(macs_exact_packed_ops.add(table, &second.match, &value, &index) == 0 && index == 1);
    CHECK(macs_exact_packed_ops.add(table, &third.match, &value, &index) == -EBUSY);
    macs_qsbr_quiescent(qsbr, self);
    CHECK(macs_exact_packed_ops.add(table, &third.match, &value, &index) == 0 && index == 0);
    CHECK(macs_exact_packed_ops.add(table, &first.match, &value, &index) == -ENOSPC);
    CHECK(macs_exact_packed_ops.remove(table, &third.match) == 0 && macs_qsbr_pending(qsbr) > 0);
    macs_exact_packed_ops.destroy(table); /* what waits for readers goes with it */
    macs_qsbr_poll(qsbr);
    macs_qsbr_quiescent(qsbr, self);
    CHECK(macs_qsbr_flush(qsbr) == 0 && macs_qsbr_pending(qsbr) == 0);
    macs_qsbr_unregister(self);
    macs_qsbr_destroy(qsbr);
}

/* -- a million entries ------------------------------------------------------------------------------------------------
 */

static void load(uint32_t entries, const struct macs_table_shape *like) {
    struct macs_table_shape shape = *like;
    struct own_match own;
    void *self = NULL;
    shape.size = entries;
    CHECK(macs_exact_packed_ops.create(&shape, NULL, &self) == 0);
    CHECK(macs_exact_packed_ops.memory_bytes(self) < (1 << 16) + entries * UINT64_C(4));
    for (uint32_t n = 0; n < entries; n++) {
        struct packed_value value = value_of(n, 0);
        key_bytes(&shape, numbered(2 * n), &own);
        CHECK(macs_exact_packed_ops.add(self, &own.match, &value, NULL) == 0);
    }
    const uint64_t read = macs_exact_packed_ops.reader_bytes(self), beside = shape.indexed ? read / 16 : read / 16 * 9;
    CHECK(read >= entries * UINT64_C(8));
    CHECK(macs_exact_packed_ops.memory_bytes(self) >= read + beside + entries * UINT64_C(4));
    struct packed_value value = value_of(0, 0);
    key_bytes(&shape, numbered(1), &own);
    CHECK(macs_exact_packed_ops.add(self, &own.match, &value, NULL) == -ENOSPC);
    for (uint32_t n = 0; n < 2 * entries; n++) {
        struct macs_exact_packed_cursor cursor;
        uint64_t data, key = numbered(n) & macs_packing_ones(shape.key_bits);
        uint32_t index = n / 2;
        macs_exact_packed_start(self, key, shape.key_bits, DATA_BITS, &cursor);
        CHECK(finish(&shape, &cursor, &data, &index) == (n % 2 == 0));
        CHECK(n % 2 || index == n / 2);
        CHECK(n % 2 || (data >> 9 & 0xff) == (n / 2 & 0xff));
    }
    for (uint32_t n = 0; n < entries; n++) {
        key_bytes(&shape, numbered(2 * n), &own);
        CHECK(macs_exact_packed_ops.remove(self, &own.match) == 0);
    }
    CHECK(macs_exact_packed_ops.count(self) == 0);
    const struct macs_exact_packed_index *index = atomic_load((macs_exact_packed_head *)self);
    for (uint32_t bucket = 0; bucket < index->cuckoo.bucket_count; bucket++)
        CHECK(index->cuckoo.overflows[bucket] == 0 && index->cuckoo.buckets[bucket].words[0] == 0);
    macs_exact_packed_ops.destroy(self);
}

/* What does not fit is refused. */
static void refusals(void) {
    void *self = NULL;
    struct macs_table_shape shape = shapes[4];
    shape.data_bits = 57;
    CHECK(macs_exact_packed_ops.create(&shape, NULL, &self) == -EINVAL);
    shape = shapes[0];
    shape.key_bits = 40;
    CHECK(macs_exact_packed_ops.create(&shape, NULL, &self) == -EINVAL);
    shape = shapes[INDEXED];
    shape.data_bits++;
    CHECK(macs_exact_packed_ops.create(&shape, NULL, &self) == -EINVAL);
    shape = shapes[3];
    shape.key_bits = 3;
    CHECK(macs_exact_packed_ops.create(&shape, NULL, &self) == -EINVAL);
    shape = shapes[0];
    shape.value_bytes = 4;
    CHECK(macs_exact_packed_ops.create(&shape, NULL, &self) == -EINVAL);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    context = what;
    state = strtoull(argv[argc - 1], NULL, 10) * 2 + 1;
    if (strcmp(what, "random") == 0 && argc == 5)
        random_changes(&shapes[atoi(argv[2])], (uint32_t)atoi(argv[3]));
    else if (strcmp(what, "failing") == 0 && argc == 5)
        with_failing = 2, random_changes(&shapes[atoi(argv[2])], (uint32_t)atoi(argv[3]));
    else if (strcmp(what, "readers") == 0 && argc == 5)
        with_readers(atol(argv[2]), &shapes[atoi(argv[3])]);
    else if (strcmp(what, "indices") == 0)
        index_waits(), many_indices_wait();
    else if (strcmp(what, "all") == 0)
        for (uint8_t bits = 4; bits < 13; bits++)
            all_keys(bits, false), all_keys(bits, true);
    else if (strcmp(what, "load") == 0)
        load(1000000, &shapes[0]), load(1000000, &shapes[INDEXED]);
    else
        return 2;
    refusals();
    printf("ok: %s\n", MACS_SCAN_WITH);
    return 0;
}
