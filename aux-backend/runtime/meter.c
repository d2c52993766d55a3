#include "runtime/meter.h"

#include <errno.h>
#include <stdlib.h>

#include "tables/common/memory.h"

int macs_meter_create(struct macs_meter **created, uint32_t size, enum macs_unit unit) {
    struct macs_meter *meter = calloc(1, sizeof(*meter));
    if (!meter)
        return -ENOMEM;
    *meter = (struct macs_meter){.size = size, .counts_packets = unit == MACS_PACKETS};
    meter->cells = macs_memory_alloc((size + (size_t)1) * sizeof(meter->cells[0]), false);
    if (!meter->cells) {
        free(meter);
        return -ENOMEM;
    }
    *created = meter;
    return 0;
}

void macs_meter_destroy(struct macs_meter *meter) {
    macs_memory_free(meter->cells, (meter->size + (size_t)1) * sizeof(meter->cells[0]));
    free(meter);
}

uint32_t macs_meter_size(const struct macs_meter *meter) {
    return meter->size;
}

static void lock(struct macs_meter_cell *cell) {
    while (atomic_flag_test_and_set_explicit(&cell->lock, memory_order_acquire))
        odp_cpu_pause();
}

static void unlock(struct macs_meter_cell *cell) {
    atomic_flag_clear_explicit(&cell->lock, memory_order_release);
}

static double fill(double tokens, double rate, double burst, double elapsed_ns) {
    tokens += rate * elapsed_ns;
    return tokens < burst ? tokens : burst;
}

static uint64_t mark(struct macs_meter_cell *cell, uint64_t now_ns, double size, uint64_t before) {
    /* The first packet after the rates were set meets full buckets; workers' clocks may be a burst apart. */
    double elapsed = now_ns > cell->last_ns ? (double)(now_ns - cell->last_ns) : 0;
    if (now_ns > cell->last_ns)
        cell->last_ns = now_ns;
    const struct macs_meter_rates *rates = &cell->rates;
    cell->committed_tokens = fill(cell->committed_tokens, rates->committed_rate, rates->committed_burst, elapsed);
    cell->peak_tokens = fill(cell->peak_tokens, rates->peak_rate, rates->peak_burst, elapsed);
    if (before == MACS_RED || cell->peak_tokens < size)
        return MACS_RED;
    cell->peak_tokens -= size;
    if (before == MACS_YELLOW || cell->committed_tokens < size)
        return MACS_YELLOW;
    cell->committed_tokens -= size;
    return MACS_GREEN;
}

uint64_t macs_meter_execute_aware(struct macs_meter *meter, const struct macs_worker *worker, uint64_t index,
                                  uint64_t before, uint64_t bytes) {
    if (index >= meter->size)
        return before;
    struct macs_meter_cell *cell = &meter->cells[index];
    lock(cell);
    uint64_t colour = before;
    if (cell->configured)
        colour = mark(cell, worker->now_ns, meter->counts_packets ? 1 : (double)bytes, before);
    unlock(cell);
    return colour;
}

uint64_t macs_meter_execute(struct macs_meter *meter, const struct macs_worker *worker, uint64_t index,
                            uint32_t bytes) {
    return macs_meter_execute_aware(meter, worker, index, MACS_GREEN, bytes);
}

void macs_meter_set(struct macs_meter *meter, uint32_t index, const struct macs_meter_rates *rates) {
    struct macs_meter_cell *cell = &meter->cells[index];
    lock(cell);
    cell->configured = rates != NULL;
    if (rates) {
        cell->rates = *rates;
        cell->committed_tokens = rates->committed_burst;
        cell->peak_tokens = rates->peak_burst;
    }
    unlock(cell);
}

bool macs_meter_get(const struct macs_meter *meter, uint32_t index, struct macs_meter_rates *rates) {
    /* The control thread is the only one that writes rates: no lock to read them. */
    const struct macs_meter_cell *cell = &meter->cells[index];
    *rates = cell->rates;
    return cell->configured;
}
