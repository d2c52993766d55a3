/* The state of a program's stateful externs: made, read and set by the control thread while workers use it. */
#ifndef MACS_RUNTIME_EXTERNS_H
#define MACS_RUNTIME_EXTERNS_H

#include <macs/extern.h>

#include "runtime/digest.h"

/* Rates of a meter's element: bytes (or packets) a nanosecond, bursts in bytes (or packets). */
struct macs_meter_rates {
    double committed_rate, committed_burst;
    double peak_rate, peak_burst;
};

/* Make the state of every extern. 0, -ENOMEM, or -EINVAL for a kind that is not known; what was made stays. */
int macs_externs_create(const struct macs_program *program, unsigned workers, struct macs_digest_queue *digests,
                        struct macs_qsbr *qsbr);
void macs_externs_destroy(const struct macs_program *program);

struct macs_count macs_counter_get(const struct macs_counter *counter, uint32_t index);
void macs_counter_set(struct macs_counter *counter, uint32_t index, struct macs_count value);

uint32_t macs_meter_size(const struct macs_meter *meter);
/* NULL: no rates, always green. The buckets start full. */
void macs_meter_set(struct macs_meter *meter, uint32_t index, const struct macs_meter_rates *rates);
/* False: no rates have been set. */
bool macs_meter_get(const struct macs_meter *meter, uint32_t index, struct macs_meter_rates *rates);

/* What a table's new entry must find at its index in the table's direct externs: counts of zero, no meter rates. */
void macs_externs_reset_direct(const struct macs_program *program, const char *table, uint32_t index);

#endif
