/* paced:FILE,CONTROL — receives the frames of a capture file as they would come over a wire that is loaded to some
 * degree, and measures how long each takes to the port that it is sent to, paced:,CONTROL.
 *
 * For benchmarks. Frames arrive at random times, independent of each other (a Poisson process), for ever; each packet
 * has the time of its arrival. They wait as in a ring of RING frames; what comes while that is full is missed. What is
 * sent is freed, and the time since its arrival counted in a histogram.
 * CONTROL is a file that a measuring program maps as well (struct control): it says how fast frames come, and reads
 * what was counted. A new `epoch` begins to count anew. The clock is that of odp_time_global(). Threads: one input
 * queue, one output queue; the control's counts have one writer.
 */
#include "pktio/pktio.h"
#include "pktio/replay.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING 4096u
#define GAPS 4096u /* different distances of arrivals */
#define BURST_MAX 256u
#define INTERRUPTION_NS 250000u /* more than a burst of a slow program takes */
#define PARTS 32u               /* of each power of two of nanoseconds */
#define BUCKETS (40u * PARTS)

struct control {
    uint64_t gap;   /* between arrivals on average, in 1 / 1024 ns; 0: as fast as they are taken */
    uint64_t epoch; /* changed by the measuring program, behind `gap` */
    uint64_t begun; /* the epoch that counts are of */
    uint64_t missed;
    uint64_t interrupted;     /* nanoseconds */
    uint64_t since;           /* when counting began, ns */
    uint64_t called;          /* when frames were received last, ns */
    uint64_t counts[BUCKETS]; /* of frames, by the nanoseconds from arrival to sending: see bucket() */
};

struct paced_state {
    struct control *control;
    struct macs_odp_replay replay; /* frames NULL: a port to send to */
    uint64_t next;                 /* frame */
    uint64_t epoch;
    uint64_t arrival; /* of the next frame, in 1 / 1024 ns */
    uint64_t random;
    uint32_t gaps[GAPS]; /* 1024 times the distance in means */
};

static void paced_close(struct macs_odp_pktio *pktio) {
    struct paced_state *state = pktio->state;
    macs_odp_replay_end(&state->replay);
    if (state->control != NULL)
        munmap(state->control, sizeof(*state->control));
    free(state);
}

/* Quantiles of the exponential distribution of mean 1: -ln(1 - (i + 1/2) / n) is nearly a sum of reciprocals, whose
 * mean over all i is exactly 1. */
static void fill_gaps(uint32_t gaps[GAPS]) {
    double sum = 0;
    for (uint32_t i = GAPS; i > 0; i--) {
        sum += 1.0 / i;
        gaps[i - 1] = (uint32_t)(sum * 1024 + 0.5);
    }
}

static struct control *map_control(const char *path) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    void *mapped = MAP_FAILED;
    if (size >= (off_t)sizeof(struct control))
        mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static int paced_open(struct macs_odp_pktio *pktio, const char *arguments) {
    char path[256];
    struct paced_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    pktio->state = state;
    macs_odp_name(path, sizeof(path), arguments);
    char *comma = strrchr(path, ',');
    if (comma == NULL || (state->control = map_control(comma + 1)) == NULL) {
        macs_odp_log(ODP_LOG_ERR, "port %s: expected paced:FILE,CONTROL, and a file CONTROL to map\n", pktio->name);
        paced_close(pktio);
        return macs_odp_fail(EINVAL);
    }
    *comma = '\0';
    if (path[0] != '\0' && macs_odp_replay_load(&state->replay, path, macs_odp_pktio_room(pktio)) != 0) {
        paced_close(pktio);
        return -1;
    }
    state->random = 1;
    fill_gaps(state->gaps);
    if (path[0] == '\0') {
        pktio->finite = true;
        pktio->rx_end = true;
    }
    return 0;
}

static void begin_epoch(struct paced_state *state, uint64_t now) {
    struct control *control = state->control;
    state->epoch = __atomic_load_n(&control->epoch, __ATOMIC_ACQUIRE);
    state->arrival = now;
    control->since = now / 1024;
    memset(control->counts, 0, sizeof(control->counts));
    control->missed = control->interrupted = 0;
    __atomic_store_n(&control->begun, state->epoch, __ATOMIC_RELEASE);
}

