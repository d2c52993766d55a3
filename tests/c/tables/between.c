/* Changes between the steps of a lookup: an entry that stays, is moved or is replaced by another one is found all the
 * same.
 */
#include "support.h"

#include "tables/exact/exact_hash.h"
#include "tables/exact/exact_packed.h"
#include "tables/lpm/lpm_dir24.h"
#include "tables/lpm/lpm_trie.h"
#include "tables/ternary/ternary_cells.h"
#include "tables/ternary/ternary_tuple.h"

enum { KEY_BYTES = 4, STEPS = 3, OTHERS = 40, SIZE = 4096, AT_ONCE = 64, CHANGED = 8, BURSTS = 400, SPARE = 16 };

static struct macs_qsbr *qsbr;
static struct macs_qsbr_reader *reader;
static void *table;

static void begin(void) {
    CHECK(macs_qsbr_create(&qsbr) == 0 && macs_qsbr_register(qsbr, &reader) == 0);
    macs_qsbr_online(qsbr, reader);
}

/* All lookups have ended. */
static void pass(void) {
    macs_qsbr_poll(qsbr);
    macs_qsbr_quiescent(qsbr, reader);
    macs_qsbr_poll(qsbr);
    CHECK(macs_qsbr_pending(qsbr) == 0);
}

static void end(const struct macs_table_ops *ops) {
    macs_qsbr_offline(reader);
    ops->destroy(table);
    macs_qsbr_destroy(qsbr);
}

/* -- a prefix is replaced by another one ------------------------------------------------------------------------------
 */

typedef const struct macs_entry *stepped_fn(const uint8_t *key, int changed_before, void (*change)(void));

/* The lookup, before step `changed_before` of which the table changes; it has so many steps and the last. */
#define DEFINE_STEPPED(X, COUNT, STEP)                                                                                 \
    static const struct macs_entry *stepped_##X(const uint8_t *key, int changed_before, void (*change)(void)) {        \
        struct macs_##X##_cursor cursor;                                                                               \
        macs_##X##_start(table, key, KEY_BYTES, &cursor);                                                              \
        for (int step = 0; step <= STEPS; step++) {                                                                    \
            if (step == changed_before)                                                                                \
                change();                                                                                              \
            if (step < (COUNT))                                                                                        \
                STEP(table, key, KEY_BYTES, &cursor);                                                                  \
        }                                                                                                              \
        return macs_##X##_finish(table, key, KEY_BYTES, &cursor);                                                      \
    }
DEFINE_STEPPED(linear, 0, NO_STEP)
DEFINE_STEPPED(lpm_dir24, 1, macs_lpm_dir24_step)
DEFINE_STEPPED(lpm_trie, MACS_LPM_TRIE_STEPS, macs_lpm_trie_step)
DEFINE_STEPPED(ternary_cells, 1, macs_ternary_cells_step)
DEFINE_STEPPED(ternary_tuple, 0, NO_STEP)

static const struct replaced {
    const struct macs_table_ops *ops;
    stepped_fn *stepped;
    bool prefixes; /* else masks */
} kernels[] = {{&macs_linear_ops, stepped_linear, true},
               {&macs_lpm_dir24_ops, stepped_lpm_dir24, true},
               {&macs_lpm_trie_ops, stepped_lpm_trie, true},
               {&macs_ternary_cells_ops, stepped_ternary_cells, true},
               {&macs_ternary_tuple_ops, stepped_ternary_tuple, false}};

static const uint32_t lengths[] = {0, 12, 16, 17, 24, 25, 31, 32};
static const uint8_t key[KEY_BYTES] = {10, 20, 30, 40};
static const struct replaced *kernel;
static uint32_t is, becomes; /* bits of the prefix */

