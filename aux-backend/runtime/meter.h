/* Meters: two-rate three-colour marking, colour-blind. Source: RFC 2698.
 *
 * The buckets are filled when a packet comes, by the time since the last one. Each element has a lock of its own, held
 * for a few instructions: a packet's colour depends on all packets before it, of every worker.
 */
#ifndef MACS_RUNTIME_METER_H
#define MACS_RUNTIME_METER_H

#include <macs/extern.h>

/* Rates of a meter's element: bytes (or packets) a nanosecond, bursts in bytes (or packets). */
struct macs_meter_rates {
    double committed_rate, committed_burst;
    double peak_rate, peak_burst;
};

/* 0 or -ENOMEM. */
int macs_meter_create(struct macs_meter **created, uint32_t size, enum macs_unit unit);
void macs_meter_destroy(struct macs_meter *meter);

uint32_t macs_meter_size(const struct macs_meter *meter);
/* NULL: no rates, always green. The buckets start full. */
void macs_meter_set(struct macs_meter *meter, uint32_t index, const struct macs_meter_rates *rates);
/* False: no rates have been set. */
bool macs_meter_get(const struct macs_meter *meter, uint32_t index, struct macs_meter_rates *rates);

#endif
