/* A port of the switch: a packet interface of ODP, or `ctl:`, whose frames the control thread injects and collects.
 *
 * Interfaces are in ODP's direct mode. Each input queue is polled by one worker, always the same one. Each worker has
 * an output queue of its own where the interface has enough of them; else workers share queues, and the platform locks
 * them. Errors: -errno, logged.
 */
#ifndef MACS_RUNTIME_PORT_H
#define MACS_RUNTIME_PORT_H

#include <odp_api.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/log.h"
#include "runtime/options.h"

/* Frames that wait in a `ctl:` port on their way in, and in all of them together on their way out. */
#define MACS_CTL_IN_MAX 1024u
#define MACS_CTL_OUT_MAX 4096u

struct macs_port {
    const char *name; /* NULL: there is no port in this slot */
    char *own_name;   /* the same, where it is to be freed */
    bool comes;       /* workers are to know it, and do not receive from it yet */
    bool leaves;      /* workers are to have done with it: it is down, or about to go */
    uint16_t number;
    bool ctl;
    _Atomic uint32_t tx_max; /* bytes of the longest frame that it sends: an interface's MTU may change */
    unsigned input_count;
    unsigned output_count;
    odp_pktio_t pktio;
    odp_pktin_queue_t inputs[MACS_WORKERS_MAX];
    odp_pktout_queue_t outputs[MACS_WORKERS_MAX];
    int end_counter;    /* the interface's counter that says that its input has come to an end, or -1 */
    int broken_counter; /* that says that a file is not whole, or -1; behind it those of frames lost, and their bytes */
    /* For each worker, in what order they came: of `ctl:`, what is injected; of others, what another worker received.
     * Of `ctl:` there is one where it does not matter which worker it is. */
    odp_queue_t handed[MACS_WORKERS_MAX];
    unsigned handed_count;
    /* Of the workers that receive, the one that polls a queue, where not each of them has one of its own. It stays as
     * long as the port does: two workers never poll the same queue, whatever comes, goes or ends beside it. */
    uint8_t poller[MACS_WORKERS_MAX];
    bool checked;                 /* some of what comes into a queue may be for another worker */
    _Atomic uint64_t handed_over; /* frames, since the begin */
    _Atomic uint64_t waiting; /* so many may be in `handed`, or on their way there: 0 once all of them are through */
    /* of `ctl:` */
    uint64_t injected;         /* written and read by the control thread */
    _Atomic uint64_t finished; /* injected frames that are through, whatever became of them */
    _Atomic bool pushed;       /* a client waits for what it sends: that does not wait for a COLLECT */
};

/* Frames that `ctl:` ports have sent, in order; shared by all of those that are pushed, or by all others. */
struct macs_ctl_out {
    odp_queue_t queue;
    _Atomic uint32_t waiting;
};

int macs_port_open(struct macs_port *port, const struct macs_port_option *option, odp_pool_t pool, unsigned workers,
                   struct macs_log *log);
int macs_port_start(struct macs_port *port, struct macs_log *log);
/* Read the maximum length of a frame. Control thread. */
void macs_port_follow(struct macs_port *port);

/* Stops it, takes what has been received and not been polled, closes it. Returns how many packets these were. */
uint64_t macs_port_close(struct macs_port *port);

static inline bool macs_port_is_there(const struct macs_port *port) {
    return port->name != NULL;
}

/* Whether it has a link, and was not taken down. Control thread. */
bool macs_port_is_up(const struct macs_port *port);

/* The longest frame, in bytes. Any thread. */
static inline uint32_t macs_port_tx_max(const struct macs_port *port) {
    return atomic_load_explicit(&port->tx_max, memory_order_relaxed);
}

/* Frames that were lost before a worker received them. */
struct macs_port_losses {
    uint64_t missed; /* there was no room for them: a ring was full, or no packet free */
    uint64_t errors; /* the interface could not use them: cut off, empty, too long for a packet */
};

/* Control thread. Does nothing if the interface does not count. */
struct macs_port_losses macs_port_losses(const struct macs_port *port);

/* Frames that it took and could not write or send, and the bytes of the first. */
void macs_port_tx_lost(const struct macs_port *port, uint64_t *packets, uint64_t *bytes);

/* True: the file that it reads was not read whole, or the one that it writes not written. */
bool macs_port_broken(const struct macs_port *port);

/* No worker uses it any more: what has been sent is out then, or known to be lost. */
void macs_port_stop(struct macs_port *port);

/* True: it may come to an end. */
static inline bool macs_port_may_end(const struct macs_port *port) {
    return port->end_counter >= 0;
}

/* True: it will never receive again, as it knows itself: a file that has been read, and no worker has anything of it to
 * take over. */
bool macs_port_ended(const struct macs_port *port);

/* Give each worker a queue for what others receive; `room`: of packets. Before workers are made. */
int macs_port_share(struct macs_port *port, unsigned workers, uint32_t room, struct macs_log *log);

/* Leave a packet to a worker. False: done. */
bool macs_port_hand(struct macs_port *port, uint32_t worker, odp_packet_t packet);

/* Take what was left to a worker. */
int macs_port_take(struct macs_port *port, uint32_t worker, odp_packet_t packets[], int most);

int macs_ctl_out_open(struct macs_ctl_out *out, const char *name, struct macs_log *log);
void macs_ctl_out_close(struct macs_ctl_out *out);

/* Make a packet of a frame that is to go into a `ctl:` port. -EAGAIN: no room now; -EMSGSIZE: longer than a packet can
 * be. Control thread. */
int macs_ctl_packet(struct macs_port *port, odp_pool_t pool, const uint8_t *frame, uint32_t length,
                    odp_packet_t *packet);

/* Put it in, for a worker to take, of as many as have queues there. */
int macs_ctl_inject(struct macs_port *port, odp_packet_t packet, uint32_t worker);

/* True: all that was injected into it has been processed and what came of it sent. Control thread. */
static inline bool macs_ctl_settled(const struct macs_port *port) {
    return atomic_load_explicit(&port->finished, memory_order_acquire) == port->injected;
}

/* Send packets; returns how many found room. Any worker. */
int macs_ctl_send(struct macs_ctl_out *out, const odp_packet_t packets[], int count);

/* Take the oldest frame that was sent, or ODP_PACKET_INVALID. The caller frees it. Control thread. */
odp_packet_t macs_ctl_collect(struct macs_ctl_out *out);

#endif
