/* The port paced: on a clock that the test moves, when frames come, how many are missed, and which times are counted.
 *
 * Arguments: a capture file, and a file to be the port's control. Linked with --wrap=macs_odp_clock_ns. */
#include "check.h"

#include "pktio/pktio_paced.c"

uint64_t __real_macs_odp_clock_ns(void);
uint64_t __wrap_macs_odp_clock_ns(void);

static uint64_t clock_ns = 5000000000; /* of this machine's start */

uint64_t __wrap_macs_odp_clock_ns(void) {
    return clock_ns;
}

enum { UNIT = 1024, MOST = 256 };

/* Each count begins where the one before it ends. */
static void test_buckets(void) {
    for (uint32_t number = 1; number < BUCKETS; number++) {
        const uint32_t shift = number < 32 ? 0 : number / 32 - 1;
        const uint64_t lowest = number < 32 ? number : (uint64_t)(number % 32 + 32) << shift;
        CHECK(bucket(lowest) == number && bucket(lowest - 1) == number - 1);
    }
    CHECK(bucket(0) == 0 && bucket(UINT64_MAX) == BUCKETS - 1);
    CHECK(bucket((UINT64_C(1) << 44) - 1) == BUCKETS - 1 && bucket(UINT64_C(1) << 44) == BUCKETS - 1);
}

/* Distances from nearly none to some nine times the mean, which is one. */
static void test_distances(void) {
    static uint32_t gaps[GAPS];
    uint64_t sum = 0;
    fill_gaps(gaps);
    for (uint32_t i = 0; i < GAPS; i++) {
        CHECK(i == 0 || gaps[i] <= gaps[i - 1]);
        sum += gaps[i];
    }
    CHECK(sum / GAPS == UNIT - 1 || sum / GAPS == UNIT);
    CHECK(gaps[0] / UNIT == 8 && gaps[GAPS - 1] == 0);
}

static struct control control;
static struct paced_state state;

static void begin(uint64_t gap) {
    control.gap = gap;
    control.epoch++;
    state.control = &control;
    state.random = 1;
    fill_gaps(state.gaps);
}

static void test_beginning(void) {
    uint64_t stamps[MOST];
    begin(UNIT * 1000);
    control.counts[3] = control.missed = control.interrupted = 7;
    clock_ns += 1000000;
    CHECK(arrived(&state, stamps, MOST) == 1 && stamps[0] == clock_ns * UNIT); /* the first one comes now */
    CHECK(control.begun == control.epoch && control.since == clock_ns && control.called == clock_ns);
    CHECK(control.counts[3] == 0 && control.missed == 0 && control.interrupted == 0);
    control.counts[3] = 7;
    clock_ns += 10;
    CHECK(arrived(&state, stamps, MOST) <= 1 && control.counts[3] == 7 && control.since == clock_ns - 10);
    begin(0); /* as fast as they are taken */
    for (uint32_t most = 0; most <= MOST; most += 64) {
        CHECK(arrived(&state, stamps, most) == most && control.missed == 0);
        CHECK(most == 0 || (stamps[0] == clock_ns * UNIT && stamps[most - 1] == clock_ns * UNIT));
    }
}

/* In the long run as many as the distance says, one behind the other, none before its time. */
static void test_arrivals(void) {
    enum { STEPS = 4000, STEP_NS = 50000, GAP_NS = 1000 };
    uint64_t stamps[MOST], before, count = 0, last;
    begin(UNIT * GAP_NS);
    CHECK(arrived(&state, stamps, MOST) == 1);
    last = stamps[0];
    for (uint32_t step = 0; step < STEPS; step++) {
        before = clock_ns;
        clock_ns += STEP_NS;
        const uint32_t came = arrived(&state, stamps, MOST);
        for (uint32_t i = 0; i < came; i++) {
            CHECK(stamps[i] >= last && stamps[i] > before * UNIT && stamps[i] <= clock_ns * UNIT);
            last = stamps[i];
        }
        CHECK(state.arrival > clock_ns * UNIT && control.called == clock_ns);
        count += came;
    }
    const uint64_t expected = (uint64_t)STEPS * STEP_NS / GAP_NS;
    CHECK(count > expected - expected / 50 && count < expected + expected / 50);
    CHECK(control.missed == 0 && control.interrupted == 0);
}

