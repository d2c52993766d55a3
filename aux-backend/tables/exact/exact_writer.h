/* Changes of an exact-match table of values (values.h), the same for all of them: a value is written into a slot, then
 * the table's lookups are pointed to the slot.
 *
 * Threads: the one writer.
 */
#ifndef MACS_TABLES_EXACT_WRITER_H
#define MACS_TABLES_EXACT_WRITER_H

#include "tables/common/values.h"

/* Where lookups find slots. `place`: of the caller's, filled by locate(); where an entry is, or would go. */
struct macs_exact_writer_ops {
    /* The slot of the entry with that match, + 1; 0: there is none. */
    uint32_t (*locate)(void *table, const struct macs_match *match, void *place);
    /* Lookups find the slot from now on. 0, or -errno: nothing has changed. */
    int (*insert)(void *table, const struct macs_match *match, void *place, uint32_t slot);
    /* Lookups find it instead of the one that is there. */
    void (*replace)(void *table, const struct macs_match *match, void *place, uint32_t slot);
    /* Lookups find nothing there any more. */
    void (*remove)(void *table, const struct macs_match *match, void *place);
    uint32_t add_defers; /* releases (macs/qsbr.h) that insert() takes at most */
};

struct macs_exact_writer {
    const struct macs_exact_writer_ops *ops;
    void *table, *place;
    struct macs_values *values;
};

/* Whether all fields of the key are exact. */
bool macs_exact_writer_takes(const struct macs_table_shape *shape);

/* As of struct macs_table_ops. */
int macs_exact_writer_add(const struct macs_exact_writer *writer, const struct macs_match *match, const void *value,
                          uint32_t *index);
int macs_exact_writer_modify(const struct macs_exact_writer *writer, const struct macs_match *match, const void *value);
int macs_exact_writer_remove(const struct macs_exact_writer *writer, const struct macs_match *match);
const struct macs_entry *macs_exact_writer_find(const struct macs_exact_writer *writer, const struct macs_match *match);

#endif
