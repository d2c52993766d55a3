/* Meters: two-rate three-colour marking, colour-blind. Source: RFC 2698.
 *
 * The buckets are filled when a packet comes, by the time since the last one. Each element has a lock of its own, held
 * for a few instructions: a packet's colour depends on all packets before it, of every worker.
 */
#ifndef MACS_RUNTIME_METER_H
#define MACS_RUNTIME_METER_H

#include "runtime/externs.h"

/* 0 or -ENOMEM. */
int macs_meter_create(struct macs_meter **created, uint32_t size, enum macs_unit unit);
void macs_meter_destroy(struct macs_meter *meter);

#endif