/* What waits is kept, as many as the ring holds; the others are missed. */
static void test_misses(void) {
    uint64_t stamps[MOST];
    begin(UNIT * 10);
    CHECK(arrived(&state, stamps, 1) == 1);
    clock_ns += 10 * RING - 1000;
    CHECK(arrived(&state, stamps, 64) == 64 && control.missed == 0);
    const uint64_t next = state.arrival;
    clock_ns += 10 * 10000;
    CHECK(arrived(&state, stamps, 0) == 0);
    CHECK(state.arrival == (clock_ns - 10 * RING) * UNIT && control.missed == (state.arrival - next) / (10 * UNIT));
    const uint64_t missed = control.missed;
    CHECK(missed > 5000 && arrived(&state, stamps, MOST) == MOST && stamps[0] == (clock_ns - 10 * RING) * UNIT);
    CHECK(control.missed == missed);
}

/* Whoever comes back after a while has not worked meanwhile. */
static void test_interruptions(void) {
    uint64_t stamps[MOST];
    begin(UNIT * 1000000);
    CHECK(arrived(&state, stamps, MOST) == 1);
    for (uint64_t turn = 0; turn < 3; turn++) {
        const uint64_t next = state.arrival;
        clock_ns += 250000;
        CHECK((arrived(&state, stamps, MOST) == 0) == (next > clock_ns * UNIT) && control.interrupted == turn * 250001);
        clock_ns += 250001;
        CHECK(arrived(&state, stamps, MOST) >= 1 && stamps[0] == clock_ns * UNIT);
        CHECK(control.interrupted == (turn + 1) * 250001 && control.missed == 0);
    }
}

/* A port with a pool of a few packets: what has no packet is missed; and how long each was on its way. */
static void test_port(const char *file, const char *control_file) {
    enum { PACKETS = 300 };
    const struct control none = {.gap = 0};
    char name[600];
    odp_pktin_queue_t in;
    odp_pktout_queue_t out;
    odp_packet_t packets[PACKETS + 1];
    odp_pktio_stats_t stats;
    FILE *made = fopen(control_file, "wb");
    CHECK(made != NULL && fwrite(&none, sizeof(none), 1, made) == 1 && fclose(made) == 0);
    odp_pool_t pool = test_packet_pool(PACKETS, 2048, 0, 0);
    snprintf(name, sizeof(name), "paced:%s,%s", file, control_file);
    odp_pktio_t port = odp_pktio_open(name, pool, NULL);
    CHECK(port != ODP_PKTIO_INVALID && odp_pktin_queue_config(port, NULL) == 0);
    CHECK(odp_pktout_queue_config(port, NULL) == 0 && odp_pktio_start(port) == 0);
    CHECK(odp_pktin_queue(port, &in, 1) == 1 && odp_pktout_queue(port, &out, 1) == 1);
    struct control *counted = ((struct paced_state *)port->state)->control;
    CHECK(odp_pktin_recv(in, packets, PACKETS) == BURST_MAX && counted->missed == 0);
    CHECK(odp_pktin_recv(in, packets + BURST_MAX, 50) == PACKETS - BURST_MAX);
    CHECK(counted->missed == 50 - (PACKETS - BURST_MAX) && odp_pktin_recv(in, packets + PACKETS, 1) == 0);
    CHECK(counted->missed == 51 - (PACKETS - BURST_MAX));
    CHECK(odp_pktio_stats(port, &stats) == 0 && stats.in_packets == PACKETS);
    for (int i = 0; i < PACKETS; i++)
        CHECK(odp_packet_has_ts(packets[i]) && odp_packet_ts(packets[i]).ns == clock_ns);
    odp_packet_has_ts_clr(packets[0]);
    odp_packet_ts_set(packets[1], (odp_time_t){.ns = clock_ns + 5000}); /* which is still to come */
    odp_packet_ts_set(packets[2], (odp_time_t){.ns = clock_ns - 100000});
    clock_ns += 100;
    CHECK(odp_pktout_send(out, packets, 10) == 10);
    CHECK(counted->counts[0] == 1 && counted->counts[bucket(100)] == 7 && counted->counts[bucket(100100)] == 1);
    clock_ns += 250000 - 100;
    CHECK(odp_pktout_send(out, packets + 10, 1) == 1 && counted->counts[bucket(250000)] == 1);
    clock_ns += 1; /* an interruption: whatever is sent now does not count */
    CHECK(odp_pktout_send(out, packets + 11, PACKETS - 11) == PACKETS - 11);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < BUCKETS; i++)
        sum += counted->counts[i];
    CHECK(sum == 10 && odp_pktio_stats(port, &stats) == 0 && stats.out_packets == PACKETS);
    CHECK(odp_pktio_stop(port) == 0 && odp_pktio_close(port) == 0 && odp_pool_destroy(pool) == 0);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    test_begin();
    test_buckets();
    test_distances();
    test_beginning();
    test_arrivals();
    test_misses();
    test_interruptions();
    test_port(argv[1], argv[2]);
    test_end();
    return 0;
}
