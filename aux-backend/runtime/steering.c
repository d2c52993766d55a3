#include "runtime/steering.h"

#include "runtime/externs.h"

#define INSTRUCTIONS_MAX 4096u /* of the kernel's filters */

typedef uint32_t queue_of_fn(const void *context, const uint8_t *frame, uint32_t length);

/* Of our own ODP for Linux, beside ODP's calls: put each frame into the input queue whose number is what the function
 * returns, modulo the number of queues; the filter, struct sock_filter, returns the same in the kernel. Without a
 * function: as before. -1: it cannot; 1: each frame, 0: most of them. */
extern int macs_odp_pktio_steer(odp_pktio_t pktio, queue_of_fn *queue_of, const void *context, void *filter,
                                uint32_t instructions) __attribute__((weak));

static uint32_t queue_of(const void *context, const uint8_t *frame, uint32_t length) {
    return macs_steer(context, frame, length);
}

uint32_t macs_steering_worker(const struct macs_switch *sw, odp_packet_t packet) {
    const uint32_t length = odp_packet_len(packet), there = odp_packet_seg_len(packet);
    if (there < length && there < sw->program->parse_bytes)
        return 0; /* the program will not see it */
    return macs_steer(sw->program->steering, odp_packet_data(packet), length) % sw->options.worker_count;
}

int macs_steering_keep(struct macs_thread *thread, struct macs_port *port, odp_packet_t handles[], int count) {
    const uint32_t own = thread->worker.index;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const odp_packet_t handle = handles[i];
        const uint32_t worker = macs_steering_worker(thread->sw, handle);
        if (worker == own)
            handles[kept++] = handle;
        else if (macs_port_hand(port, worker, handle))
            macs_thread_drop(thread, handle, MACS_CAUSE_RX_ERROR);
    }
    return kept;
}

/* Whether there are queues enough for what is handed over; some are others'. */
static bool has_queues(const struct macs_switch *sw) {
    odp_queue_capability_t capability;
    unsigned wanted = 16;
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        wanted += sw->options.worker_count;
    return !odp_queue_capability(&capability) && capability.plain.max_num >= wanted &&
           (!capability.plain.max_size || capability.plain.max_size >= sw->options.buffers);
}

/* Whether frames may come by it that are not given to their workers already. */
static bool receives(const struct macs_port *port) {
    return !port->ctl && port->input_count;
}

/* Tell a port. */
static int tell(struct macs_port *port, const struct macs_steering *steering, struct macs_steer_instruction filter[],
                uint32_t instructions) {
    return macs_odp_pktio_steer(port->pktio, steering ? queue_of : NULL, steering, filter, instructions);
}

static bool tell_all(struct macs_switch *sw, struct macs_steer_instruction filter[], uint32_t instructions) {
    const struct macs_steering *steering = sw->program->steering;
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        struct macs_port *port = &sw->ports[slot];
        const int told = port->ctl ? 0 : tell(port, steering, filter, instructions);
        if (told >= 0) {
            port->checked = receives(port) && (!told || port->input_count != sw->options.worker_count);
            continue;
        }
        while (slot--)
            if (!sw->ports[slot].ctl)
                tell(&sw->ports[slot], NULL, NULL, 0);
        return false;
    }
    return true;
}

int macs_steering_begin(struct macs_switch *sw) {
    static struct macs_steer_instruction filter[INSTRUCTIONS_MAX];
    const struct macs_steering *steering = sw->program->steering;
    const unsigned workers = sw->options.worker_count;
    if (!steering || workers == 1 || workers > 1u << steering->columns || !macs_odp_pktio_steer || !has_queues(sw))
        return 0;
    if (!tell_all(sw, filter, macs_steering_filter(steering, filter, INSTRUCTIONS_MAX)))
        return 0;
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        int status = macs_port_share(&sw->ports[slot], workers, sw->options.buffers, &sw->log);
        if (status)
            return status;
    }
    macs_externs_shard(sw->program, workers);
    sw->steered = true;
    return 0;
}

int macs_steering_add(struct macs_switch *sw, struct macs_port *port) {
    if (!sw->steered)
        return 0;
    port->checked = receives(port);
    return macs_port_share(port, sw->options.worker_count, sw->options.buffers, &sw->log);
}
