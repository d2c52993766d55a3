/* The direct index against an array, for every width of cell, and with readers while it changes.
 * Usage: direct random SEED | direct indices | direct readers MILLISECONDS SEED.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "tables/exact/exact_direct.h"
#include "support.h"

struct direct_value {
    struct macs_entry head;
    uint64_t data;
};

enum { KEYS_MAX = 1 << MACS_EXACT_DIRECT_KEY_BITS, ACTION_BITS = 1 };

static uint64_t state;
static bool indexed; /* where cells have room for the index */

static uint64_t below(uint64_t limit) {
    return (next_random(&state) >> 20) % limit;
}

/* A table of one field and two actions, one with a parameter of all data bits that are left. */
struct made {
    struct macs_param param;
    struct macs_action_desc actions[2];
    struct macs_key_field field;
    struct macs_table_shape shape;
};

static void make(struct made *made, uint8_t key_bits, uint8_t data_bits, uint32_t size) {
    const uint8_t bits = data_bits - ACTION_BITS;
    const uint32_t bytes = (key_bits + 7u) / 8;
    made->param = (struct macs_param){"p", bits, offsetof(struct direct_value, data), 8, ACTION_BITS};
    made->actions[0] = (struct macs_action_desc){.name = "drop"};
    made->actions[1] = (struct macs_action_desc){.name = "set", .params = &made->param, .param_count = 1};
    made->field = (struct macs_key_field){.name = "k", .bits = key_bits, .kind = MACS_EXACT};
    made->shape = (struct macs_table_shape){.key_bytes = bytes,
                                            .prefix_offset = bytes,
                                            .size = size,
                                            .value_bytes = sizeof(struct direct_value),
                                            .field_count = 1,
                                            .fields = &made->field,
                                            .actions = made->actions,
                                            .action_count = 2,
                                            .key_bits = key_bits,
                                            .data_bits = data_bits,
                                            .action_bits = ACTION_BITS,
                                            .indexed = indexed && key_bits + data_bits <= MACS_EXACT_DIRECT_DATA_BITS};
}

static const struct macs_match *match_of(const struct made *made, uint64_t key, struct own_match *own) {
    uint8_t bytes[KEY_MAX];
    macs_packing_key_bytes(&made->shape, key, bytes);
    return exactly(own, bytes, made->shape.key_bytes);
}

static struct direct_value value_of(uint64_t data) {
    return (struct direct_value){.head.action = data & 1, .data = data & 1 ? data >> ACTION_BITS : 0};
}

/* -- against an array -------------------------------------------------------------------------------------------------
 */

static uint64_t expected[KEYS_MAX]; /* data + 1 of each key; 0: none */
static uint32_t count;

static uint64_t random_data(const struct made *made) {
    uint64_t data = next_random(&state) & macs_packing_ones(made->shape.data_bits);
    return data & 1 ? data : 0;
}

static void change(const struct made *made, void *self, uint64_t key) {
    struct own_match own;
    const struct macs_match *match = match_of(made, key, &own);
    const uint64_t data = random_data(made);
    const struct direct_value value = value_of(data);
    const uint64_t kind = below(8);
    uint32_t index = UINT32_MAX;
    if (kind < 5) {
        int wanted = expected[key] ? -EEXIST : count == made->shape.size ? -ENOSPC : 0;
        CHECK(macs_exact_direct_ops.add(self, match, &value, &index) == wanted);
        CHECK(wanted || index < made->shape.size);
        count += !wanted;
        expected[key] = wanted ? expected[key] : data + 1;
    } else if (kind < 6) {
        CHECK(macs_exact_direct_ops.modify(self, match, &value) == (expected[key] ? 0 : -ENOENT));
        expected[key] = expected[key] ? data + 1 : 0;
    } else {
        CHECK(macs_exact_direct_ops.remove(self, match) == (expected[key] ? 0 : -ENOENT));
        count -= expected[key] != 0;
        expected[key] = 0;
    }
}

static bool look_up(const struct made *made, const void *self, uint64_t key, struct macs_exact_direct_cursor *cursor,
                    uint64_t *data, uint32_t *number) {
    const uint32_t key_bits = made->shape.key_bits, data_bits = made->shape.data_bits;
    if (!made->shape.indexed) {
        macs_exact_direct_start(self, key, key_bits, data_bits, cursor);
        return macs_exact_direct_finish(key_bits, data_bits, cursor, data);
    }
    macs_exact_direct_start_indexed(self, key, key_bits, data_bits, cursor);
    return macs_exact_direct_finish_indexed(key_bits, data_bits, cursor, data, number);
}

