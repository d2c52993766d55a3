/* Test of a table to which packets and the control plane add entries: in any order, also of a key that the other adds
 * meanwhile, which only one of them may. Beside a plain array of what there is; in the end each place of the table is
 * free again. An entry counts from zero, whoever had its place. Linked with the runtime. Prints ok, or what was wrong.
 *
 * Usage: both_add SEED */
#include <errno.h>
#include <macs/counter.h>
#include <macs/learn.h>
#include <macs/qsbr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "control/learned.h"
#include "runtime/externs.h"
#include "runtime/learning.h"
#include "tables/exact/exact_hash.h"

enum { SIZE = 8, KEYS = 14, STEPS = 40000 };

static const struct macs_key_field field = {"key", 16, 0, MACS_EXACT, 0};
static const struct macs_action_desc action = {"a", NULL, 0, MACS_ANYWHERE};
static const struct macs_entry nothing;
static const struct macs_table_desc desc = {
    .name = "t",
    .fields = &field,
    .actions = &action,
    .ops = &macs_exact_hash_ops,
    .default_value = &nothing,
    .shape = {.key_bytes = 2, .prefix_offset = 2, .value_bytes = sizeof(nothing), .size = SIZE},
    .field_count = 1,
    .action_count = 1,
    .learns = true};
static struct macs_table table;
static const struct macs_extern_desc counted = {
    .name = "c", .table = "t", .size = SIZE + 1, .kind = MACS_DIRECT_COUNTER, .unit = MACS_PACKETS};
static void *counter;
const struct macs_program macs_program = {.table_count = 1,
                                          .extern_count = 1,
                                          .table_descs = &desc,
                                          .tables = &table,
                                          .extern_descs = &counted,
                                          .externs = &counter};
static struct macs_bell bell = {.heard = -1, .ringing = -1};
static struct macs_switch sw; /* much of it is not used */
static struct macs_console console;
static struct macs_worker worker;
static struct macs_qsbr_reader *reader;
static bool there[KEYS];          /* entries of the table */
static uint64_t packets[KEYS];    /* that an entry, or what was learned, has counted */
static uint64_t learned, settled; /* by packets; and what became of it */

static uint8_t *key_of(unsigned key) {
    static uint8_t bytes[2];
    bytes[0] = 7;
    bytes[1] = (uint8_t)key;
    return bytes;
}

static struct macs_match match_of(unsigned key) {
    static uint8_t ones[2] = {0xff, 0xff};
    return (struct macs_match){.value = key_of(key), .mask = ones, .high = key_of(key), .prefix_bits = 16};
}

/* What a packet finds: the table's entry, or what was learned. */
static const struct macs_entry *look_up(unsigned key) {
    const struct macs_match match = match_of(key);
    const struct macs_entry *found = desc.ops->find(table.state, &match);
    return found ? found : macs_learned(&table, key_of(key), NULL);
}

static void hit(unsigned key) {
    const struct macs_entry *entry = look_up(key);
    if (!entry)
        return;
    CHECK(entry->index < SIZE && macs_counter_get(counter, entry->index).packets == packets[key]);
    macs_counter_add(counter, &worker, entry->index, 60);
    packets[key]++;
}

/* A packet that has missed, maybe a while ago. */
static void learn(unsigned key) {
    const bool is_known = look_up(key) != NULL;
    if (!macs_learn(&worker, &table, key_of(key), &nothing, 0))
        return;
    learned++;
    packets[key] = is_known ? packets[key] : 0;
    CHECK(look_up(key));
}

static void add(unsigned key) {
    const struct macs_match match = match_of(key);
    uint64_t handle;
    macs_qsbr_offline(reader); /* into an empty table it waits for workers */
    const int status = macs_entries_add(&console.tables[0], &match, &nothing, &handle);
    macs_qsbr_online(sw.qsbr, reader);
    CHECK(status == (there[key] ? -EEXIST : 0) || (status == -ENOSPC && !there[key]));
    if (status)
        return;
    there[key] = true;
    packets[key] = 0;
}

static void take_out(unsigned key) {
    const struct macs_match match = match_of(key);
    uint64_t handle;
    const int status = macs_entries_find(&console.tables[0], &match, &handle);
    CHECK(status == (there[key] ? 0 : -ENOENT));
    if (status)
        return;
    CHECK(!macs_entries_delete(&console.tables[0], handle) && !look_up(key));
    there[key] = false;
}

/* The control plane takes what packets have added. */
static void settle(void) {
    const struct macs_learning *learning = table.learning;
    macs_qsbr_offline(reader);
    macs_learned_settle(&console);
    macs_qsbr_online(sw.qsbr, reader);
    uint32_t count = 0;
    for (unsigned key = 0; key < KEYS; key++) {
        const struct macs_match match = match_of(key);
        there[key] = desc.ops->find(table.state, &match);
        count += there[key];
    }
    CHECK(learning->added == learned && console.learned == learned && macs_entries_count(&console.tables[0]) == count);
    CHECK(!macs_learning_next(table.learning) && learning->reserved == learning->stock_tail - learning->stock_head);
    CHECK(count + learning->reserved <= SIZE);
    settled = learned;
}

static void rest(void) {
    for (unsigned period = 0; period < 4; period++) {
        macs_qsbr_quiescent(sw.qsbr, reader);
        macs_qsbr_poll(sw.qsbr);
        macs_learning_clean(table.learning);
    }
}

static void step(void) {
    const unsigned key = (unsigned)rand() % KEYS;
    switch (rand() % 8) {
    case 0:
    case 1:
        learn(key);
        break;
    case 2:
        add(key);
        break;
    case 3:
    case 4:
        if (settled == learned)
            take_out(key);
        break;
    case 5:
        settle();
        break;
    case 6:
        settle();
        rest();
        break;
    default:
        hit(key);
    }
}

/* Each place is a packet's, then each is the control plane's. */
static void check_that_all_is_free(void) {
    for (unsigned turn = 0; turn < 4; turn++) {
        settle();
        for (unsigned key = 0; key < KEYS; key++)
            take_out(key);
        rest();
        settle();
        for (unsigned key = 0; key < SIZE; key++)
            turn % 2 ? add(key) : learn(key);
        settle();
        CHECK(macs_entries_count(&console.tables[0]) == SIZE);
    }
}

int main(int argc, char **argv) {
    srand(argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1);
    CHECK(!macs_qsbr_create(&sw.qsbr) && !macs_qsbr_register(sw.qsbr, &reader));
    macs_qsbr_online(sw.qsbr, reader);
    sw.program = &macs_program;
    CHECK(!macs_externs_create(&macs_program, 1, NULL, sw.qsbr) && !macs_table_init(&table, &desc, sw.qsbr));
    CHECK(!macs_learning_create(&table.learning, &table, &bell) && !macs_console_init(&console, &sw, &macs_program));
    for (unsigned i = 0; i < STEPS; i++) {
        if (i == STEPS / 2)
            settle(), take_out(0), add(0), settle(), take_out(0); /* by now there are handles */
        step();
        macs_qsbr_quiescent(sw.qsbr, reader);
    }
    rest();
    check_that_all_is_free();
    CHECK(table.learning->lost > 100 && learned > STEPS / 20);
    macs_console_fini(&console);
    macs_learning_destroy(table.learning);
    macs_table_close(&table);
    macs_externs_destroy(&macs_program);
    macs_qsbr_offline(reader);
    macs_qsbr_destroy(sw.qsbr);
    puts("ok");
    return 0;
}
