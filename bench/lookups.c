/* Part of a switch that notes its lookups: see lookups.h.
 *
 * It is linked into the switch with --wrap=macs_switch_stop. So when the switch has read all that it was given, and its
 * tables are still there, it writes a line for each table to the file that MACSAD_LOOKUPS names: how many lookups there
 * were, how many of those that are done again find an entry, the name. Then it measures as the other programs here do
 * (probe.h): contest "lookup", NUMBER of the line from 0. An operation is a lookup. Standard output is for that alone;
 * what the switch says goes to standard error.
 * Keys are kept of the first KEPT lookups of a table. Threads: one worker.
 */
#include <macs/program.h>
#include <unistd.h>

#include "lookups.h"
#include "probe.h"
#include "runtime/switch.h"

enum { KEPT = 1 << 14, TABLES = 4096 };

struct noted {
    const struct lookups_subject *subject; /* NULL: nothing looks it up by a kernel */
    uint8_t *keys;
    uint64_t count;
};

static struct noted noted[TABLES];
static int answers = -1; /* standard output, as it was */

__attribute__((constructor)) static void keep_output(void) {
    answers = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

__attribute__((noreturn)) static void fail(const char *why) {
    fprintf(stderr, "lookups: %s\n", why);
    exit(1);
}

static const struct lookups_subject *subject_of(const char *table) {
    for (uint32_t i = 0; i < lookups_subject_count; i++)
        if (!strcmp(lookups_subjects[i].table, table))
            return &lookups_subjects[i];
    return NULL;
}

static unsigned table_of(const void *state) {
    static unsigned last;
    if (last < macs_program.table_count && macs_program.tables[last].state == state)
        return last;
    for (last = 0; last < macs_program.table_count; last++)
        if (macs_program.tables[last].state == state)
            return last;
    fail("a lookup in no table");
}

/* The place of one more key, or NULL where enough are kept. */
static uint8_t *more(const void *state, uint32_t bytes) {
    struct noted *table = &noted[table_of(state)];
    if (!table->keys) {
        table->subject = subject_of(macs_program.table_descs[table - noted].name);
        if (!table->subject || table->subject->bytes != bytes)
            fail("a lookup with another key than the table's");
        table->keys = malloc((size_t)KEPT * bytes);
        if (!table->keys)
            fail("no memory for keys");
    }
    uint64_t at = table->count++;
    return at < KEPT ? table->keys + at * bytes : NULL;
}

void lookups_note(const void *state, const uint8_t *key, uint32_t bytes) {
    uint8_t *place = more(state, bytes);
    if (place)
        memcpy(place, key, bytes);
}

void lookups_note_word(const void *state, uint64_t word) {
    uint8_t *place = more(state, sizeof word);
    if (place)
        memcpy(place, &word, sizeof word);
}

void lookups_note_words(const void *state, const uint64_t words[], uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        lookups_note_word(state, words[i]);
}

void lookups_note_numbers(const void *state, const uint32_t numbers[], uint32_t count, uint32_t bytes) {
    for (uint32_t i = 0; i < count; i++) {
        uint8_t key[sizeof numbers[0]];
        for (uint32_t k = 0; k < bytes; k++)
            key[k] = (uint8_t)(numbers[i] >> 8 * (bytes - 1 - k));
        lookups_note(state, key, bytes);
    }
}

void lookups_note_rows(const void *state, const void *rows, size_t stride, uint32_t count, uint32_t bytes) {
    for (uint32_t i = 0; i < count; i++)
        lookups_note(state, (const uint8_t *)rows + i * stride, bytes);
}

/* All keys that are kept of a table, once; how many entries were found. */
static uint64_t look_up_again(unsigned number, uint64_t *lookups) {
    const struct noted *table = &noted[number];
    const void *state = macs_program.tables[number].state;
    const uint64_t kept = table->count < KEPT ? table->count : KEPT;
    uint64_t found = 0;
    for (uint64_t at = 0; at < kept; at += LOOKUPS_BATCH) {
        uint32_t some = (uint32_t)(kept - at < LOOKUPS_BATCH ? kept - at : LOOKUPS_BATCH);
        found += table->subject->run(state, table->keys + at * table->subject->bytes, some);
    }
    *lookups = kept;
    return found;
}

static uint64_t measure(uint64_t number) {
    uint64_t lookups = 0;
    if (number >= macs_program.table_count || !noted[number].count)
        fail("no such table");
    while (lookups < KEPT) {
        uint64_t some;
        probe_keep(look_up_again((unsigned)number, &some));
        lookups += some;
    }
    return lookups;
}

static void tell_of_tables(void) {
    const char *path = getenv("MACSAD_LOOKUPS");
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!out)
        fail("MACSAD_LOOKUPS names no file that can be written");
    for (unsigned number = 0; number < macs_program.table_count; number++) {
        uint64_t lookups = 0, found = noted[number].count ? look_up_again(number, &lookups) : 0;
        fprintf(out, "%" PRIu64 " %.6f %s\n", noted[number].count, lookups ? (double)found / (double)lookups : 0,
                macs_program.table_descs[number].name);
    }
    if (fclose(out))
        fail("MACSAD_LOOKUPS could not be written");
}

void __real_macs_switch_stop(struct macs_switch *sw);
void __wrap_macs_switch_stop(struct macs_switch *sw);

void __wrap_macs_switch_stop(struct macs_switch *sw) {
    static const struct probe probes[] = {{"lookup", measure}};
    __real_macs_switch_stop(sw);
    if (macs_program.table_count > TABLES)
        fail("too many tables");
    tell_of_tables();
    fflush(stdout);
    dup2(answers, STDOUT_FILENO);
    exit(probe_serve(probes, 1));
}
