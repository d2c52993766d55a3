/* mem:FILE[,loop] — the frames of a pcap file, held in memory, once or for ever; what is sent is counted and freed.
 *
 * For benchmarks: a frame costs one copy into a packet (which the program may then change) and nothing else. Several
 * input queues each hold the flows that the flow hash gives them, in the file's order. No packet gets a time stamp
 * unless odp_pktio_config_t.pktin asks for it. The file is read, and refused if anything is wrong with it, at open.
 */
#include "flow.h"
#include "pcap_file.h"
#include "pktio.h"

#include <stdlib.h>
#include <string.h>

/* Frames of a lookahead: they come while a burst is received and worked on. One is fetched beside each that is copied:
 * the CPU forgets what it is asked for faster than memory brings it. They come to the second cache, as a core has more
 * reads under way to that one. */
#define PREFETCH_AHEAD 128u
#define INDEX_AHEAD 192u /* and where it stands, so many frames before that */

/* Small, as it comes from memory with the frame. */
struct mem_frame {
    uint32_t line; /* where its bytes begin, in cache lines */
    uint32_t len;
};

struct mem_queue {
    struct mem_frame *frames;
    uint64_t count;
    uint64_t next;
} ODP_ALIGNED_CACHE;

struct mem_state {
    bool loop;
    uint8_t *bytes;
    uint64_t mapped;
    uint64_t count;
    struct mem_frame *frames;  /* in the file's order */
    struct mem_frame *ordered; /* by queue, then in the file's order; NULL: not needed yet */
    uint64_t frames_mapped, ordered_mapped;
    struct mem_queue *queue;
    uint32_t running; /* queues that have not come to their end */
};

static void mem_close(struct macs_odp_pktio *pktio) {
    struct mem_state *state = pktio->state;
    if (state->bytes != NULL)
        macs_odp_unmap(state->bytes, state->mapped);
    if (state->frames != NULL)
        macs_odp_unmap(state->frames, state->frames_mapped);
    if (state->ordered != NULL)
        macs_odp_unmap(state->ordered, state->ordered_mapped);
    free(state->queue);
    free(state);
}

/* Read through the file: the first time to count, the second to keep. */
static int file_pass(struct macs_odp_pktio *pktio, const char *path, uint64_t *count, uint64_t *bytes) {
    struct mem_state *state = pktio->state;
    struct macs_odp_pcap_reader reader;
    struct macs_odp_pcap_frame frame;
    enum macs_odp_pcap_result result;
    *count = *bytes = 0;
    if (macs_odp_pcap_open(&reader, path, true) != 0)
        return -1;
    while ((result = macs_odp_pcap_next(&reader, &frame)) == MACS_ODP_PCAP_FRAME) {
        uint32_t lines = ODP_CACHE_LINE_ROUNDUP(frame.len);
        if (frame.len == 0 || frame.len > macs_odp_pktio_room(pktio)) {
            macs_odp_log(ODP_LOG_ERR, "%s: frame %" PRIu64 " has %u bytes, a packet of the pool has room for %u\n",
                         path, *count + 1, frame.len, macs_odp_pktio_room(pktio));
            result = MACS_ODP_PCAP_BROKEN;
            break;
        }
        if (state->frames != NULL && *count < state->count && *bytes + lines <= state->mapped) {
            memcpy(state->bytes + *bytes, frame.data, frame.len);
            state->frames[*count] =
                (struct mem_frame){.line = (uint32_t)(*bytes / ODP_CACHE_LINE_SIZE), .len = frame.len};
        }
        *bytes += lines;
        *count += 1;
    }
    macs_odp_pcap_close(&reader);
    return result == MACS_ODP_PCAP_END ? 0 : macs_odp_fail(EINVAL);
}

static struct mem_frame *frames_new(uint64_t count, uint64_t *mapped) {
    uint64_t page;
    return macs_odp_map(count * sizeof(struct mem_frame), MACS_ODP_PAGES_BEST, mapped, &page);
}

static int load(struct macs_odp_pktio *pktio, const char *path) {
    struct mem_state *state = pktio->state;
    uint64_t bytes, page, count, again;
    if (file_pass(pktio, path, &count, &bytes) != 0)
        return -1;
    if (count == 0 || bytes / ODP_CACHE_LINE_SIZE > UINT32_MAX) {
        macs_odp_log(ODP_LOG_ERR, "%s: %s frames\n", path, count ? "too many" : "no");
        return macs_odp_fail(EINVAL);
    }
    state->count = count;
    state->frames = frames_new(count, &state->frames_mapped);
    state->bytes = macs_odp_map(bytes, MACS_ODP_PAGES_BEST, &state->mapped, &page);
    if (state->frames == NULL || state->bytes == NULL)
        return macs_odp_fail(ENOMEM);
    if (file_pass(pktio, path, &again, &bytes) != 0)
        return -1;
    if (again != count) {
        macs_odp_log(ODP_LOG_ERR, "%s: cannot be read twice (a pipe?), or changes\n", path);
        return macs_odp_fail(EINVAL);
    }
    return 0;
}

