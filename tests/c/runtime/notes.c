/* Notes are counted as they come, are replaced and go; at the limit one fits that takes the place of another. */
#include "control/notes.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 40u
#define STEPS 20000u

static const uint8_t bytes[200];

static int set(struct macs_notes *notes, uint8_t name, uint32_t length) {
    const uint8_t names[2] = {1, name};
    return macs_notes_set(notes, names, sizeof(names), bytes, length);
}

static void counted(void) {
    struct macs_notes notes = {0};
    uint32_t lengths[NAMES] = {0};
    for (unsigned step = 0; step < STEPS; step++) {
        const uint8_t name = (uint8_t)((uint32_t)rand() % NAMES);
        lengths[name] = rand() % 3 ? (uint32_t)rand() % 200 : 0;
        assert(!set(&notes, name, lengths[name]));
        size_t all = 0;
        for (unsigned i = 0; i < NAMES; i++)
            all += lengths[i] ? lengths[i] + 2 : 0;
        assert(notes.bytes == all);
    }
    macs_notes_fini(&notes);
    assert(!notes.bytes);
}

static void limit(void) {
    struct macs_notes notes = {0};
    assert(!set(&notes, 1, 100));
    const size_t others = MACS_NOTES_MAX - 150; /* as if they were there */
    notes.bytes += others;
    assert(set(&notes, 2, 47) == -ENOSPC && !set(&notes, 2, 46));
    assert(notes.bytes == MACS_NOTES_MAX);
    assert(set(&notes, 3, 1) == -ENOSPC && set(&notes, 2, 47) == -ENOSPC);
    assert(!set(&notes, 2, 46) && !set(&notes, 2, 40) && !set(&notes, 1, 106) && set(&notes, 1, 107) == -ENOSPC);
    assert(notes.bytes == MACS_NOTES_MAX);
    assert(!set(&notes, 1, 0) && !set(&notes, 3, 106));
    notes.bytes -= others;
    macs_notes_fini(&notes);
    assert(!notes.bytes);
}

int main(void) {
    counted();
    limit();
    puts("ok");
    return 0;
}
