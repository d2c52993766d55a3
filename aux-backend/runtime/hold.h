/* The locks of registers (macs/hold.h): made for the number of workers; the control thread takes them too. */
#ifndef MACS_RUNTIME_HOLD_H
#define MACS_RUNTIME_HOLD_H

#include <macs/hold.h>
#include <macs/program.h>
#include <odp_api.h>
#include <stdbool.h>

/* 0 or -ENOMEM; what was made stays. */
int macs_locks_create(const struct macs_program *program, unsigned workers);
void macs_locks_destroy(const struct macs_program *program);

/* Frames are steered: the cells of sharded registers belong to workers. Before workers are made. */
void macs_locks_shard(const struct macs_program *program, unsigned workers);

/* The lock of a worker for what it has to itself; NULL: there is nothing. */
struct macs_lock *macs_hold_own_lock(unsigned worker);

/* Take it, until the worker lets go. */
void macs_hold_own(struct macs_worker *worker);
void macs_hold_let_own_go(struct macs_worker *worker);

/* The control thread waits for it to do so. */
bool macs_hold_is_asked_for(void);

/* Keep the workers away from a cell. False: somebody holds it and does not let go, as a worker in an endless loop. */
bool macs_hold_from_outside(const struct macs_locks *locks, uint64_t index, uint64_t patience_ns);
void macs_hold_end_from_outside(const struct macs_locks *locks, uint64_t index);

/* Whether who keeps them away from one cell keeps them away from another. */
bool macs_hold_is_same(const struct macs_locks *locks, uint64_t a, uint64_t b);

#endif
