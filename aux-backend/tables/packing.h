/* Entries as words: the key's fields without gaps in one, the action's number and its data in another.
 *
 * Where the bits lie is the compiler's choice, told by the table's shape: it unpacks found words in the generated code
 * itself, and this is the writer's side of the same. A word has at most 64 bits.
 * Threads: any; nothing is kept.
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

#endif
