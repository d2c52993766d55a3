/* The counters of a worker.
 *
 * Invariant: received + copies = sent + dropped (by cause). It holds once the workers have stopped.
 * Threads: a worker writes its own counters with relaxed stores; any thread may read them.
 */
#ifndef MACS_RUNTIME_COUNTERS_H
#define MACS_RUNTIME_COUNTERS_H

#include <macs/packet.h>
#include <stdatomic.h>

#include "runtime/options.h"

struct macs_port_stats {
    _Atomic uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
};

struct macs_worker_stats {
    struct macs_port_stats ports[MACS_PORTS_MAX];
    _Atomic uint64_t drops[MACS_CAUSES];
    _Atomic uint64_t dropped_at[MACS_CAUSE_PLACES]; /* of those by the program, where that is known */
    _Atomic uint64_t copies;
    _Atomic uint64_t bursts;
    _Atomic uint64_t asserts;           /* failed */
    _Atomic uint64_t first_ns, last_ns; /* of the time in which there was something to do */
};

static inline void macs_stats_add(_Atomic uint64_t *count, uint64_t amount) {
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + amount, memory_order_relaxed);
}

#endif
