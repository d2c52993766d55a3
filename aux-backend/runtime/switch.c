#include "runtime/switch.h"

#include <errno.h>

int macs_switch_set_batch(struct macs_switch *sw, uint32_t burst, uint32_t sub_batch) {
    uint32_t old_burst, old_sub_batch;
    macs_switch_get_batch(sw, &old_burst, &old_sub_batch);
    burst = burst ? burst : old_burst;
    sub_batch = sub_batch ? sub_batch : old_sub_batch;
    if (burst > MACS_BURST_MAX || sub_batch > MACS_BURST_MAX)
        return -ERANGE;
    sub_batch = sub_batch < burst ? sub_batch : burst;
    atomic_store_explicit(&sw->batch, burst << 16 | sub_batch, memory_order_relaxed);
    return 0;
}

void macs_switch_get_batch(const struct macs_switch *sw, uint32_t *burst, uint32_t *sub_batch) {
    uint32_t batch = atomic_load_explicit(&sw->batch, memory_order_relaxed);
    *burst = batch >> 16;
    *sub_batch = batch & 0xffff;
}