static struct macs_match *of_length(struct own_match *own, uint32_t bits) {
    prefix(own, key, KEY_BYTES, kernel->prefixes ? bits : KEY_BYTES * 8);
    for (uint32_t bit = bits; !kernel->prefixes && bit < KEY_BYTES * 8; bit++)
        own->mask[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
    return &own->match;
}

static void replace(void) {
    struct own_match own;
    const struct value value = make_value(1 + becomes);
    CHECK(kernel->ops->add(table, of_length(&own, becomes), &value, NULL) == 0);
    CHECK(kernel->ops->remove(table, of_length(&own, is)) == 0);
}

static void replace_and_back(void) {
    const uint32_t was = is;
    replace();
    is = becomes;
    becomes = was;
    replace();
    becomes = is;
    is = was;
}

/* Both prefixes, and so many entries of other keys. */
static void replaced_between_steps(uint32_t others) {
    const struct macs_table_shape shape = {.key_bytes = KEY_BYTES,
                                           .prefix_offset = kernel->prefixes ? 0 : KEY_BYTES,
                                           .value_bytes = sizeof(struct value),
                                           .size = OTHERS + SPARE};
    context = kernel->ops->name;
    begin();
    CHECK(kernel->ops->create(&shape, qsbr, &table) == 0);
    for (uint32_t n = 0; n < others; n++) {
        struct own_match own;
        const struct value value = make_value(100 + n);
        exactly(&own, (const uint8_t[]){(uint8_t)(10 + n % 2), 20, (uint8_t)(n % 3 * 15), (uint8_t)n}, KEY_BYTES);
        own.match.prefix_bits -= kernel->prefixes ? n % 3 : 0;
        CHECK(kernel->ops->add(table, &own.match, &value, NULL) == 0);
        pass();
    }
    const bool waits = kernel->ops == &macs_lpm_dir24_ops; /* until no lookup is under way, to remove the first */
    for (uint32_t from = waits; from < sizeof lengths / sizeof *lengths; from++)
        for (uint32_t to = waits; to < sizeof lengths / sizeof *lengths; to++)
            for (int step = 0; from != to && step <= STEPS; step++) {
                struct own_match own;
                is = lengths[from];
                becomes = lengths[to];
                const struct value value = make_value(1 + is);
                CHECK(kernel->ops->add(table, of_length(&own, is), &value, NULL) == 0);
                uint64_t found = id_of(kernel->stepped(key, step, replace));
                CHECK(found == 1 + is || found == 1 + becomes);
                CHECK(id_of(kernel->stepped(key, STEPS + 1, replace)) == 1 + becomes);
                is = lengths[to];
                becomes = lengths[from];
                found = id_of(kernel->stepped(key, step, replace_and_back));
                CHECK(found == 1 + is || found == 1 + becomes);
                CHECK(kernel->ops->remove(table, of_length(&own, is)) == 0);
                CHECK(id_of(kernel->stepped(key, STEPS + 1, replace)) == 0);
                pass();
            }
    end(kernel->ops);
}

/* -- entries are moved ------------------------------------------------------------------------------------------------
 */

static uint64_t key_of(uint32_t n) {
    return n * MACS_HASH_PHI >> 16; /* 48 bits */
}

static uint64_t state = 1;
static uint32_t there[SIZE]; /* the numbers of the entries that are there; of those looked up first */
static uint32_t added;

static const struct macs_match *numbered(struct own_match *own, uint32_t n) {
    const uint64_t number = key_of(n);
    uint8_t bytes[6];
    for (uint32_t i = 0; i < 6; i++)
        bytes[i] = (uint8_t)(number >> (40 - 8 * i));
    return exactly(own, bytes, 6);
}

static void add_at(const struct macs_table_ops *ops, uint32_t place) {
    struct own_match own;
    struct value value = make_value(1 + added);
    value.entry.action = added % 5;
    CHECK(ops->add(table, numbered(&own, added), &value, NULL) == 0);
    there[place] = added++;
}

static void fill(const struct macs_table_ops *ops) {
    added = 0;
    for (uint32_t place = 0; place < SIZE; place++)
        add_at(ops, place);
}

/* Other entries go, and new ones come. */
static void change_others(const struct macs_table_ops *ops) {
    for (uint32_t i = 0; i < CHANGED; i++) {
        const uint32_t place = AT_ONCE + (uint32_t)((next_random(&state) >> 33) % (SIZE - AT_ONCE));
        struct own_match own;
        CHECK(ops->remove(table, numbered(&own, there[place])) == 0);
        add_at(ops, place);
    }
}

/* Which entries are looked up next. */
static void choose(void) {
    for (uint32_t i = 0; i < AT_ONCE; i++) {
        const uint32_t place = i + (uint32_t)((next_random(&state) >> 33) % (SIZE - i)), n = there[place];
        there[place] = there[i];
        there[i] = n;
    }
}

static void moved_in_hash(void) {
    const struct macs_table_ops *ops = &macs_exact_hash_ops;
    const struct macs_table_shape shape = {
        .key_bytes = 6, .prefix_offset = 6, .value_bytes = sizeof(struct value), .size = SIZE + 2 * CHANGED};
    static struct macs_exact_hash_bulk bulk;
    static const struct macs_entry miss;
    context = ops->name;
    begin();
    CHECK(ops->create(&shape, qsbr, &table) == 0);
    fill(ops);
    for (uint32_t burst = 0; burst < BURSTS; burst++) {
        struct macs_exact_hash_cursor cursors[AT_ONCE];
        struct own_match own;
        choose();
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            memcpy(bulk.keys[i], numbered(&own, there[i])->value, 6);
            macs_exact_hash_start(table, bulk.keys[i], 6, &cursors[i]);
        }
        macs_exact_hash_bulk_start(table, &bulk, AT_ONCE, 6, &miss);
        change_others(ops);
        macs_exact_hash_bulk_step(table, &bulk, AT_ONCE);
        for (uint32_t i = 0; i < AT_ONCE; i += 2)
            macs_exact_hash_step(table, bulk.keys[i], 6, &cursors[i]);
        change_others(ops);
        macs_exact_hash_bulk_finish(table, &bulk, AT_ONCE, 6);
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            CHECK(id_of(bulk.entries[i]) == 1 + there[i]);
            CHECK(id_of(macs_exact_hash_finish(table, bulk.keys[i], 6, &cursors[i])) == 1 + there[i]);
        }
        pass();
    }
    end(ops);
}

