/* Caches of decisions: see macs/decisions.h. Threads: a cache is made and destroyed while its worker does not run. */
#ifndef MACS_RUNTIME_DECISIONS_H
#define MACS_RUNTIME_DECISIONS_H

#include <macs/decisions.h>

/* NULL: no memory. */
struct macs_decisions *macs_decisions_create(const struct macs_decisions_shape *shape);
/* NULL is allowed. */
void macs_decisions_destroy(struct macs_decisions *cache);

#endif
