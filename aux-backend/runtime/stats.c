#include "runtime/stats.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "runtime/decisions.h"
#include "runtime/worker.h"
#include "runtime/shown.h"

static const char *const cause_names[MACS_CAUSES] = {
    [MACS_CAUSE_PROGRAM] = "program",   [MACS_CAUSE_NO_PORT] = "no-port",       [MACS_CAUSE_TX_FULL] = "tx-full",
    [MACS_CAUSE_TOO_LONG] = "too-long", [MACS_CAUSE_NO_BUFFER] = "no-buffer",   [MACS_CAUSE_RX_ERROR] = "rx-error",
    [MACS_CAUSE_NO_GROUP] = "no-group", [MACS_CAUSE_LOOPS] = "loops",           [MACS_CAUSE_CIPHER] = "cipher",
    [MACS_CAUSE_ENDLESS] = "endless",   [MACS_CAUSE_QUEUE_FULL] = "queue-full", [MACS_CAUSE_NO_QUEUE] = "no-queue",
};

const char *macs_stats_cause_name(unsigned cause) {
    return cause < MACS_CAUSES ? cause_names[cause] : "?";
}

static uint64_t load(const _Atomic uint64_t *count) {
    return atomic_load_explicit(count, memory_order_relaxed);
}

static void add_worker(const struct macs_switch *sw, const struct macs_worker_stats *stats,
                       struct macs_stats_sum *sum) {
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        sum->ports[slot].rx_packets += load(&stats->ports[slot].rx_packets);
        sum->ports[slot].rx_bytes += load(&stats->ports[slot].rx_bytes);
        sum->ports[slot].tx_packets += load(&stats->ports[slot].tx_packets);
        sum->ports[slot].tx_bytes += load(&stats->ports[slot].tx_bytes);
    }
    for (unsigned cause = 0; cause < MACS_CAUSES; cause++)
        sum->drops[cause] += load(&stats->drops[cause]);
    for (unsigned place = 0; place < MACS_CAUSE_PLACES; place++)
        sum->dropped_at[place] += load(&stats->dropped_at[place]);
    sum->copies += load(&stats->copies);
    sum->bursts += load(&stats->bursts);
    sum->asserts += load(&stats->asserts);
}

static void add_decisions(const struct macs_switch *sw, struct macs_stats_sum *sum) {
    for (unsigned i = 0; i < sw->worker_count; i++) {
        const struct macs_decisions *cache = sw->workers[i]->worker.decisions;
        if (!cache)
            continue;
        sum->decided += load(&cache->all_found);
        sum->undecided += load(&cache->all_missed);
        sum->skipped += load(&cache->all_skipped);
    }
}

/* Frames that no worker has counted, or that it has counted as sent and were not. */
static void add_losses(struct macs_stats_sum *sum, uint64_t missed, uint64_t errors, uint64_t lost) {
    sum->missed += missed;
    sum->received += errors;
    sum->drops[MACS_CAUSE_RX_ERROR] += errors;
    sum->sent -= lost;
    sum->drops[MACS_CAUSE_TX_FULL] += lost;
}

static uint64_t less(uint64_t from, uint64_t amount) {
    return amount < from ? from - amount : 0;
}

/* What a port says itself of what it has lost. */
static void add_port(const struct macs_switch *sw, unsigned slot, struct macs_stats_sum *sum) {
    const struct macs_ports_counts *before = &sw->gone->before[slot];
    const struct macs_port_losses losses = macs_port_losses(&sw->ports[slot]);
    uint64_t lost, lost_bytes;
    sum->ports[slot].rx_packets -= before->rx_packets;
    sum->ports[slot].rx_bytes -= before->rx_bytes;
    sum->ports[slot].tx_packets -= before->tx_packets;
    sum->ports[slot].tx_bytes -= before->tx_bytes;
    macs_port_tx_lost(&sw->ports[slot], &lost, &lost_bytes); /* of those that workers have counted as sent */
    lost = lost < sum->ports[slot].tx_packets ? lost : sum->ports[slot].tx_packets;
    sum->ports[slot].tx_packets -= lost;
    sum->ports[slot].tx_bytes = less(sum->ports[slot].tx_bytes, lost_bytes);
    sum->ports[slot].rx_packets += losses.errors;
    sum->ports[slot].rx_missed = losses.missed;
    add_losses(sum, losses.missed, losses.errors, lost);
}

void macs_stats_sum(const struct macs_switch *sw, struct macs_stats_sum *sum) {
    memset(sum, 0, sizeof(*sum));
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < sw->worker_count; i++) {
        const struct macs_worker_stats *stats = &sw->workers[i]->stats;
        add_worker(sw, stats, sum);
        uint64_t worker_first = load(&stats->first_ns), worker_last = load(&stats->last_ns);
        first = worker_first && worker_first < first ? worker_first : first;
        last = worker_last > last ? worker_last : last;
    }
    add_decisions(sw, sum);
    sum->busy_seconds = last > first ? (double)(last - first) / 1e9 : 0;
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        sum->received += sum->ports[slot].rx_packets;
        sum->sent += sum->ports[slot].tx_packets;
        if (macs_port_is_there(&sw->ports[slot]))
            add_port(sw, slot, sum);
    }
    add_losses(sum, sw->gone->missed, sw->gone->errors, sw->gone->lost);
    for (unsigned cause = 0; cause < MACS_CAUSES; cause++)
        sum->dropped += sum->drops[cause];
}

