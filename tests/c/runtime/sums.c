/* The sums of what workers have counted and what ports say themselves, also of ports that have gone: every frame that
 * was received or copied was sent or dropped. */
#include <assert.h>
#include <macs/decisions.h>
#include <stdio.h>
#include <stdlib.h>
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

/* What is printed of a sum. */
static char *printed(const struct macs_switch *of, const struct macs_stats_sum *made) {
    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert(file);
    macs_stats_print(of, made, file);
    assert(!fclose(file));
    return text;
}

/* A line for each port that is there, the balance with its causes and places, and then what there is to tell. */
static void check_printed(void) {
    static const char *const places[] = {"a.p4:1", "b.p4:2", "c.p4:3"};
    static const struct macs_decisions_shape shape;
    static const struct macs_program plain, program = {.places = places, .place_count = 3, .decisions = &shape};
    static struct macs_thread threads[2] = {[1] = {.loop = {.stuck_at = "x.p4:9", .stuck_ns = 1500000000}}};
    static struct macs_thread *workers[] = {&threads[0], &threads[1]};
    static struct macs_switch of = {.program = &program, .workers = workers, .worker_count = 2, .port_count = 3};
    static struct macs_stats_sum made = {.received = 9,
                                         .copies = 1,
                                         .sent = 5,
                                         .dropped = 5,
                                         .missed = 7,
                                         .asserts = 2,
                                         .decided = 11,
                                         .undecided = 12,
                                         .skipped = 13,
                                         .busy_seconds = 2.5};
    of.ports[0].name = "ctl:";
    of.ports[2].name = "pcap:a", of.ports[2].number = 65535;
    made.ports[0].rx_packets = 1, made.ports[0].rx_bytes = 2, made.ports[0].rx_missed = 3;
    made.ports[0].tx_packets = 4, made.ports[0].tx_bytes = 5;
    made.ports[2].tx_bytes = UINT64_MAX;
    made.drops[MACS_CAUSE_PROGRAM] = 2, made.drops[MACS_CAUSE_NO_PORT] = 3;
    made.dropped_at[0] = 4, made.dropped_at[2] = 6;
    char *text = printed(&of, &made), name[2][16];
    uint64_t numbers[2][6];
    assert(sscanf(text, " port name received bytes missed sent bytes %lu %15s %lu %lu %lu %lu %lu", &numbers[0][0],
                  name[0], &numbers[0][1], &numbers[0][2], &numbers[0][3], &numbers[0][4], &numbers[0][5]) == 7);
    assert(!strcmp(name[0], "ctl:"));
    for (uint64_t i = 0; i < 6; i++)
        assert(numbers[0][i] == i);
    const char *second = strchr(strchr(text, '\n') + 1, '\n') + 1, *behind = strchr(second, '\n') + 1;
    assert(sscanf(second, "%lu %15s %lu %lu %lu %lu %lu", &numbers[1][0], name[1], &numbers[1][1], &numbers[1][2],
                  &numbers[1][3], &numbers[1][4], &numbers[1][5]) == 7);
    assert(numbers[1][0] == 65535 && !strcmp(name[1], "pcap:a") && !numbers[1][1] && numbers[1][5] == UINT64_MAX);
    assert(!strcmp(behind, "received 9 + copies 1 = sent 5 + dropped 5: program 2, no-port 3; at a.p4:1 4, c.p4:3 6\n"
                           "missed 7: they came while the ports had no room for them\n"
                           "2.500 s from the first packet to the last, 4 packets per second\n"
                           "worker 1 was in one burst for 1.5 s, in a loop at x.p4:9\n"
                           "decisions: 11 found, 12 not found, 13 not looked up\n"
                           "2 assertions failed\n"));
    free(text);
    of.program = &plain;
    of.port_count = of.worker_count = 0;
    text = printed(&of, &(const struct macs_stats_sum){.received = 0});
    assert(!strcmp(strchr(text, '\n') + 1, "received 0 + copies 0 = sent 0 + dropped 0\n"));
    free(text);
}

static void check_decisions(struct macs_thread threads[]) {
    static struct macs_decisions caches[2];
    caches[0] = (struct macs_decisions){.all_found = 1, .all_missed = 20, .all_skipped = 300};
    caches[1] = (struct macs_decisions){.all_found = 4, .all_missed = 50, .all_skipped = 600};
    threads[1].worker.decisions = &caches[1];
    macs_stats_sum(&sw, &sum);
    assert(sum.decided == 4 && sum.undecided == 50 && sum.skipped == 600);
    threads[0].worker.decisions = &caches[0];
    macs_stats_sum(&sw, &sum);
    assert(sum.decided == 5 && sum.undecided == 70 && sum.skipped == 900);
    threads[0].worker.decisions = threads[1].worker.decisions = NULL;
}

/* The time of the workers that have received something, and what the program tells. */
static void check_others(struct macs_thread threads[]) {
    check_decisions(threads);
    for (unsigned i = 0; i < 2; i++) {
        macs_stats_add(&threads[i].stats.asserts, 1 + i);
        macs_stats_add(&threads[i].stats.copies, 3 + i);
        macs_stats_add(&threads[i].stats.dropped_at[MACS_CAUSE_PLACES - 1], 5 + i);
        macs_stats_add(&threads[i].stats.dropped_at[0], 10 * i);
    }
    threads[0].stats.first_ns = threads[0].stats.last_ns = 0;
    macs_stats_sum(&sw, &sum);
    assert(sum.asserts == 3 && sum.copies == 7 && sum.dropped_at[0] == 10);
    assert(sum.dropped_at[MACS_CAUSE_PLACES - 1] == 11 && sum.dropped_at[1] == 0);
    assert(sum.busy_seconds > 1.499 && sum.busy_seconds < 1.501);
    threads[1].stats.last_ns = 0; /* its first burst has not ended */
    macs_stats_sum(&sw, &sum);
    assert(sum.busy_seconds == 0);
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
    check_others(threads);
    check_printed();
    puts("ok");
    return 0;
}