static void compare(const struct made *made, void *self, uint64_t key) {
    struct own_match own;
    struct macs_exact_direct_cursor cursor;
    uint64_t data;
    uint32_t number = UINT32_MAX;
    CHECK(look_up(made, self, key, &cursor, &data, &number) == !!expected[key]);
    CHECK(!expected[key] || data == expected[key] - 1);
    const struct macs_entry *found = macs_exact_direct_ops.find(self, match_of(made, key, &own));
    CHECK(!found == !expected[key]);
    CHECK(!found || macs_packing_data(&made->shape, found) == expected[key] - 1);
    CHECK(!found || !made->shape.indexed || found->index == number);
}

struct seen {
    const struct made *made;
    bool *used; /* indices */
    uint32_t count;
};

static int visit(const struct macs_match *match, const struct macs_entry *entry, void *argument) {
    struct seen *seen = argument;
    uint64_t key = macs_packing_key(&seen->made->shape, match->value);
    CHECK(expected[key] && macs_packing_data(&seen->made->shape, entry) == expected[key] - 1);
    CHECK(entry->index < seen->made->shape.size && !seen->used[entry->index]);
    CHECK(match->prefix_bits == seen->made->shape.key_bytes * 8 && match->mask[0] == 0xff);
    seen->used[entry->index] = true;
    seen->count++;
    return 0;
}

static int remove_visit(const struct macs_match *match, const struct macs_entry *entry, void *self) {
    (void)entry;
    CHECK(macs_exact_direct_ops.remove(self, match) == 0);
    return 0;
}

/* Emptied, the table takes as many entries as when it was new, and no more. */
static void refill(const struct made *made, void *self) {
    const uint64_t keys = UINT64_C(1) << made->shape.key_bits;
    CHECK(macs_exact_direct_ops.walk(self, remove_visit, self) == 0);
    CHECK(macs_exact_direct_ops.count(self) == 0);
    count = 0;
    memset(expected, 0, sizeof expected);
    for (uint64_t key = 0; key < keys && key < made->shape.size + 1; key++) {
        struct own_match own;
        const uint64_t data = random_data(made);
        const struct direct_value value = value_of(data);
        const bool fits = key < made->shape.size;
        compare(made, self, key);
        CHECK(macs_exact_direct_ops.add(self, match_of(made, key, &own), &value.head, NULL) == (fits ? 0 : -ENOSPC));
        count += fits;
        expected[key] = fits ? data + 1 : 0;
        compare(made, self, key);
    }
}

static void random_changes(uint8_t key_bits, uint8_t data_bits, uint32_t size) {
    struct made made;
    void *self = NULL;
    make(&made, key_bits, data_bits, size);
    memset(expected, 0, sizeof expected);
    count = 0;
    CHECK(macs_exact_direct_ops.create(&made.shape, NULL, &self) == 0);
    const uint64_t keys = UINT64_C(1) << key_bits, few = keys < 3 * size ? keys : 3 * size;
    const uint64_t beside = (made.shape.indexed ? 0 : 4 * keys) + 4 * (keys < size ? keys : size);
    CHECK(macs_exact_direct_ops.reader_bytes(self) >= keys);
    CHECK(macs_exact_direct_ops.memory_bytes(self) >= macs_exact_direct_ops.reader_bytes(self) + beside);
    for (int i = 0; i < 3000; i++) {
        change(&made, self, keys - 1 - below(few));
        compare(&made, self, keys - 1 - below(few));
        compare(&made, self, below(keys));
    }
    struct seen seen = {&made, calloc(size, sizeof(bool)), 0};
    CHECK(macs_exact_direct_ops.walk(self, visit, &seen) == 0);
    CHECK(seen.count == count && macs_exact_direct_ops.count(self) == count);
    free(seen.used);
    refill(&made, self);
    macs_exact_direct_ops.destroy(self);
}