static int mem_open(struct macs_odp_pktio *pktio, const char *arguments) {
    char path[256];
    struct mem_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    pktio->state = state;
    macs_odp_name(path, sizeof(path), arguments);
    char *comma = strrchr(path, ',');
    if (comma != NULL && strcmp(comma, ",loop") == 0) {
        state->loop = true;
        *comma = '\0';
    }
    if (load(pktio, path) != 0) {
        mem_close(pktio);
        return -1;
    }
    pktio->finite = !state->loop;
    return 0;
}

static inline const uint8_t *data_of(const uint8_t *bytes, struct mem_frame frame) {
    return bytes + (uint64_t)frame.line * ODP_CACHE_LINE_SIZE;
}

static uint32_t queue_of(const struct macs_odp_pktio *pktio, struct mem_frame frame) {
    const struct mem_state *state = pktio->state;
    return macs_odp_flow_hash(data_of(state->bytes, frame), frame.len, pktio->hash) % pktio->num_in;
}

/* Give each queue its frames, in one array. */
static int sort(const struct macs_odp_pktio *pktio, struct mem_state *state) {
    struct mem_frame *place = state->ordered ? state->ordered : frames_new(state->count, &state->ordered_mapped);
    if (place == NULL)
        return macs_odp_fail(ENOMEM);
    state->ordered = place;
    for (uint64_t i = 0; i < state->count; i++)
        state->queue[queue_of(pktio, state->frames[i])].count++;
    for (uint32_t queue = 0; queue < pktio->num_in; queue++) {
        state->queue[queue].frames = place;
        place += state->queue[queue].count;
        state->queue[queue].count = 0;
    }
    for (uint64_t i = 0; i < state->count; i++) {
        struct mem_queue *own = &state->queue[queue_of(pktio, state->frames[i])];
        own->frames[own->count++] = state->frames[i];
    }
    return 0;
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
        state->queue[0] = (struct mem_queue){.frames = state->frames, .count = state->count};
    else if (sort(pktio, state) != 0)
        return -1;
    state->running = queues;
    __atomic_store_n(&pktio->rx_end, false, __ATOMIC_RELEASE);
    return 0;
}

/* A line of a frame into a packet; the same line of a frame to come is fetched meanwhile. */
static inline void copy_line(uint8_t *to, const uint8_t *from, const uint8_t *ahead) {
    odp_prefetch_l2(ahead);
    memcpy(to, from, ODP_CACHE_LINE_SIZE);
}

/* All lines but the first. */
static __attribute__((noinline)) void copy_rest(uint8_t *to, const uint8_t *from, const uint8_t *ahead, uint32_t len) {
    for (uint32_t at = ODP_CACHE_LINE_SIZE; at < len; at += ODP_CACHE_LINE_SIZE)
        copy_line(to + at, from + at, ahead + at);
}

/* Frames that follow each other, each into a packet; `ahead` of each one is to be fetched. Returns their bytes. */
static inline uint64_t copy_frames(const uint8_t *bytes, const struct mem_frame *frames, uint32_t ahead,
                                   const odp_packet_t packets[], uint32_t num, uint32_t headroom, int input) {
    uint64_t octets = 0;
    for (uint32_t i = 0; i < num; i += ODP_CACHE_LINE_SIZE / sizeof(*frames))
        odp_prefetch_l2(frames + i + ahead + INDEX_AHEAD); /* else the loop waits to learn what to fetch */
    for (uint32_t i = 0; i < num; i++) {
        struct mem_frame frame = frames[i];
        odp_packet_t pkt = packets[i];
        uint8_t *to = macs_odp_head(pkt) + headroom; /* not read again behind what is stored */
        macs_odp_packet_start(pkt, headroom, frame.len, input);
        copy_line(to, data_of(bytes, frame), data_of(bytes, frames[i + ahead]));
        if (odp_unlikely(frame.len > ODP_CACHE_LINE_SIZE))
            copy_rest(to, data_of(bytes, frame), data_of(bytes, frames[i + ahead]), frame.len);
        octets += frame.len;
    }
    return octets;
}

/* Not inline, and the distance a constant: so that the loop has all that it needs in registers. */
static __attribute__((noinline)) uint64_t copy_run(const uint8_t *bytes, const struct mem_frame *frames, bool far,
                                                   const odp_packet_t packets[], uint32_t num, uint32_t headroom,
                                                   int input) {
    return odp_likely(far) ? copy_frames(bytes, frames, PREFETCH_AHEAD, packets, num, headroom, input)
                           : copy_frames(bytes, frames, 0, packets, num, headroom, input);
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
        octets += copy_run(state->bytes, own->frames + next, far, packets + done, run, headroom, (int)pktio->index);
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
    .max_input_queues = ODP_PKTIN_MAX_QUEUES,
    .max_output_queues = ODP_PKTOUT_MAX_QUEUES,
    .open = mem_open,
    .close = mem_close,
    .start = mem_start,
    .recv = mem_recv,
    .send = macs_odp_sink_send,
};
