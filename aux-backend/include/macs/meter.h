/* Meters: two-rate three-colour marking, colour-blind.
 *
 * A cell fills a cache line. When a packet comes, its cell's buckets are first filled for the time since the packet
 * before.
 * Threads: any. A packet's colour depends on all packets before it, of all workers: so each cell has a lock, which is
 * held for a few instructions.
 * Source: RFC 2698.
 */
#ifndef MACS_METER_H
#define MACS_METER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <macs/prefetch.h>
#include <macs/worker.h>

/* The colour that a meter gives; MACS_NO_COLOUR is that of a direct meter whose table has missed. */
enum macs_colour { MACS_GREEN, MACS_YELLOW, MACS_RED, MACS_NO_COLOUR };

/* Rates of a cell: bytes (or packets) a nanosecond, bursts in bytes (or packets). */
struct macs_meter_rates {
    double committed_rate, committed_burst;
    double peak_rate, peak_burst;
};

struct macs_meter_cell {
    atomic_flag lock;
    bool configured;
    uint64_t last_ns;
    double committed_tokens, peak_tokens;
    struct macs_meter_rates rates;
};

/* State of MACS_METER and MACS_DIRECT_METER. */
struct macs_meter {
    uint32_t size;
    bool counts_packets; /* or bytes */
    struct macs_meter_cell *cells;
};

/* The colour of a packet of `bytes` bytes at the cell's rates, colour-blind: enum macs_colour. Green without rates or
 * out of range. */
uint64_t macs_meter_execute(struct macs_meter *meter, const struct macs_worker *worker, uint64_t index, uint32_t bytes);

/* The same, colour-aware: never better than the colour `before`, and that one where the cell has no rates. */
uint64_t macs_meter_execute_aware(struct macs_meter *meter, const struct macs_worker *worker, uint64_t index,
                                  uint64_t before, uint64_t bytes);

static inline void macs_meter_prefetch(const struct macs_meter *meter, uint64_t index) {
    macs_prefetch_far_to_write(&meter->cells[index < meter->size ? index : 0]);
}

#endif