void macs_stats_begin_port(struct macs_switch *sw, unsigned slot) {
    struct macs_stats_sum sum = {0};
    for (unsigned i = 0; i < sw->worker_count; i++)
        add_worker(sw, &sw->workers[i]->stats, &sum);
    sw->gone->before[slot] = (struct macs_ports_counts){sum.ports[slot].rx_packets, sum.ports[slot].rx_bytes,
                                                        sum.ports[slot].tx_packets, sum.ports[slot].tx_bytes};
}

void macs_stats_end_port(struct macs_switch *sw, unsigned slot) {
    const struct macs_port_losses losses = macs_port_losses(&sw->ports[slot]);
    uint64_t lost, lost_bytes;
    macs_port_tx_lost(&sw->ports[slot], &lost, &lost_bytes);
    sw->gone->missed += losses.missed;
    sw->gone->errors += losses.errors;
    sw->gone->lost += lost;
}

uint64_t macs_stats_cpu_ns(const struct macs_switch *sw) {
    uint64_t sum = 0;
    for (unsigned i = 0; sw->running && i < sw->worker_count; i++) {
        clockid_t clock;
        struct timespec used;
        if (!pthread_getcpuclockid(sw->workers[i]->pthread, &clock) && !clock_gettime(clock, &used))
            sum += (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
    }
    return sum;
}

void macs_stats_print(const struct macs_switch *sw, const struct macs_stats_sum *sum, FILE *file) {
    macs_tell(file, "%5s  %-24s %14s %16s %14s %14s %16s\n", "port", "name", "received", "bytes", "missed", "sent",
              "bytes");
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        if (macs_port_is_there(&sw->ports[slot]))
            macs_tell(file, "%5u  %-24s %14" PRIu64 " %16" PRIu64 " %14" PRIu64 " %14" PRIu64 " %16" PRIu64 "\n",
                      sw->ports[slot].number, sw->ports[slot].name, sum->ports[slot].rx_packets,
                      sum->ports[slot].rx_bytes, sum->ports[slot].rx_missed, sum->ports[slot].tx_packets,
                      sum->ports[slot].tx_bytes);
    macs_tell(file, "received %" PRIu64 " + copies %" PRIu64 " = sent %" PRIu64 " + dropped %" PRIu64, sum->received,
              sum->copies, sum->sent, sum->dropped);
    const char *separator = ": ";
    for (unsigned cause = 0; cause < MACS_CAUSES; cause++) {
        if (!sum->drops[cause])
            continue;
        macs_tell(file, "%s%s %" PRIu64, separator, cause_names[cause], sum->drops[cause]);
        separator = ", ";
    }
    separator = "; at ";
    for (unsigned place = 0; place < sw->program->place_count; place++) {
        if (!sum->dropped_at[place])
            continue;
        macs_tell(file, "%s%s %" PRIu64, separator, sw->program->places[place], sum->dropped_at[place]);
        separator = ", ";
    }
    fputc('\n', file);
    if (sum->missed)
        macs_tell(file, "missed %" PRIu64 ": they came while the ports had no room for them\n", sum->missed);
    if (sum->busy_seconds > 0)
        macs_tell(file, "%.3f s from the first packet to the last, %.0f packets per second\n", sum->busy_seconds,
                  (double)sum->received / sum->busy_seconds);
    for (unsigned i = 0; i < sw->worker_count; i++) {
        const struct macs_loop *loop = &sw->workers[i]->loop;
        if (loop->stuck_at)
            macs_tell(file, "worker %u was in one burst for %.1f s, in a loop at %s\n", i, (double)loop->stuck_ns / 1e9,
                      loop->stuck_at);
    }
    if (sw->program->decisions)
        macs_tell(file, "decisions: %" PRIu64 " found, %" PRIu64 " not found, %" PRIu64 " not looked up\n",
                  sum->decided, sum->undecided, sum->skipped);
    if (sum->asserts)
        macs_tell(file, "%" PRIu64 " assertions failed\n", sum->asserts);
    fflush(file);
}

void macs_stats_print_rate(const struct macs_stats_sum *before, const struct macs_stats_sum *now, double seconds,
                           FILE *file) {
    macs_tell(file,
              "received %.0f/s, missed %.0f/s, sent %.0f/s, dropped %.0f/s; in all received %" PRIu64
              ", missed %" PRIu64 ", sent %" PRIu64 ", dropped %" PRIu64 "\n",
              (double)(now->received - before->received) / seconds, (double)(now->missed - before->missed) / seconds,
              (double)(now->sent - before->sent) / seconds, (double)(now->dropped - before->dropped) / seconds,
              now->received, now->missed, now->sent, now->dropped);
    fflush(file);
}
