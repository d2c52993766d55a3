/* Meters for the control plane: it makes, sets and reads them. macs/meter.h has what packets do. */
#ifndef MACS_RUNTIME_METER_H
#define MACS_RUNTIME_METER_H

#include <macs/extern.h>

/* 0 or -ENOMEM. */
int macs_meter_create(struct macs_meter **created, uint32_t size, enum macs_unit unit);
void macs_meter_destroy(struct macs_meter *meter);

uint32_t macs_meter_size(const struct macs_meter *meter);
/* NULL: no rates, always green. The buckets start full. */
void macs_meter_set(struct macs_meter *meter, uint32_t index, const struct macs_meter_rates *rates);
/* False: no rates have been set. */
bool macs_meter_get(const struct macs_meter *meter, uint32_t index, struct macs_meter_rates *rates);

#endif
