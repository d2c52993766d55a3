/* Packed entries: the key's fields in one word, the action's number and its data in another, without gaps.
 *
 * The compiler chooses the position of each field and passes it in the table's shape. Generated code unpacks the words
 * of entries itself; the functions here do the same for the control plane. A word has at most 64 bits.
 * Threads: any. Only struct macs_packing_view, for a writer that shows its entries, has a state.
 */
#ifndef MACS_TABLES_PACKING_H
#define MACS_TABLES_PACKING_H

#include <macs/table.h>

/* The lowest `bits` (0 … 64) bits. */
static inline uint64_t macs_packing_ones(uint32_t bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* A packed key's bytes as the key word, and back. */
uint64_t macs_packing_key(const struct macs_table_shape *shape, const uint8_t *bytes);
void macs_packing_key_bytes(const struct macs_table_shape *shape, uint64_t key, uint8_t *bytes);

/* An entry's value as the data word, and back into value_bytes bytes, its index left alone; what no parameter names is
 * zero then. */
uint64_t macs_packing_data(const struct macs_table_shape *shape, const void *value);
void macs_packing_value(const struct macs_table_shape *shape, uint64_t data, void *value);

/* Whether a shape is one of words, of exact fields. */
bool macs_packing_takes(const struct macs_table_shape *shape);

/* The data word of a value: 0, or -EINVAL where it has more bits than the shape says. */
int macs_packing_check(const struct macs_table_shape *shape, const void *value, uint64_t *data);

/* Room for what `find` and `walk` show: one entry at a time, which words are not by themselves. */
struct macs_packing_view {
    const struct macs_table_shape *shape; /* the table's, which outlives the view */
    struct macs_entry *value;
    uint8_t *key; /* packed; then the mask of an exact key */
};

/* 0 or -ENOMEM, and then macs_packing_view_destroy may still be called. */
int macs_packing_view_create(struct macs_packing_view *view, const struct macs_table_shape *shape);
void macs_packing_view_destroy(struct macs_packing_view *view);

/* The entry with these data and that index; valid until the next one is shown. */
const struct macs_entry *macs_packing_show(const struct macs_packing_view *view, uint64_t data, uint32_t index);

/* The match of an entry with that key; likewise. */
struct macs_match macs_packing_match(const struct macs_packing_view *view, uint64_t key);

#endif
