/* mem:FILE[,loop] — receives the frames of a capture file from memory, once or for ever; counts and frees what is sent.
 *
 * For benchmarks. A frame costs one copy into a packet, which the program may change; bytes that frames have in common
 * are copied from the cache (replay.h). With several input queues the flow hash selects the queue of a frame, or the
 * user's function; frames of a queue are in the file's order. Packets have a time stamp only if
 * odp_pktio_config_t.pktin asks for it. The file is read when the port is opened, and refused if anything is wrong with
 * it.
 */
#include "pktio/flow.h"
#include "pktio/pktio.h"
#include "pktio/replay.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Frames of a lookahead: they come while a burst is received and worked on. One is prefetched beside each that is
 * copied: the CPU forgets what it is asked for faster than memory brings it. */
#define PREFETCH_AHEAD 128u
#define INDEX_AHEAD 192u /* and where it stands, so many frames before that */

struct mem_queue {
    struct macs_odp_replay_frame *frames;
    uint64_t count;
    uint64_t next;
} ODP_ALIGNED_CACHE;

struct mem_state {
    bool loop;
    int file; /* kept open, so that it is known to be in use */
    struct macs_odp_replay replay;
    struct macs_odp_replay_frame *ordered; /* by queue, then in the file's order; NULL: not needed yet */
    uint64_t ordered_mapped;
    struct mem_queue *queue;
    uint32_t running; /* queues that have not come to their end */
};

static void mem_close(struct macs_odp_pktio *pktio) {
    struct mem_state *state = pktio->state;
    macs_odp_replay_end(&state->replay);
    if (state->file >= 0)
        close(state->file);
    if (state->ordered != NULL)
        macs_odp_unmap(state->ordered, state->ordered_mapped);
    free(state->queue);
    free(state);
}

static int mem_open(struct macs_odp_pktio *pktio, const char *arguments) {
    char path[256];
    struct mem_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    pktio->state = state;
    state->file = -1;
    macs_odp_name(path, sizeof(path), arguments);
    char *comma = strrchr(path, ',');
    if (comma != NULL && strcmp(comma, ",loop") == 0) {
        state->loop = true;
        *comma = '\0';
    }
    if (macs_odp_replay_load(&state->replay, path, macs_odp_pktio_room(pktio)) != 0) {
        mem_close(pktio);
        return -1;
    }
    state->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    pktio->finite = !state->loop;
    return 0;
}

/* The queue of a frame; `whole` has room for it. */
static uint32_t queue_of(const struct macs_odp_pktio *pktio, struct macs_odp_replay_frame frame, uint8_t *whole) {
    const struct mem_state *state = pktio->state;
    macs_odp_replay_copy(&state->replay, frame, frame, whole);
    if (pktio->queue_of != NULL)
        return pktio->queue_of(pktio->queue_of_context, whole, frame.len) % pktio->num_in;
    return macs_odp_flow_hash(whole, frame.len, pktio->hash) % pktio->num_in;
}

static void deal(const struct macs_odp_pktio *pktio, struct mem_state *state, uint8_t *whole) {
    const struct macs_odp_replay *replay = &state->replay;
    struct macs_odp_replay_frame *place = state->ordered;
    for (uint64_t i = 0; i < replay->count; i++)
        state->queue[queue_of(pktio, replay->frames[i], whole)].count++;
    for (uint32_t queue = 0; queue < pktio->num_in; queue++) {
        state->queue[queue].frames = place;
        place += state->queue[queue].count;
        state->queue[queue].count = 0;
    }
    for (uint64_t i = 0; i < replay->count; i++) {
        struct mem_queue *own = &state->queue[queue_of(pktio, replay->frames[i], whole)];
        own->frames[own->count++] = replay->frames[i];
    }
}

/* Give each queue its frames, in one array. */
static int sort(const struct macs_odp_pktio *pktio, struct mem_state *state) {
    uint8_t *whole = malloc(ODP_CACHE_LINE_ROUNDUP(state->replay.room));
    if (state->ordered == NULL)
        state->ordered = macs_odp_replay_frames(state->replay.count, &state->ordered_mapped);
    const bool room = whole != NULL && state->ordered != NULL;
    if (room)
        deal(pktio, state, whole);
    free(whole);
    return room ? 0 : macs_odp_fail(ENOMEM);
}

