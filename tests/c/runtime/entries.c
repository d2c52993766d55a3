/* The map of a table's handles, beside a table that only counts how far it was walked: a process that is told to end
 * makes no map. The bits of handles, and what a writer's error is told as. */
#include "control/entries.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/update_status.h"
#include "runtime/ages.h"
#include "runtime/externs.h"
#include "runtime/profile.h"

enum { ENTRIES = 1000, TOLD_AT = 10 };

static unsigned walked, told_at = ENTRIES;
static struct macs_switch *sw;

static int walk(void *self, int (*visit)(const struct macs_match *, const struct macs_entry *, void *),
                void *argument) {
    (void)self;
    int status = 0;
    for (walked = 0; walked < ENTRIES && !status; walked++) {
        const uint8_t key[2] = {(uint8_t)(walked >> 8), (uint8_t)walked};
        const struct macs_match match = {.value = key, .prefix_bits = 16};
        const struct macs_entry entry = {.index = walked};
        if (walked == told_at)
            atomic_store(&sw->ending, true);
        status = visit(&match, &entry, argument);
    }
    return status;
}

/* What this test comes to nowhere. */
void macs_ages_begin(struct macs_ages *ages, uint32_t index, uint64_t now) {
    (void)ages, (void)index, (void)now;
    abort();
}
void macs_ages_end(struct macs_ages *ages, uint32_t index) {
    (void)ages, (void)index;
    abort();
}
uint64_t macs_ages_timeout_ns(const struct macs_ages *ages, uint32_t index) {
    (void)ages, (void)index;
    abort();
}
void macs_ages_limit(struct macs_ages *ages, uint32_t index, uint64_t timeout_ns) {
    (void)ages, (void)index, (void)timeout_ns;
    abort();
}
void macs_externs_reset_direct(const struct macs_program *program, const char *table, uint32_t index) {
    (void)program, (void)table, (void)index;
    abort();
}
void macs_profile_refer(struct macs_profile *profile, const struct macs_entry *entry, int more) {
    (void)profile, (void)entry, (void)more;
    abort();
}
int macs_table_add(struct macs_table *table, const struct macs_match *match, const void *value, uint32_t *index) {
    (void)table, (void)match, (void)value, (void)index;
    abort();
}
int macs_table_remove(struct macs_table *table, const struct macs_match *match) {
    (void)table, (void)match;
    abort();
}
int macs_table_set_default(struct macs_table *table, const void *value) {
    (void)table, (void)value;
    abort();
}
uint64_t macs_odp_clock_ns(void) {
    abort();
}

/* What writers return is told by its cause. */
static void told(void) {
    static const struct {
        int status;
        enum macs_update_status told;
    } causes[] = {
        {0, MACS_UPDATE_DONE},
        {-EEXIST, MACS_UPDATE_EXISTS},
        {-ENOENT, MACS_UPDATE_NONE},
        {-ESRCH, MACS_UPDATE_NONE},
        {-ENOSPC, MACS_UPDATE_FULL},
        {-EBUSY, MACS_UPDATE_BUSY},
        {-ENOMEM, MACS_UPDATE_NO_MEMORY},
        {-ENODEV, MACS_UPDATE_WRONG},
        {-EINVAL, MACS_UPDATE_WRONG},
    };
    for (unsigned i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        assert(macs_update_status_of(causes[i].status) == causes[i].told);
}

/* Handles have an index of 24 bits, of 32 in tables that need more. */
static uint32_t index_in(uint64_t handle, uint32_t size) {
    const struct macs_table_desc desc = {.shape = {.size = size}};
    struct macs_table table = {.desc = &desc};
    return macs_entries_index_of(&(struct macs_entries){.table = &table}, handle);
}

static void lengths(void) {
    const uint64_t handle = UINT64_C(0x7f12345678);
    assert(index_in(handle, 1) == 0x345678 && index_in(handle, (1u << 24) - 1) == 0x345678);
    assert(index_in(handle, (1u << 24) + 1) == 0x12345678 && index_in(handle, UINT32_MAX) == 0x12345678);
}

int main(void) {
    lengths();
    told();
    const struct macs_table_ops ops = {.walk = walk};
    const struct macs_table_desc desc = {.ops = &ops, .shape = {.key_bytes = 2, .size = ENTRIES}};
    struct macs_table table = {.desc = &desc};
    const struct macs_program program = {.table_count = 1, .table_descs = &desc, .tables = &table};
    struct macs_entries entries;
    uint32_t index;
    sw = calloc(1, sizeof(*sw));
    assert(sw && !macs_entries_init(&entries, sw, &program, 0));
    told_at = TOLD_AT;
    assert(macs_entries_index(&entries, 0, &index) == -ECANCELED && walked == TOLD_AT + 1);
    atomic_store(&sw->ending, false);
    told_at = ENTRIES;
    for (uint32_t i = 0; i < ENTRIES; i++)
        assert(!macs_entries_index(&entries, i, &index) && index == i);
    assert(macs_entries_index(&entries, ENTRIES, &index) == -ENOENT && walked == ENTRIES);
    macs_entries_fini(&entries);
    free(sw);
    puts("ok");
    return 0;
}
