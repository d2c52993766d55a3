/* A table's entries by handle, as BMv2's commands name them.
 *
 * A handle is the entry's index, and above it the number of times that the index was reused. So the handle of a deleted
 * entry does not name a later one.
 * A table finds entries by match only. The map from index to match is made when a command first needs it, and kept up
 * to date from then on: loading millions of entries does not need it.
 * Threads: the control thread.
 * Errors: -errno as in struct macs_table_ops; -ENODEV for a table without keys; -ECANCELED: the process is told to end
 * while the map is made, which takes long.
 */
#ifndef MACS_CONTROL_ENTRIES_H
#define MACS_CONTROL_ENTRIES_H

#include "runtime/switch.h"

struct macs_entries {
    const struct macs_switch *sw;
    const struct macs_program *program; /* whose table it is */
    struct macs_table *table;
    bool mapped;        /* the map is there */
    bool wide;          /* it keeps mask and high too: the table has ternary, range or optional fields */
    uint32_t map_count; /* records */
    size_t stride;      /* bytes a record */
    uint8_t *map;
    uint8_t *scratch; /* two keys: mask and high of narrow tables */
};

/* 0 or -ENOMEM. */
int macs_entries_init(struct macs_entries *entries, const struct macs_switch *sw, const struct macs_program *program,
                      uint16_t table);
void macs_entries_fini(struct macs_entries *entries);

int macs_entries_add(struct macs_entries *entries, const struct macs_match *match, const void *value, uint64_t *handle);
/* One that packets have added: `value` has its index. `taken`: it was taken from those that are free, as it is in an
 * entry then, or was given back. */
int macs_entries_learn(struct macs_entries *entries, const struct macs_match *match, const struct macs_entry *value,
                       bool *taken);
int macs_entries_modify(struct macs_entries *entries, uint64_t handle, const void *value);
/* The same, of the entry with that very match. */
int macs_entries_change(struct macs_entries *entries, const struct macs_match *match, const void *value);
int macs_entries_delete(struct macs_entries *entries, uint64_t handle);

/* The entry of an index, if there is one: 0, -ENOENT. */
int macs_entries_delete_at(struct macs_entries *entries, uint32_t index);

/* NULL: as the program has it. */
int macs_entries_set_default(struct macs_entries *entries, const void *value);

/* The entry of a handle will be modified or deleted soon: prefetch what that looks at. In steps, from 0: each fetches
 * what tells the next one where to look, so between them stands other work, the same step for other handles, say. */
#define MACS_ENTRIES_PREFETCH_STEPS 3u
void macs_entries_prefetch(struct macs_entries *entries, uint64_t handle, unsigned step);

/* Remove the entries at the next `most` indices from *at on, which is moved behind them; the default stays. All are
 * gone when macs_entries_at_end(). */
int macs_entries_clear(struct macs_entries *entries, uint64_t *at, uint32_t most);

/* The handle of the entry with that very match. -ENOENT. */
int macs_entries_find(struct macs_entries *entries, const struct macs_match *match, uint64_t *handle);

/* The entry of a handle; `match` is good until the next call. */
int macs_entries_get(struct macs_entries *entries, uint64_t handle, struct macs_match *match,
                     const struct macs_entry **entry);
/* The index in a handle that is good. */
uint32_t macs_entries_index_of(const struct macs_entries *entries, uint64_t handle);
/* The index that a handle stands for. -ENOENT. */
int macs_entries_index(struct macs_entries *entries, uint64_t handle, uint32_t *index);

/* Call visit for the entries at the next `most` indices from *at on, which is moved behind them, until it returns
 * non-zero, which is returned. Entries may come and go between two calls. */
typedef int macs_entries_visit_fn(uint64_t handle, const struct macs_match *match, const struct macs_entry *entry,
                                  void *argument);
int macs_entries_walk(struct macs_entries *entries, uint64_t *at, uint32_t most, macs_entries_visit_fn *visit,
                      void *argument);

/* True: no entry has an index from `at` on. */
static inline bool macs_entries_at_end(const struct macs_entries *entries, uint64_t at) {
    return at >= entries->map_count;
}

uint32_t macs_entries_count(const struct macs_entries *entries);

#endif