static void refusals(void) {
    struct made made;
    void *self = NULL;
    make(&made, MACS_EXACT_DIRECT_KEY_BITS + 1, 8, 64);
    CHECK(macs_exact_direct_ops.create(&made.shape, NULL, &self) == -EINVAL);
    make(&made, 8, 64, 64);
    CHECK(macs_exact_direct_ops.create(&made.shape, NULL, &self) == -EINVAL);
    make(&made, 8, 8, 64);
    made.field.kind = MACS_TERNARY;
    CHECK(macs_exact_direct_ops.create(&made.shape, NULL, &self) == -EINVAL);
    struct own_match own;
    struct direct_value wrong = {.head.action = 1u << 20};
    make(&made, 8, 8, 64);
    CHECK(macs_exact_direct_ops.create(&made.shape, NULL, &self) == 0);
    CHECK(macs_exact_direct_ops.add(self, match_of(&made, 3, &own), &wrong, NULL) == -EINVAL);
    CHECK(macs_exact_direct_ops.count(self) == 0 && macs_exact_direct_ops.find(self, &own.match) == NULL);
    CHECK(macs_exact_direct_ops.modify(self, &own.match, &wrong) == -ENOENT);
    const struct direct_value right = value_of(5);
    uint32_t index = 9;
    CHECK(macs_exact_direct_ops.add(self, &own.match, &right, &index) == 0 && index == 0);
    CHECK(macs_exact_direct_ops.modify(self, &own.match, &wrong) == -EINVAL);
    const struct macs_entry *found = macs_exact_direct_ops.find(self, &own.match);
    CHECK(found && macs_packing_data(&made.shape, found) == 5 && found->index == 0);
    macs_exact_direct_ops.destroy(self);
}

/* An index in cells is used again only when no reader can have it any more; one that is not, at once. */
static void index_waits(void) {
    struct made made;
    struct own_match own;
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *reader = NULL;
    void *self = NULL;
    const struct direct_value value = value_of(1);
    CHECK(macs_qsbr_create(&qsbr) == 0 && macs_qsbr_register(qsbr, &reader) == 0);
    macs_qsbr_online(qsbr, reader);
    for (unsigned turn = 0; turn < 2; turn++) {
        uint32_t index = UINT32_MAX;
        indexed = turn;
        make(&made, 8, 8, 2);
        CHECK(macs_exact_direct_ops.create(&made.shape, qsbr, &self) == 0);
        CHECK(macs_exact_direct_ops.add(self, match_of(&made, 1, &own), &value, &index) == 0 && index == 0);
        CHECK(macs_exact_direct_ops.remove(self, match_of(&made, 1, &own)) == 0);
        CHECK(macs_exact_direct_ops.add(self, match_of(&made, 2, &own), &value, &index) == 0 && index == turn);
        CHECK(macs_exact_direct_ops.add(self, match_of(&made, 3, &own), &value, &index) == (turn ? -EBUSY : 0));
        CHECK(index == 1);
        macs_qsbr_quiescent(qsbr, reader);
        if (turn)
            CHECK(macs_exact_direct_ops.add(self, match_of(&made, 3, &own), &value, &index) == 0 && index == 0);
        CHECK(macs_exact_direct_ops.add(self, match_of(&made, 4, &own), &value, NULL) == -ENOSPC);
        CHECK(macs_exact_direct_ops.remove(self, match_of(&made, 3, &own)) == 0 && macs_qsbr_pending(qsbr) == turn);
        macs_exact_direct_ops.destroy(self); /* what waits for readers goes with it */
        macs_qsbr_poll(qsbr);
        macs_qsbr_quiescent(qsbr, reader);
        CHECK(macs_qsbr_flush(qsbr) == 0 && macs_qsbr_pending(qsbr) == 0);
    }
    macs_qsbr_unregister(reader);
    macs_qsbr_destroy(qsbr);
}

/* Cells have room for as many indices as there are keys, however many entries the table is said to have. */
static void indices_fit(void) {
    enum { KEY_BITS = 2 };
    struct made made;
    struct own_match own;
    struct macs_qsbr *qsbr = NULL;
    struct macs_qsbr_reader *reader = NULL;
    void *self = NULL;
    const struct direct_value value = value_of(1);
    CHECK(macs_qsbr_create(&qsbr) == 0 && macs_qsbr_register(qsbr, &reader) == 0);
    macs_qsbr_online(qsbr, reader);
    indexed = true;
    make(&made, KEY_BITS, 3, 64);
    CHECK(macs_exact_direct_ops.create(&made.shape, qsbr, &self) == 0);
    for (uint32_t n = 0; n < 1 << KEY_BITS; n++) {
        uint32_t index = UINT32_MAX;
        CHECK(macs_exact_direct_ops.add(self, match_of(&made, 3, &own), &value, &index) == 0 && index == n);
        if (n + 1 < 1 << KEY_BITS)
            CHECK(macs_exact_direct_ops.remove(self, match_of(&made, 3, &own)) == 0);
    }
    CHECK(macs_exact_direct_ops.add(self, match_of(&made, 2, &own), &value, NULL) == -EBUSY);
    while (macs_qsbr_pending(qsbr) < MACS_QSBR_BACKLOG)
        macs_qsbr_defer(qsbr, NULL, NULL, NULL);
    CHECK(macs_exact_direct_ops.remove(self, match_of(&made, 3, &own)) == -EBUSY);
    CHECK(macs_exact_direct_ops.find(self, &own.match) && macs_qsbr_pending(qsbr) == MACS_QSBR_BACKLOG);
    macs_qsbr_unregister(reader);
    for (uint64_t key = 0; key < 1 << KEY_BITS; key++)
        CHECK(macs_exact_direct_ops.add(self, match_of(&made, key, &own), &value, NULL) == (key < 3 ? 0 : -EEXIST));
    macs_exact_direct_ops.destroy(self);
    macs_qsbr_destroy(qsbr);
}

