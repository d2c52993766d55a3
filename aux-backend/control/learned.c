#include "control/learned.h"

#include <errno.h>

#include "runtime/ages.h"
#include "runtime/externs.h"
#include "runtime/learning.h"

#define COME_SOON_NS 500000u /* while records are on their way back */
#define SWEEP_NS 100000000u  /* from one look at all entries of a table to the next */
#define AT_ONCE 16384u       /* entries that are looked at in one go */
#define NEVER_NS UINT64_MAX

/* False: a worker hangs, and it is to be tried again. */
static bool make_entries(struct macs_console *console, struct macs_entries *entries) {
    struct macs_learning *learning = entries->table->learning;
    struct macs_learning_record *record;
    while ((record = macs_learning_next(learning))) {
        struct macs_match match;
        struct macs_entry *value;
        bool taken;
        macs_learning_match(learning, record, &match, &value);
        const int status = macs_entries_learn(entries, &match, value, &taken);
        if (status == -EBUSY)
            return false;
        macs_learning_made(learning, status, taken);
        console->learned++;
    }
    return true;
}

/* The index was another entry's: its direct counters begin anew. */
static void reset(uint32_t index, void *argument) {
    const struct macs_entries *entries = argument;
    macs_externs_reset_direct(entries->program, entries->table->desc->name, index);
}

static void settle(struct macs_console *console, struct macs_entries *entries) {
    if (make_entries(console, entries))
        macs_learning_fill(entries->table->learning, true, reset, entries);
}

void macs_learned_settle(struct macs_console *console) {
    for (uint16_t table = 0; console->learns && table < console->program->table_count; table++)
        if (console->tables[table].table->learning)
            settle(console, &console->tables[table]);
}

/* Delete those of the next entries whose time is over. True: all have been looked at. */
static bool sweep(struct macs_console *console, struct macs_entries *entries, uint64_t now_ns) {
    struct macs_ages *ages = entries->table->ages;
    for (uint32_t looked = 0; looked < AT_ONCE && ages->at < ages->size; looked++, ages->at++)
        if (macs_ages_is_over(ages, ages->at, now_ns))
            console->learned += !macs_entries_delete_at(entries, ages->at);
    if (ages->at < ages->size)
        return false;
    ages->at = 0;
    ages->swept_ns = now_ns;
    return true;
}

/* Nanoseconds until the next sweep of a table. */
static uint64_t serve_ages(struct macs_console *console, struct macs_entries *entries) {
    struct macs_ages *ages = entries->table->ages;
    const uint64_t now_ns = macs_switch_now(entries->sw);
    if (!ages->at && now_ns - ages->swept_ns < SWEEP_NS)
        return ages->swept_ns + SWEEP_NS - now_ns;
    return sweep(console, entries, now_ns) ? SWEEP_NS : 0;
}

uint64_t macs_learned_serve(struct macs_console *console) {
    uint64_t next_ns = NEVER_NS;
    for (uint16_t number = 0; console->learns && number < console->program->table_count; number++) {
        struct macs_entries *entries = &console->tables[number];
        if (entries->table->learning) {
            settle(console, entries);
            if (macs_learning_clean(entries->table->learning))
                next_ns = next_ns < COME_SOON_NS ? next_ns : COME_SOON_NS;
        }
        if (entries->table->desc->deletes) {
            const uint64_t then_ns = serve_ages(console, entries);
            next_ns = next_ns < then_ns ? next_ns : then_ns;
        }
    }
    return next_ns;
}
