/* The inside of ports: what pktio.c keeps for each port, and the interface of drivers.
 *
 * A driver is a file that defines a struct macs_odp_driver, and a line in the table of pktio_drivers.c. open() parses
 * the name behind "DRIVER:", checks that the device exists, and sets pktio->state. start() creates what depends on the
 * number of queues.
 * Threads: recv() and send() are called by one thread at a time for each queue; different queues run at the same time.
 * Errors: all return 0, or -1 with the error number set and the reason logged.
 */
#ifndef MACS_ODP_PKTIO_H
#define MACS_ODP_PKTIO_H

#include "pool/pool.h"

struct macs_odp_counters {
    uint64_t octets;
    uint64_t packets;
    uint64_t discards; /* in: lost as a ring was full; out: taken, and lost by the interface */
    uint64_t errors;   /* in: broken or too long; out: taken, not transmitted */
};

struct macs_odp_pktin {
    struct macs_odp_pktio *pktio;
    uint32_t index;
    bool locked; /* ODP_PKTIO_OP_MT */
    odp_spinlock_t lock;
    struct macs_odp_counters counters;
    struct macs_odp_counters reset; /* the counters when they were reset last */
} ODP_ALIGNED_CACHE;

struct macs_odp_pktout {
    struct macs_odp_pktio *pktio;
    uint32_t index;
    bool locked;
    odp_spinlock_t lock;
    struct macs_odp_counters counters;
    struct macs_odp_counters reset;
} ODP_ALIGNED_CACHE;

/* Whether a port can be told which frames are for which queue: no; most of them, as the kernel sees a frame before it
 * is complete; each. */
enum macs_odp_steers { MACS_ODP_STEERS_NONE, MACS_ODP_STEERS_MOST, MACS_ODP_STEERS_ALL };

/* The number of a frame's queue, modulo how many there are. */
typedef uint32_t macs_odp_queue_of_fn(const void *context, const uint8_t *frame, uint32_t length);

struct macs_odp_driver {
    const char *name; /* before the colon, and odp_pktio_info_t.drv_name */
    bool alone;       /* the name without a colon is a port's too, not an interface's */
    enum macs_odp_steers steers;
    uint32_t max_input_queues;
    uint32_t max_output_queues;
    int (*open)(struct macs_odp_pktio *pktio, const char *arguments);
    void (*close)(struct macs_odp_pktio *pktio);
    int (*start)(struct macs_odp_pktio *pktio); /* NULL: nothing to do; likewise below */
    int (*stop)(struct macs_odp_pktio *pktio);
    int (*recv)(struct macs_odp_pktin *queue, odp_packet_t packets[], int num);
    int (*send)(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num);
    int (*descriptors)(struct macs_odp_pktin *queue, int fds[], int max); /* see macs_odp_wait() */
    int (*mac_addr)(struct macs_odp_pktio *pktio, uint8_t mac[6]);
    int (*promisc)(struct macs_odp_pktio *pktio);
    int (*promisc_set)(struct macs_odp_pktio *pktio, bool enable);
    odp_pktio_link_status_t (*link_status)(struct macs_odp_pktio *pktio);
    void (*refresh)(struct macs_odp_pktio *pktio);    /* bring counters that the kernel keeps up to date */
    uint32_t (*maxlen)(struct macs_odp_pktio *pktio); /* of frames out; NULL: 65536 */
};

struct macs_odp_pktio {
    char name[256];
    const struct macs_odp_driver *driver;
    void *state;
    struct macs_odp_pool *pool;
    odp_pktio_param_t param;
    odp_pktio_config_t config;
    uint32_t index;
    bool started;
    bool of_files; /* there are counters of what went wrong with them: `broken`, tx_lost */
    bool broken;   /* the input is not whole, or the output could not be written: atomic */
    uint64_t lost; /* frames that were sent and could not be written, and their bytes: atomic */
    uint64_t lost_octets;
    bool finite;     /* the input has an end: there is a counter rx_end */
    bool rx_end;     /* written by the receiving thread, read by any: atomic */
    uint32_t max_in; /* queues; the driver's, unless its open() knows better */
    uint32_t max_out;
    uint32_t num_in;
    uint32_t num_out;
    odp_pktin_hash_proto_t hash;
    macs_odp_queue_of_fn *queue_of; /* NULL: the flow hash chooses the queue */
    const void *queue_of_context;
    void *filter; /* the same function as instructions of the kernel's filters, so many */
    uint32_t filter_instructions;
    struct macs_odp_pktin *in;
    struct macs_odp_pktout *out;
};

/* The platform's drivers; NULL ends them. */
extern const struct macs_odp_driver *const macs_odp_drivers[];

extern const struct macs_odp_driver macs_odp_driver_null;
extern const struct macs_odp_driver macs_odp_driver_mem;
extern const struct macs_odp_driver macs_odp_driver_loop;
extern const struct macs_odp_driver macs_odp_driver_pcap;
extern const struct macs_odp_driver macs_odp_driver_af_packet;
extern const struct macs_odp_driver macs_odp_driver_af_xdp;
extern const struct macs_odp_driver macs_odp_driver_netmap;
extern const struct macs_odp_driver macs_odp_driver_tap;
extern const struct macs_odp_driver macs_odp_driver_paced;

/* Leave the CPU to others until frames have come to one of the queues, or `ns` nanoseconds at most.
 *
 * A driver's descriptors() gives the descriptors that become readable when frames come to a queue, at most `max`, and
 * returns how many. Where one of the queues has none, now or ever, sleeps instead, *pause nanoseconds, which get
 * longer. */
void macs_odp_wait(const odp_pktin_queue_t queues[], uint32_t num_q, uint64_t ns, uint64_t *pause);

#define MACS_ODP_PAUSE_MIN (10 * ODP_TIME_USEC_IN_NS) /* the first *pause */

/* Beside ODP: let a function choose the queue of each frame that is received, the flow hash if there is none. Filter:
 * as struct sock_filter, the same function for the kernel; kept by the caller, as is the context. Between the queues'
 * configuration and the start. -1: the port cannot do that; 1: it does, 0: most frames come into their queue. */
int macs_odp_pktio_steer(odp_pktio_t pktio, macs_odp_queue_of_fn *queue_of, const void *context, void *filter,
                         uint32_t instructions);

/* Parse what was received. */
void macs_odp_parse_received(const odp_packet_t packets[], int num, odp_proto_layer_t layer);

/* A driver's send() that counts and frees. */
int macs_odp_sink_send(struct macs_odp_pktout *queue, const odp_packet_t packets[], int num);

/* A counter has one writer, but readers at any time. */
static inline void macs_odp_count(uint64_t *counter, uint64_t more) {
    __atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

static inline void macs_odp_count_frames(struct macs_odp_counters *counters, uint64_t packets, uint64_t octets) {
    macs_odp_count(&counters->packets, packets);
    macs_odp_count(&counters->octets, octets);
}

/* The most that a received frame may have to fit in a packet of this port. */
static inline uint32_t macs_odp_pktio_room(const struct macs_odp_pktio *pktio) {
    return pktio->pool->room - pktio->pool->headroom;
}

#endif
