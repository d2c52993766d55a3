/* Finds handles by the numbers that clients give them (ids), and ids by handle.
 *
 * Open addressing with linear probing; at most half of the places are in use.
 * Threads: one.
 */
#ifndef MACS_RUNTIME_IDS_H
#define MACS_RUNTIME_IDS_H

#include <stdint.h>

struct macs_ids {
    uint64_t *ids;    /* by handle; 0: it has none */
    uint32_t *places; /* handle + 1, or 0 */
    uint64_t mask;    /* places - 1 */
};

/* For handles below `size`. 0 or -ENOMEM; what was made so far is freed by macs_ids_fini(). */
int macs_ids_init(struct macs_ids *ids, uint32_t size);
void macs_ids_fini(struct macs_ids *ids);

/* The handle has no id, and no other has this one, which is not 0. */
void macs_ids_set(struct macs_ids *ids, uint32_t handle, uint64_t id);
/* The handle has none any more; it need not have had one. */
void macs_ids_clear(struct macs_ids *ids, uint32_t handle);

/* 0 or -ENOENT. */
int macs_ids_find(const struct macs_ids *ids, uint64_t id, uint32_t *handle);

#endif
