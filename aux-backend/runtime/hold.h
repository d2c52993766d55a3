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

/* A worker that is alone holds all cells, until it lets go. */
void macs_hold_all(struct macs_worker *worker);

/* The control thread waits for it to do so. */
bool macs_hold_is_asked_for(void);

/* Keep the workers away from a cell. False: somebody holds it and does not let go, as a worker in an endless loop. */
bool macs_hold_from_outside(const struct macs_locks *locks, uint64_t index, uint64_t spins);
void macs_hold_end_from_outside(const struct macs_locks *locks, uint64_t index);

#endif
