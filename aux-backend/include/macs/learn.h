/* Entries that packets add to the table that they missed: PNA's add_entry, for generated code.
 *
 * A worker puts the entry into a small hash table beside the table, *what was learned*, and goes on. Whoever misses the
 * table looks there, too: so the next packet hits the entry, whichever worker it is with. The control thread, the
 * table's only writer, makes an entry of it a moment later. It is taken from there when all workers find it in the
 * table. Cost: nothing for packets that hit; a hash and a cache line or two for one that misses. Threads: any worker;
 * runtime/learning.h has the rest.
 */
#ifndef MACS_LEARN_H
#define MACS_LEARN_H

#include <macs/ages.h>
#include <macs/table.h>
#include <macs/worker.h>

struct macs_learning;

/* Add an entry for a packed key that missed, with a copy of `value` and an expire time profile. False, and nothing is
 * added: there is one of that key, the table is full, too much was learned at once, or another worker is at that place.
 */
bool macs_learn(struct macs_worker *worker, const struct macs_table *table, const uint8_t *key,
                const struct macs_entry *value, uint64_t profile);

/* What was learned of a packed key, good until the worker reports a quiescent state; or `otherwise`. */
const void *macs_learned(const struct macs_table *table, const uint8_t *key, const void *otherwise);

/* Whether something was; then its data word, and the entry's index. */
bool macs_learned_word(const struct macs_table *table, const uint8_t *key, uint64_t *word, uint32_t *index);

/* The entry of that index lives for its expire time from now on; of the default action there is none. */
void macs_restart_timer(const struct macs_worker *worker, const struct macs_table *table, uint32_t index);

/* The same for that of another profile. */
void macs_set_expire_time(const struct macs_worker *worker, const struct macs_table *table, uint32_t index,
                          uint64_t profile);

#endif
