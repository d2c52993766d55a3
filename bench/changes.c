/* How long changes of tables take: entries come, have other data, and go, these two in another order than they came.
 *
 * Usage: changes [SHARE]: the tables have their entries divided by SHARE. A line for each: kernel, entries, nanoseconds
 * of CPU time for one added, modified, removed. Keys of exact kernels have 6 bytes; prefixes are 16 to 24 bits of 32,
 * and 48 to 64 of 128; masks leave 4 of 13 bytes open. What goes is given back after grace periods, and kernels are
 * told of changes shortly before, as in a switch that does the lines of a script.
 */
#include <errno.h>
#include <macs/qsbr.h>
#include <macs/table.h>
#include <stddef.h>

#include "probe.h"
#include "tables/exact/exact_hash.h"
#include "tables/exact/exact_packed.h"
#include "tables/lpm/lpm_dir24.h"
#include "tables/lpm/lpm_trie.h"
#include "tables/ternary/ternary_cells.h"

enum { KEY_MAX = 16, DATA_BITS = 8, BLOCK = 16 };

#define OTHER_STEP UINT64_C(0x9e3779b1) /* a prime */

struct value {
    struct macs_entry head;
    uint32_t number;
};

struct entry {
    uint8_t key[KEY_MAX], mask[KEY_MAX];
    uint32_t bits;
};

/* A table of which `entries` are changed. */
struct subject {
    const struct macs_table_ops *ops;
    uint32_t entries, key_bytes;
    uint32_t shortest, longest; /* prefixes; 0: the key is exact or has masks */
    uint32_t open_bytes;        /* of each mask */
};

static const struct subject subjects[] = {
    {.ops = &macs_exact_packed_ops, .entries = 4000000, .key_bytes = 6},
    {.ops = &macs_exact_hash_ops, .entries = 1000000, .key_bytes = 6},
    {.ops = &macs_lpm_dir24_ops, .entries = 500000, .key_bytes = 4, .shortest = 16, .longest = 24},
    {.ops = &macs_lpm_dir24_ops, .entries = 1000000, .key_bytes = 4, .shortest = 16, .longest = 24},
    {.ops = &macs_lpm_trie_ops, .entries = 200000, .key_bytes = 16, .shortest = 48, .longest = 64},
    {.ops = &macs_ternary_cells_ops, .entries = 10000, .key_bytes = 13, .open_bytes = 4},
};

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* -- entries ----------------------------------------------------------------------------------------------------------
 */

/* Different for different numbers: a number's bits, scattered, are the highest ones. */
static void make_entry(const struct subject *subject, uint32_t number, struct entry *entry) {
    uint64_t state = number;
    uint32_t scattered = number * 0x9e3779b1u, span = subject->longest - subject->shortest + 1;
    for (uint32_t at = 0; at < KEY_MAX; at++)
        entry->key[at] = (uint8_t)(at < 4 ? scattered >> (24 - 8 * at) : probe_random(&state));
    memset(entry->mask, 0xff, KEY_MAX);
    memset(entry->mask + 4 + number % 4, 0, subject->open_bytes);
    entry->bits = subject->key_bytes * 8;
    if (subject->longest)
        entry->bits = number % 5 < 3 ? subject->longest : subject->shortest + (uint32_t)(probe_random(&state) % span);
}

enum change { ADD, MODIFY, REMOVE };

/* Prefixes that are there already, or gone already, are passed over. */
static int change(const struct subject *subject, void *table, const struct entry *entry, enum change what,
                  uint32_t number) {
    const struct macs_match match = {entry->key, entry->mask, entry->key, entry->bits, 0};
    const struct value value = {.number = number % (1 << DATA_BITS)};
    int error = what == ADD      ? subject->ops->add(table, &match, &value, NULL)
                : what == MODIFY ? subject->ops->modify(table, &match, &value)
                                 : subject->ops->remove(table, &match);
    return error == (what == ADD ? -EEXIST : -ENOENT) && subject->longest ? 0 : error;
}

/* As many changes as a script has in hand at once: have the memory on its way that they take. */
static void expect(const struct subject *subject, void *table, const struct entry entries[], uint32_t count,
                   bool found) {
    for (uint32_t n = 0; n < count && subject->ops->prefetch; n++) {
        const struct macs_match match = {entries[n].key, entries[n].mask, entries[n].key, entries[n].bits, 0};
        subject->ops->prefetch(table, &match, found);
    }
}

/* Nanoseconds for one. */
static double time_changes(const struct subject *subject, void *table, const struct entry entries[], uint32_t count,
                           enum change what) {
    uint64_t begin = probe_clock(CLOCK_THREAD_CPUTIME_ID);
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t block = count - n < BLOCK ? count - n : BLOCK;
        if (n % BLOCK == 0)
            expect(subject, table, &entries[n], block, false);
        if (n % BLOCK == 0 && what != ADD)
            expect(subject, table, &entries[n], block, true);
        if (change(subject, table, &entries[n], what, n + what))
            fail("a change is refused");
    }
    return (double)(probe_clock(CLOCK_THREAD_CPUTIME_ID) - begin) / count;
}

/* -- tables -----------------------------------------------------------------------------------------------------------
 */

static struct macs_table_shape shape_of(const struct subject *subject, uint32_t count) {
    static const struct macs_param param = {
        .name = "number", .bits = DATA_BITS, .offset = offsetof(struct value, number), .bytes = 4};
    static const struct macs_action_desc action = {.name = "answer", .params = &param, .param_count = 1};
    static const struct macs_key_field field = {.name = "key", .bits = 48, .kind = MACS_EXACT};
    bool packed = subject->ops == &macs_exact_packed_ops;
    return (struct macs_table_shape){.key_bytes = subject->key_bytes,
                                     .prefix_offset = subject->longest ? 0 : subject->key_bytes,
                                     .value_bytes = sizeof(struct value),
                                     .size = count,
                                     .fields = packed ? &field : NULL,
                                     .field_count = packed,
                                     .actions = &action,
                                     .action_count = 1,
                                     .key_bits = 48,
                                     .data_bits = DATA_BITS};
}

static void run(const struct subject *subject, uint32_t count) {
    const struct macs_table_shape shape = shape_of(subject, count);
    struct entry *entries = calloc(count, sizeof(*entries)), *others = calloc(count, sizeof(*others));
    struct macs_qsbr *qsbr = NULL;
    void *table = NULL;
    if (!entries || !others || macs_qsbr_create(&qsbr) || subject->ops->create(&shape, qsbr, &table))
        fail("no memory");
    for (uint32_t n = 0; n < count; n++)
        make_entry(subject, n, &entries[n]);
    for (uint64_t n = 0; n < count; n++)
        others[n] = entries[n * OTHER_STEP % count];
    printf("%s %u", subject->ops->name, count);
    for (enum change what = ADD; what <= REMOVE; what++)
        printf(" %.0f", time_changes(subject, table, what == ADD ? entries : others, count, what));
    printf("\n");
    fflush(stdout);
    subject->ops->destroy(table);
    macs_qsbr_destroy(qsbr);
    free(entries);
    free(others);
}

int main(int argc, char **argv) {
    uint32_t share = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
    for (unsigned i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
        run(&subjects[i], subjects[i].entries / (share ? share : 1));
    return 0;
}
