/* pcap:in=FILE,out=FILE,loops=N or pcap:IN[,OUT[,loops=N]] — receives frames from a file and writes frames to a file.
 *
 * Either file may be missing. The input is read once, or N times; for ever if N is 0, as long as it has a usable frame.
 * A named pipe is read as its writer fills it. A received packet has the time stamp of its record. A packet that is
 * sent is written with its time stamp if it has one, so the same input gives the same output; else with the current
 * time. Frames that are empty or too long for a packet, and truncated or malformed records, count as in_errors.
 * The output is emptied only when the port is started: so the user of several ports can first check that no file is
 * used twice.
 */
#include "pktio/pcap_file.h"
#include "pktio/pktio.h"

#include <stdlib.h>
#include <string.h>

struct pcap_state {
    bool has_in;
    bool has_out;
    bool cut_logged;
    bool begun;     /* the output's head is written */
    bool any;       /* a frame was received since the input's beginning */
    uint64_t loops; /* how often it is still to be read; 0: for ever */
    struct macs_odp_pcap_reader in;
    struct macs_odp_pcap_writer out;
    pthread_mutex_t out_lock; /* the output queues write one file */
    char path_in[256];
    char path_out[256];
};

static bool parse_loops(struct pcap_state *state, const char *number) {
    char *end;
    state->loops = strtoull(number, &end, 10);
    return *number >= '0' && *number <= '9' && *end == '\0';
}

/* Split the arguments into the two paths and the loops; false: not of either form. */
static bool parse(struct pcap_state *state, const char *arguments) {
    char copy[256], *rest = copy;
    unsigned position = 0;
    macs_odp_name(copy, sizeof(copy), arguments);
    state->loops = 1;
    while (rest != NULL) {
        char *part = strsep(&rest, ",");
        char *path = NULL;
        if (strncmp(part, "loops=", 6) == 0) {
            if (!parse_loops(state, part + 6))
                return false;
            continue;
        }
        if (strncmp(part, "in=", 3) == 0)
            path = state->path_in, part += 3;
        else if (strncmp(part, "out=", 4) == 0)
            path = state->path_out, part += 4;
        else if (position < 2)
            path = position == 0 ? state->path_in : state->path_out;
        if (path == NULL || (*path != '\0' && *part != '\0'))
            return false;
        if (*part != '\0')
            macs_odp_name(path, sizeof(state->path_in), part);
        position++;
    }
    return state->path_in[0] != '\0' || (state->path_out[0] != '\0' && state->loops == 1);
}

static void pcap_close(struct macs_odp_pktio *pktio) {
    struct pcap_state *state = pktio->state;
    if (state->has_in)
        macs_odp_pcap_close(&state->in);
    if (state->has_out)
        macs_odp_pcap_finish(&state->out);
    pthread_mutex_destroy(&state->out_lock);
    free(state);
}

static int pcap_open(struct macs_odp_pktio *pktio, const char *arguments) {
    struct pcap_state *state = calloc(1, sizeof(*state));
    if (state == NULL)
        return macs_odp_fail(ENOMEM);
    pktio->state = state;
    pthread_mutex_init(&state->out_lock, NULL);
    if (!parse(state, arguments)) {
        macs_odp_log(ODP_LOG_ERR, "port %s: expected pcap:in=FILE,out=FILE,loops=N or pcap:IN,OUT\n", pktio->name);
        pcap_close(pktio);
        return macs_odp_fail(EINVAL);
    }
    bool in = state->path_in[0] != '\0', out = state->path_out[0] != '\0';
    if (in && macs_odp_pcap_open(&state->in, state->path_in, false) == 0)
        state->has_in = true;
    if (out && state->has_in == in &&
        macs_odp_pcap_create(&state->out, state->path_out, in && state->in.nanoseconds) == 0)
        state->has_out = true;
    if (state->has_in != in || state->has_out != out) {
        pcap_close(pktio);
        return -1;
    }
    pktio->of_files = true;
    pktio->finite = state->loops != 0;
    pktio->rx_end = !in;
    return 0;
}

/* Under the lock, behind what may have written: what of the output could not be, for all to see. */
static void note(struct macs_odp_pktio *pktio) {
    const struct pcap_state *state = pktio->state;
    __atomic_store_n(&pktio->lost, state->out.lost, __ATOMIC_RELAXED);
    __atomic_store_n(&pktio->lost_octets, state->out.lost_bytes, __ATOMIC_RELAXED);
    if (state->out.failed)
        __atomic_store_n(&pktio->broken, true, __ATOMIC_RELAXED);
}

/* Nothing to receive now: let those who watch the output file see what it should have. */
static void idle(struct macs_odp_pktio *pktio) {
    struct pcap_state *state = pktio->state;
    if (!state->has_out || __atomic_load_n(&state->out.used, __ATOMIC_RELAXED) == 0 ||
        pthread_mutex_trylock(&state->out_lock) != 0)
        return;
    macs_odp_pcap_flush(&state->out);
    note(pktio);
    pthread_mutex_unlock(&state->out_lock);
}

