/* The sums of what workers have counted and what ports say themselves, also of ports that have gone: every frame that
 * was received or copied was sent or dropped. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "runtime/shown.h"
#include "runtime/stats.h"
#include "runtime/worker.h"

static struct macs_port_losses losses[2];
static uint64_t lost[2], lost_bytes[2];

static struct macs_switch sw;

struct macs_port_losses macs_port_losses(const struct macs_port *port) {
    return losses[port - sw.ports];
}

void macs_port_tx_lost(const struct macs_port *port, uint64_t *packets, uint64_t *bytes) {
    *packets = lost[port - sw.ports];
    *bytes = lost_bytes[port - sw.ports];
}

static struct macs_stats_sum sum;

static void check_balance(void) {
    macs_stats_sum(&sw, &sum);
    assert(sum.received + sum.copies == sum.sent + sum.dropped);
}

static void check_port(unsigned slot, uint64_t rx, uint64_t rx_bytes, uint64_t missed, uint64_t tx, uint64_t tx_bytes) {
    assert(sum.ports[slot].rx_packets == rx && sum.ports[slot].rx_bytes == rx_bytes);
    assert(sum.ports[slot].rx_missed == missed);
    assert(sum.ports[slot].tx_packets == tx && sum.ports[slot].tx_bytes == tx_bytes);
}

/* A worker has received so many frames of 10 bytes from a port, and sent them, but for one, to another one. */
static void forward(struct macs_worker_stats *stats, unsigned from, unsigned to, uint64_t count) {
    macs_stats_add(&stats->ports[from].rx_packets, count);
    macs_stats_add(&stats->ports[from].rx_bytes, 10 * count);
    macs_stats_add(&stats->ports[to].tx_packets, count - 1);
    macs_stats_add(&stats->ports[to].tx_bytes, 10 * (count - 1));
    macs_stats_add(&stats->drops[MACS_CAUSE_PROGRAM], 1);
    macs_stats_add(&stats->bursts, 2);
}

int main(void) {
    static struct macs_thread threads[2];
    static struct macs_thread *workers[] = {&threads[0], &threads[1]};
    static struct macs_ports_gone gone;
    sw.workers = workers;
    sw.worker_count = 2;
    sw.gone = &gone;
    sw.port_count = 2;
    sw.ports[0].name = sw.ports[1].name = "port";
    check_balance();
    assert(sum.received == 0 && sum.busy_seconds == 0);
    forward(&threads[0].stats, 0, 1, 100);
    forward(&threads[1].stats, 1, 0, 50);
    threads[0].stats.first_ns = 4000000000;
    threads[0].stats.last_ns = 5000000000;
    threads[1].stats.first_ns = 3000000000;
    threads[1].stats.last_ns = 4500000000;
    check_balance();
    check_port(0, 100, 1000, 0, 49, 490);
    check_port(1, 50, 500, 0, 99, 990);
    assert(sum.received == 150 && sum.dropped == 2 && sum.bursts == 4 && sum.missed == 0);
    assert(sum.busy_seconds > 1.999 && sum.busy_seconds < 2.001);

    losses[0] = (struct macs_port_losses){.missed = 7, .errors = 3};
    lost[1] = 4, lost_bytes[1] = 44;
    check_balance();
    check_port(0, 103, 1000, 7, 49, 490);
    check_port(1, 50, 500, 0, 95, 946);
    assert(sum.received == 153 && sum.sent == 144 && sum.missed == 7);
    assert(sum.drops[MACS_CAUSE_RX_ERROR] == 3 && sum.drops[MACS_CAUSE_TX_FULL] == 4 && sum.dropped == 9);

    macs_stats_end_port(&sw, 0); /* both go */
    macs_stats_end_port(&sw, 1);
    sw.ports[0].name = sw.ports[1].name = NULL;
    memset(losses, 0, sizeof(losses));
    memset(lost, 0, sizeof(lost));
    memset(lost_bytes, 0, sizeof(lost_bytes));
    check_balance();
    assert(sum.received == 153 && sum.sent == 144 && sum.missed == 7 && sum.dropped == 9);

    macs_stats_begin_port(&sw, 1); /* and one comes in the place of the second */
    sw.ports[1].name = "another";
    check_balance();
    check_port(1, 0, 0, 0, 0, 0);
    assert(sum.received == 153 && sum.sent == 144);
    forward(&threads[0].stats, 1, 1, 20);
    losses[1] = (struct macs_port_losses){.missed = 1, .errors = 2};
    lost[1] = 30, lost_bytes[1] = 300; /* more than it has sent can't be */
    check_balance();
    check_port(1, 22, 200, 1, 0, 0);
    assert(sum.received == 175 && sum.missed == 8 && sum.drops[MACS_CAUSE_RX_ERROR] == 5);
    assert(sum.drops[MACS_CAUSE_TX_FULL] == 4 + 19 && sum.drops[MACS_CAUSE_PROGRAM] == 3);

    macs_stats_end_port(&sw, 1);
    sw.ports[1].name = NULL;
    losses[1] = (struct macs_port_losses){0, 0};
    macs_stats_sum(&sw, &sum);
    assert(sum.missed == 8 && sum.received == 175);
    for (unsigned cause = 0; cause < MACS_CAUSES; cause++)
        assert(strcmp(macs_stats_cause_name(cause), "?") != 0);
    assert(strcmp(macs_stats_cause_name(MACS_CAUSES), "?") == 0);
    puts("ok");
    return 0;
}