static void moved_in_words(bool indexed) {
    enum { KEY_BITS = 48, DATA_BITS = 3, ACTIONS = 1 << DATA_BITS };
    const struct macs_table_ops *ops = &macs_exact_packed_ops;
    static const struct macs_key_field field = {"k", KEY_BITS, 0, MACS_EXACT, 0};
    static const struct macs_action_desc actions[ACTIONS];
    const struct macs_table_shape shape = {.key_bytes = 6,
                                           .prefix_offset = 6,
                                           .value_bytes = sizeof(struct value),
                                           .size = SIZE + 2 * CHANGED,
                                           .fields = &field,
                                           .field_count = 1,
                                           .actions = actions,
                                           .action_count = ACTIONS,
                                           .key_bits = KEY_BITS,
                                           .data_bits = DATA_BITS,
                                           .action_bits = DATA_BITS,
                                           .indexed = indexed};
    static struct macs_exact_packed_bulk bulk;
    context = ops->name;
    begin();
    CHECK(ops->create(&shape, qsbr, &table) == 0);
    fill(ops);
    for (uint32_t burst = 0; burst < BURSTS; burst++) {
        struct macs_exact_packed_cursor cursors[AT_ONCE];
        choose();
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            bulk.keys[i] = key_of(there[i]);
            macs_exact_packed_start(table, bulk.keys[i], KEY_BITS, DATA_BITS, &cursors[i]);
        }
        macs_exact_packed_bulk_start(table, &bulk, AT_ONCE, KEY_BITS, DATA_BITS);
        change_others(ops);
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            macs_exact_packed_bulk_step(&bulk, i, DATA_BITS);
            if (i % 2)
                macs_exact_packed_step(DATA_BITS, &cursors[i]);
        }
        change_others(ops);
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            uint64_t data = 9, same = 9;
            CHECK(macs_exact_packed_bulk_finish(&bulk, i, DATA_BITS, &data) && data == there[i] % 5);
            CHECK(macs_exact_packed_finish(KEY_BITS, DATA_BITS, &cursors[i], &same) && same == there[i] % 5);
        }
        pass();
    }
    end(ops);
}

int main(void) {
    for (uint32_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        kernel = &kernels[i];
        replaced_between_steps(0);
        replaced_between_steps(OTHERS);
    }
    moved_in_hash();
    moved_in_words(false);
    moved_in_words(true);
    puts("ok");
    return 0;
}