/* When the frames have come that are there, at most `most` of them: how many. */
static uint32_t arrived(struct paced_state *state, uint64_t stamps[], uint32_t most) {
    struct control *control = state->control;
    const uint64_t ns = odp_time_global_ns(), now = ns * 1024, passed = ns - control->called;
    if (odp_unlikely(state->epoch != __atomic_load_n(&control->epoch, __ATOMIC_RELAXED))) {
        begin_epoch(state, now);
    } else if (odp_unlikely(passed > INTERRUPTION_NS)) {
        macs_odp_count(&control->interrupted, passed);
        state->arrival = now;
    }
    control->called = ns;
    const uint64_t mean = control->gap;
    uint32_t count = 0;
    if (mean == 0) {
        for (; count < most; count++)
            stamps[count] = now;
        return count;
    }
    uint64_t arrival = state->arrival, random = state->random;
    for (; count < most && arrival <= now; count++) {
        stamps[count] = arrival;
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407; /* a linear congruence: its high bits */
        arrival += mean * state->gaps[random >> 52] / 1024;
    }
    state->arrival = arrival;
    state->random = random;
    const uint64_t full = mean * RING;
    if (odp_unlikely(state->arrival + full < now)) {
        macs_odp_count(&control->missed, (now - full - state->arrival) / mean);
        state->arrival = now - full;
    }
    return count;
}

static int paced_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct paced_state *state = pktio->state;
    const struct macs_odp_replay *replay = &state->replay;
    uint64_t stamps[BURST_MAX], octets = 0;
    if (replay->count == 0)
        return 0;
    uint32_t want = arrived(state, stamps, (uint32_t)num < BURST_MAX ? (uint32_t)num : BURST_MAX);
    uint32_t got = want ? macs_odp_packet_take(pktio->pool, packets, want) : 0;
    for (uint32_t i = 0; i < got; i++) {
        const struct macs_odp_replay_frame frame = replay->frames[state->next];
        state->next = state->next + 1 < replay->count ? state->next + 1 : 0;
        macs_odp_packet_start(packets[i], pktio->pool->headroom, frame.len, (int)pktio->index);
        macs_odp_replay_copy(replay, frame, replay->frames[state->next],
                             macs_odp_head(packets[i]) + pktio->pool->headroom);
        odp_packet_ts_set(packets[i], (odp_time_t){.ns = stamps[i] / 1024});
        octets += frame.len;
    }
    if (odp_unlikely(got < want))
        macs_odp_count(&state->control->missed, want - got);
    macs_odp_count_frames(&queue->counters, got, octets);
    return (int)got;
}

/* Nanoseconds: each itself up to PARTS, then PARTS to a power of two. */
static uint32_t bucket(uint64_t ns) {
    if (ns < PARTS)
        return (uint32_t)ns;
    const uint32_t power = 63 - (uint32_t)__builtin_clzll(ns), shift = power - 5;
    const uint32_t found = (shift + 1) * PARTS + (uint32_t)((ns >> shift) - PARTS);
    return found < BUCKETS ? found : BUCKETS - 1;
}

static int paced_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct control *control = ((struct paced_state *)queue->pktio->state)->control;
    const uint64_t now = odp_time_global_ns();
    const bool counts = now - control->called <= INTERRUPTION_NS;
    for (int i = 0; i < num && counts; i++) {
        const uint64_t came = odp_packet_ts(packets[i]).ns;
        if (odp_packet_has_ts(packets[i]))
            macs_odp_count(&control->counts[bucket(now > came ? now - came : 0)], 1);
    }
    return macs_odp_sink_send(queue, packets, num);
}

const struct macs_odp_driver macs_odp_driver_paced = {
    .name = "paced",
    .max_input_queues = 1,
    .max_output_queues = 1,
    .open = paced_open,
    .close = paced_close,
    .recv = paced_recv,
    .send = paced_send,
};