static bool frame_ok(struct macs_odp_pktin *queue, struct pcap_state *state, const struct macs_odp_pcap_frame *frame) {
    if (frame->len < frame->wire_len && !state->cut_logged) {
        state->cut_logged = true;
        macs_odp_log(ODP_LOG_WARN, "%s: frames were cut when captured (%u of %u bytes); they are used as they are\n",
                     state->in.path, frame->len, frame->wire_len);
    }
    bool ok = frame->len > 0 && frame->len <= macs_odp_pktio_room(queue->pktio);
    if (!ok)
        macs_odp_count(&queue->counters.errors, 1);
    return ok;
}

/* The next frame, of the file's next round if need be: if this one had a frame that could be used. */
static enum macs_odp_pcap_result frame_next(struct pcap_state *state, struct macs_odp_pcap_frame *frame) {
    enum macs_odp_pcap_result result = macs_odp_pcap_next(&state->in, frame);
    if (result == MACS_ODP_PCAP_END && state->loops != 1 && state->any) {
        state->loops -= state->loops != 0;
        state->any = false;
        if (macs_odp_pcap_rewind(&state->in) != 0)
            return MACS_ODP_PCAP_BROKEN;
        result = macs_odp_pcap_next(&state->in, frame);
    }
    return result;
}

static int pcap_recv(struct macs_odp_pktin *queue, odp_packet_t packets[], int num) {
    struct macs_odp_pktio *pktio = queue->pktio;
    struct pcap_state *state = pktio->state;
    struct macs_odp_pcap_frame frame;
    enum macs_odp_pcap_result result = MACS_ODP_PCAP_END;
    uint64_t octets = 0;
    uint32_t got = 0;
    uint32_t taken = state->has_in && !pktio->rx_end ? macs_odp_packet_take(pktio->pool, packets, (uint32_t)num) : 0;
    while (got < taken && (result = frame_next(state, &frame)) <= MACS_ODP_PCAP_SKIPPED) {
        odp_packet_t pkt = packets[got];
        if (result == MACS_ODP_PCAP_SKIPPED) {
            macs_odp_count(&queue->counters.errors, 1);
            continue;
        }
        if (!frame_ok(queue, state, &frame))
            continue;
        macs_odp_packet_start(pkt, pktio->pool->headroom, frame.len, (int)pktio->index);
        memcpy(macs_odp_data(pkt), frame.data, frame.len);
        odp_packet_ts_set(pkt, (odp_time_t){.ns = frame.ts_ns});
        octets += frame.len;
        got++;
        state->any = true;
    }
    if (got < taken)
        macs_odp_packet_untake(pktio->pool, packets + got, taken - got);
    if (taken > 0 && result == MACS_ODP_PCAP_BROKEN) {
        macs_odp_count(&queue->counters.errors, 1);
        __atomic_store_n(&pktio->broken, true, __ATOMIC_RELAXED);
    }
    if (taken > 0 && (result == MACS_ODP_PCAP_END || result == MACS_ODP_PCAP_BROKEN))
        __atomic_store_n(&pktio->rx_end, true, __ATOMIC_RELEASE);
    macs_odp_count_frames(&queue->counters, got, octets);
    if (got == 0)
        idle(pktio);
    return (int)got;
}

static int pcap_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num) {
    struct pcap_state *state = queue->pktio->state;
    uint64_t octets = 0, now = 0;
    int sent = 0;
    if (!state->has_out)
        return macs_odp_sink_send(queue, packets, num);
    pthread_mutex_lock(&state->out_lock);
    for (; sent < num; sent++) {
        odp_packet_t pkt = packets[sent];
        if (!odp_packet_has_ts(pkt) && now == 0)
            now = odp_pktio_time(queue->pktio, NULL).ns;
        if (macs_odp_pcap_write(&state->out, macs_odp_data(pkt), macs_odp_len(pkt),
                                odp_packet_has_ts(pkt) ? odp_packet_ts(pkt).ns : now) != 0)
            break;
        octets += macs_odp_len(pkt);
    }
    note(queue->pktio);
    pthread_mutex_unlock(&state->out_lock);
    macs_odp_count_frames(&queue->counters, (uint64_t)sent, octets);
    odp_packet_free_multi(packets, sent);
    return sent > 0 ? sent : -1;
}

static int pcap_start(struct macs_odp_pktio *pktio) {
    struct pcap_state *state = pktio->state;
    if (!state->has_out || state->begun)
        return 0;
    state->begun = macs_odp_pcap_begin(&state->out) == 0;
    return state->begun ? 0 : -1;
}

static int pcap_stop(struct macs_odp_pktio *pktio) {
    struct pcap_state *state = pktio->state;
    if (!state->has_out)
        return 0;
    pthread_mutex_lock(&state->out_lock);
    int result = macs_odp_pcap_flush(&state->out);
    note(pktio);
    pthread_mutex_unlock(&state->out_lock);
    return result;
}

const struct macs_odp_driver macs_odp_driver_pcap = {
    .name = "pcap",
    .max_input_queues = 1,
    .max_output_queues = ODP_PKTOUT_MAX_QUEUES,
    .open = pcap_open,
    .close = pcap_close,
    .start = pcap_start,
    .stop = pcap_stop,
    .recv = pcap_recv,
    .send = pcap_send,
};