/* -- readers ----------------------------------------------------------------------------------------------------------
 */

enum { KEYS = 4096, READERS = 2 };

static struct made shared;
static void *table;
static atomic_bool stop;

/* Key n is, by n % 4: always there; there with changing data; now and then there; never. Its data tell its number. */
static uint64_t data_of(uint64_t n, uint64_t version) {
    return (n << 8 | (version & 0xff)) << ACTION_BITS | 1;
}

static void *reader(void *seed) {
    uint64_t random = (uint64_t)(uintptr_t)seed;
    while (!atomic_load(&stop)) {
        uint64_t n = next_random(&random) >> 52, data;
        struct macs_exact_direct_cursor cursor;
        uint32_t number;
        macs_exact_direct_start_indexed(table, n, 12, 21, &cursor);
        bool found = macs_exact_direct_finish_indexed(12, 21, &cursor, &data, &number);
        CHECK(n % 4 >= 2 || number == n / 4 * 2 + n % 4);
        CHECK(found || n % 4 >= 2);
        CHECK(!found || (n % 4 != 3 && data >> 9 == n && (data & 1)));
    }
    return NULL;
}

static void with_readers(long milliseconds) {
    static bool present[KEYS];
    struct own_match own;
    make(&shared, 12, 21, KEYS);
    shared.shape.indexed = true; /* one by one, the indices are the entries' ranks */
    CHECK(macs_exact_direct_ops.create(&shared.shape, NULL, &table) == 0);
    for (uint64_t n = 0; n < KEYS; n++) {
        struct direct_value value = value_of(data_of(n, 0));
        if (n % 4 < 2)
            CHECK(macs_exact_direct_ops.add(table, match_of(&shared, n, &own), &value, NULL) == 0);
    }
    pthread_t threads[READERS];
    for (uintptr_t i = 0; i < READERS; i++)
        CHECK(pthread_create(&threads[i], NULL, reader, (void *)(i * 977 + 12345)) == 0);
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    uint64_t version = 0;
    do {
        uint64_t n = below(KEYS);
        struct direct_value value = value_of(data_of(n, ++version));
        const struct macs_match *match = match_of(&shared, n, &own);
        if (n % 4 == 1) {
            CHECK(macs_exact_direct_ops.modify(table, match, &value) == 0);
        } else if (n % 4 == 2) {
            CHECK((present[n] ? macs_exact_direct_ops.remove(table, match)
                              : macs_exact_direct_ops.add(table, match, &value, NULL)) == 0);
            present[n] = !present[n];
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < milliseconds);
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    macs_exact_direct_ops.destroy(table);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    context = what;
    if (strcmp(what, "random") == 0 && argc == 3) {
        static const uint8_t widths[] = {1, 3, 7, 8, 15, 16, 31, 32, 63};
        state = strtoull(argv[2], NULL, 0) * 2 + 1;
        for (unsigned i = 0; i < 2 * sizeof widths; i++)
            for (unsigned bits = 1; bits <= MACS_EXACT_DIRECT_KEY_BITS; bits += bits < 4 ? 1 : 4) {
                indexed = i % 2;
                random_changes((uint8_t)bits, widths[i / 2], bits == 4 ? 16 : 100);
            }
        indexed = false;
        refusals();
    } else if (strcmp(what, "indices") == 0) {
        index_waits(), indices_fit();
    } else if (strcmp(what, "readers") == 0 && argc == 4) {
        state = strtoull(argv[3], NULL, 0) * 2 + 1;
        with_readers(atol(argv[2]));
    } else {
        fprintf(stderr, "usage: direct random SEED | direct indices | direct readers MILLISECONDS SEED\n");
        return 2;
    }
    puts("ok");
    return 0;
}