static int mem_start(struct macs_odp_pktio *pktio) {
    struct mem_state *state = pktio->state;
    uint32_t queues = pktio->num_in ? pktio->num_in : 1;
    size_t bytes = queues * sizeof(*state->queue);
    free(state->queue);
    state->queue = aligned_alloc(ODP_CACHE_LINE_SIZE, bytes);
    if (state->queue == NULL)
        return macs_odp_fail(ENOMEM);
    memset(state->queue, 0, bytes);
    if (queues == 1)
        state->queue[0] = (struct mem_queue){.frames = state->replay.frames, .count = state->replay.count};
    else if (sort(pktio, state) != 0)
        return -1;
    state->running = queues;
    __atomic_store_n(&pktio->rx_end, false, __ATOMIC_RELEASE);
    return 0;
}

/* Frames that follow each other, each into a packet; `ahead` of each one is to be prefetched. Returns their bytes. */
static inline uint64_t copy_frames(const struct macs_odp_replay *from, const struct macs_odp_replay_frame *frames,
                                   uint32_t ahead, const odp_packet_t packets[], uint32_t num, uint32_t headroom,
                                   int input) {
    const struct macs_odp_replay replay = *from; /* not read again behind what is stored, as the packet's head */
    uint64_t octets = 0;
    for (uint32_t i = 0; i < num; i += ODP_CACHE_LINE_SIZE / sizeof(*frames))
        odp_prefetch_l2(frames + i + ahead + INDEX_AHEAD); /* else the loop waits to learn what to prefetch */
    for (uint32_t i = 0; i < num; i++) {
        struct macs_odp_replay_frame frame = frames[i];
        odp_packet_t pkt = packets[i];
        uint8_t *to = macs_odp_head(pkt) + headroom;
        macs_odp_packet_start(pkt, headroom, frame.len, input);
        macs_odp_replay_copy(&replay, frame, frames[i + ahead], to);
        octets += frame.len;
    }
    return octets;
}

/* Not inline, and the distance a constant: so that the loop has what it needs in registers. */
static __attribute__((noinline)) uint64_t copy_run(const struct macs_odp_replay *replay,
                                                   const struct macs_odp_replay_frame *frames, bool far,
                                                   const odp_packet_t packets[], uint32_t num, uint32_t headroom,
                                                   int input) {
    return odp_likely(far) ? copy_frames(replay, frames, PREFETCH_AHEAD, packets, num, headroom, input)
                           : copy_frames(replay, frames, 0, packets, num, headroom, input);
}

/* A queue that has nothing left tells so once. */
static void queue_end(struct macs_odp_pktio *pktio, struct mem_state *state, struct mem_queue *own) {
    own->next = UINT64_MAX;
    if (__atomic_sub_fetch(&state->running, 1, __ATOMIC_ACQ_REL) == 0)
        __atomic_store_n(&pktio->rx_end, true, __ATOMIC_RELEASE);
}

static void stamp(struct macs_odp_pktio *pktio, odp_packet_t packets[], uint32_t num) {
    odp_time_t now = odp_pktio_time(pktio, NULL);
    for (uint32_t i = 0; i < num; i++)
        odp_packet_ts_set(packets[i], now);
}

static int mem_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct mem_state *state = pktio->state;
    struct mem_queue *own = &state->queue[queue->index];
    uint64_t next = own->next, count = own->count, octets = 0;
    uint32_t want = (uint32_t)num, headroom = pktio->pool->headroom;
    if (odp_unlikely(next >= count)) {
        if (next == UINT64_MAX)
            return 0;
        if (!state->loop) {
            queue_end(pktio, state, own);
            return 0;
        }
        if (count == 0)
            return 0;
    }
    if (!state->loop && want > count - next)
        want = (uint32_t)(count - next);
    uint32_t got = macs_odp_packet_take(pktio->pool, packets, want);
    for (uint32_t done = 0; done < got;) {
        uint32_t run = got - done < count - next ? got - done : (uint32_t)(count - next);
        bool far = next + run + PREFETCH_AHEAD <= count;
        octets += copy_run(&state->replay, own->frames + next, far, packets + done, run, headroom, (int)pktio->index);
        done += run;
        next += run;
        if (state->loop && next == count)
            next = 0;
    }
    own->next = next;
    if (odp_unlikely(pktio->config.pktin.bit.ts_all || pktio->config.pktin.bit.ts_ptp))
        stamp(pktio, packets, got);
    macs_odp_count_frames(&queue->counters, got, octets);
    return (int)got;
}

const struct macs_odp_driver macs_odp_driver_mem = {
    .name = "mem",
    .steers = MACS_ODP_STEERS_ALL,
    .max_input_queues = ODP_PKTIN_MAX_QUEUES,
    .max_output_queues = ODP_PKTOUT_MAX_QUEUES,
    .open = mem_open,
    .close = mem_close,
    .start = mem_start,
    .recv = mem_recv,
    .send = macs_odp_sink_send,
};
