/* Test of entries whose time is over, in a table with more entries than are looked at in one go: all of them are
 * deleted, a part in each turn, others stay; and when the next turn is due. Linked with the runtime. Prints ok, or what
 * was wrong. */
#include <macs/learn.h>
#include <macs/qsbr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "control/learned.h"
#include "runtime/ages.h"
#include "tables/exact/exact_hash.h"

enum { SIZE = 40000, AT_ONCE = 16384, PERIOD_NS = 100000000 };

static const struct macs_key_field field = {"key", 32, 0, MACS_EXACT, 0};
static const struct macs_action_desc action = {"a", NULL, 0, MACS_ANYWHERE};
static const struct macs_entry nothing;
static const struct macs_table_desc desc = {
    .name = "t",
    .fields = &field,
    .actions = &action,
    .ops = &macs_exact_hash_ops,
    .default_value = &nothing,
    .shape = {.key_bytes = 4, .prefix_offset = 4, .value_bytes = sizeof(nothing), .size = SIZE},
    .field_count = 1,
    .action_count = 1,
    .ages = true,
    .deletes = true};
static struct macs_table table;
const struct macs_program macs_program = {.table_count = 1, .table_descs = &desc, .tables = &table};
static struct macs_switch sw; /* much of it is not used */
static struct macs_console console;

static struct macs_match match_of(uint32_t key) {
    static uint8_t bytes[4], ones[4] = {0xff, 0xff, 0xff, 0xff};
    memcpy(bytes, &key, sizeof(bytes));
    return (struct macs_match){.value = bytes, .mask = ones, .high = bytes, .prefix_bits = 32};
}

/* Every third one lives for ever, each other one for a nanosecond, by its own time or by a profile's. */
static bool lasts(uint32_t index) {
    return index % 3 == 0;
}

static void add_all(void) {
    for (uint32_t key = 0; key < SIZE; key++) {
        const struct macs_match match = match_of(key);
        uint64_t handle;
        if (desc.ops->find(table.state, &match))
            continue;
        CHECK(!macs_entries_add(&console.tables[0], &match, &nothing, &handle));
        const uint32_t index = macs_entries_index_of(&console.tables[0], handle);
        if (lasts(index))
            continue;
        macs_ages_limit(table.ages, index, 1);
        if (index % 3 == 1)
            macs_set_expire_time(&(struct macs_worker){.now_ns = 1}, &table, index, 9);
    }
}

/* Entries that are left of those with indices below `end`. */
static uint32_t left_below(uint32_t end) {
    uint32_t count = SIZE - end;
    for (uint32_t index = 0; index < end; index++)
        count += lasts(index);
    return count;
}

int main(void) {
    uint64_t gone = 0;
    CHECK(!macs_qsbr_create(&sw.qsbr));
    sw.program = &macs_program;
    CHECK(!macs_table_init(&table, &desc, sw.qsbr) && (table.ages = macs_ages_create(SIZE)));
    CHECK(!macs_console_init(&console, &sw, &macs_program) && console.learns);
    table.ages->expire_ns[9] = 1;
    for (unsigned turn = 0; turn < 2; turn++) {
        add_all();
        CHECK(macs_entries_count(&console.tables[0]) == SIZE);
        const uint64_t begun_ns = macs_switch_now(&sw);
        for (uint32_t end = AT_ONCE; end < SIZE; end += AT_ONCE) {
            CHECK(macs_learned_serve(&console) == 0 && macs_entries_count(&console.tables[0]) == left_below(end));
            CHECK(console.learned == gone + SIZE - left_below(end));
        }
        CHECK(macs_learned_serve(&console) == PERIOD_NS && macs_entries_count(&console.tables[0]) == left_below(SIZE));
        gone += SIZE - left_below(SIZE);
        CHECK(console.learned == gone);
        add_all(); /* it is not their turn before a while has passed */
        uint64_t wait_ns = macs_learned_serve(&console);
        if (macs_switch_now(&sw) - begun_ns < PERIOD_NS) {
            CHECK(wait_ns > 0 && wait_ns < PERIOD_NS && macs_entries_count(&console.tables[0]) == SIZE);
            CHECK(console.learned == gone);
        }
        while (wait_ns && macs_entries_count(&console.tables[0]) == SIZE)
            wait_ns = macs_learned_serve(&console);
        while (macs_entries_count(&console.tables[0]) != left_below(SIZE))
            macs_learned_serve(&console);
        gone += SIZE - left_below(SIZE);
        CHECK(console.learned == gone);
        table.ages->swept_ns = 0; /* the next turn at once */
        table.ages->at = 0;
    }
    macs_console_fini(&console);
    macs_table_close(&table);
    macs_ages_destroy(table.ages);
    macs_qsbr_destroy(sw.qsbr);
    puts("ok");
    return 0;
}
