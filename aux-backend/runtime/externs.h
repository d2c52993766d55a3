/* The state of a program's stateful externs: the control thread makes, reads and sets it while workers use it. */
#ifndef MACS_RUNTIME_EXTERNS_H
#define MACS_RUNTIME_EXTERNS_H

#include <macs/extern.h>

#include "runtime/digest.h"

/* Make the state of every extern. 0, -ENOMEM, or -EINVAL for a kind that is not known; what was made stays. */
int macs_externs_create(const struct macs_program *program, unsigned workers, struct macs_digest_queue *digests,
                        struct macs_qsbr *qsbr);
void macs_externs_destroy(const struct macs_program *program);

/* Frames are steered to so many workers: each has the cells of sharded registers to itself. Before workers are made. */
void macs_externs_shard(const struct macs_program *program, unsigned workers);

struct macs_count macs_counter_get(const struct macs_counter *counter, uint32_t index);
void macs_counter_set(struct macs_counter *counter, uint32_t index, struct macs_count value);

/* Reset a table's direct externs at the index of a new entry: counts of zero, no meter rates. */
void macs_externs_reset_direct(const struct macs_program *program, const char *table, uint32_t index);

#endif
