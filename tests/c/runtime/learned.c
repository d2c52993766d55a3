/* Test of entries that packets have added and the table then takes, or does not: each is counted once as what became of
 * it, a key that the table did not take is forgotten, and its index is free again, once, after a grace period. The
 * table is none but its indices. Linked with the runtime. Prints ok, or what was wrong. */
#include "runtime/learning.h"

#include <errno.h>
#include <macs/qsbr.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { SIZE = 4, KEYS = 12, ROUNDS = 50 };

static struct macs_indices indices;
static uint32_t entries; /* that the table has */

static struct macs_indices *indices_of(void *self) {
    return self;
}

static uint32_t count_of(void *self) {
    (void)self;
    return entries;
}

static const struct macs_table_ops ops = {.name = "none", .indices = indices_of, .count = count_of};
static const struct macs_table_desc desc = {
    .name = "t", .ops = &ops, .learns = true, .shape = {.key_bytes = 2, .value_bytes = 8, .size = SIZE}};
static struct macs_bell bell = {.heard = -1, .ringing = -1};
static struct macs_table table = {.desc = &desc, .state = &indices};
static struct macs_worker worker;

static void given_again(uint32_t index, void *argument) {
    CHECK(index < SIZE);
    ++*(unsigned *)argument;
}

static bool learn(uint8_t key) {
    const uint8_t bytes[2] = {key, 1};
    return macs_learn(&worker, &table, bytes, &(struct macs_entry){.action = key}, 0);
}

static bool is_known(uint8_t key) {
    const uint8_t bytes[2] = {key, 1};
    const struct macs_entry *found = macs_learned(&table, bytes, NULL);
    CHECK(!found || found->action == key);
    return found != NULL;
}

/* The index of the first one, which the table takes or not. `taken`: the table had its index, and has given it back. */
static uint32_t settle(int status, bool taken) {
    struct macs_match match;
    struct macs_entry *value;
    struct macs_learning_record *record = macs_learning_next(table.learning);
    CHECK(record);
    macs_learning_match(table.learning, record, &match, &value);
    const uint32_t index = value->index;
    if (status && taken)
        macs_indices_give_later(&indices, table.qsbr, index);
    macs_learning_made(table.learning, status, taken);
    entries += status == 0;
    return index;
}

/* All indices are free, each once. */
static void check_that_all_are_free(void) {
    uint32_t index, seen = 0;
    while (macs_learning_take(table.learning, &index)) {
        CHECK(!(seen & 1u << index));
        seen |= 1u << index;
    }
    while (!macs_indices_take(&indices, &index)) {
        CHECK(!(seen & 1u << index));
        seen |= 1u << index;
    }
    CHECK(seen == (1u << SIZE) - 1);
}

int main(void) {
    struct macs_qsbr_reader *reader;
    unsigned again = 0;
    CHECK(!macs_qsbr_create(&table.qsbr) && !macs_qsbr_register(table.qsbr, &reader));
    macs_qsbr_online(table.qsbr, reader);
    CHECK(!macs_indices_create(&indices, SIZE) && !macs_learning_create(&table.learning, &table, &bell));
    const struct macs_learning *learning = table.learning;
    uint64_t added = 0, refused = 0, lost = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        macs_learning_fill(table.learning, false, given_again, &again);
        for (uint8_t key = 0; key < KEYS; key++) { /* there is room for some, and each is there once */
            const bool first = learn(key), second = learn(key);
            CHECK(!second && is_known(key) == first);
            added += first;
            refused += 2u - first;
        }
        CHECK(learning->added == added && learning->refused == refused);
        for (uint8_t key = 0; key < KEYS; key++) {
            if (!is_known(key))
                continue;
            settle(round % 2 ? -ENOSPC : -ENOMEM, key % 2);
            lost++;
            CHECK(!is_known(key) && learning->lost == lost && learning->added == added);
        }
        CHECK(!macs_learning_next(table.learning) && entries == 0 && learning->reserved == 0);
        for (int period = 0; period < 4; period++) {
            macs_qsbr_quiescent(table.qsbr, reader);
            macs_qsbr_poll(table.qsbr);
            macs_qsbr_quiescent(table.qsbr, reader);
            macs_qsbr_poll(table.qsbr);
            macs_learning_clean(table.learning);
        }
    }
    CHECK(lost == added && added == (uint64_t)SIZE * ROUNDS && again == SIZE * (ROUNDS - 1));
    macs_learning_fill(table.learning, false, given_again, &again);
    CHECK(learn(1)); /* what the table takes is not lost */
    const uint32_t index = settle(0, true);
    CHECK(is_known(1) && learning->lost == lost && learning->added == added + 1 && entries == 1);
    macs_indices_give(&indices, index);
    check_that_all_are_free();
    macs_learning_destroy(table.learning);
    macs_qsbr_offline(reader);
    macs_qsbr_destroy(table.qsbr);
    macs_indices_destroy(&indices);
    puts("ok");
    return 0;
}
