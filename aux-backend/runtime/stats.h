/* Sums of the workers' counters (counters.h), and frames that ports have missed. A missed frame found no room when it
 * came, so it was not received.
 *
 * Threads: any.
 */
#ifndef MACS_RUNTIME_STATS_H
#define MACS_RUNTIME_STATS_H

#include <macs/packet.h>
#include <stdatomic.h>
#include <stdio.h>

#include "runtime/options.h"

struct macs_stats_sum {
    struct {
        uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
        uint64_t rx_missed;
    } ports[MACS_PORTS_MAX];
    uint64_t drops[MACS_CAUSES];
    uint64_t dropped_at[MACS_CAUSE_PLACES];
    uint64_t received, missed, sent, dropped, copies, bursts, asserts;
    uint64_t decided, undecided, skipped; /* packets by what the cache of decisions came to (macs/decisions.h) */
    double busy_seconds;                  /* from the first frame until there were no more */
};

struct macs_switch;

/* What was counted of ports that have been taken away: all of them together, and of those that had a slot before the
 * port that has it now. */
struct macs_ports_gone {
    uint64_t missed, errors, lost;
    struct macs_ports_counts {
        uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
    } before[MACS_PORTS_MAX];
};

/* A port comes to a slot, or is about to be closed. Control thread. */
void macs_stats_begin_port(struct macs_switch *sw, unsigned slot);
void macs_stats_end_port(struct macs_switch *sw, unsigned slot);

void macs_stats_sum(const struct macs_switch *sw, struct macs_stats_sum *sum);

/* CPU time of all workers since they started, 0 while none runs. Time in which the system ran something else on their
 * CPUs is not in it. */
uint64_t macs_stats_cpu_ns(const struct macs_switch *sw);

/* "tx-full" for MACS_CAUSE_TX_FULL. */
const char *macs_stats_cause_name(unsigned cause);

/* The table that ends a run. */
void macs_stats_print(const struct macs_switch *sw, const struct macs_stats_sum *sum, FILE *file);

/* One line: packets per second since `before`. */
void macs_stats_print_rate(const struct macs_stats_sum *before, const struct macs_stats_sum *now, double seconds,
                           FILE *file);

#endif
