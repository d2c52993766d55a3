#include "runtime/port.h"

#include <errno.h>
#include <macs/table.h>
#include <string.h>

/* Log an error of a port; returns -errno. */
static int port_error(const struct macs_port *port, struct macs_log *log, const char *what) {
    int error = odp_errno();
    macs_log_write(log, "error: port %u: cannot %s '%s'%s%s", port->number, what, port->name, error ? ": " : "",
                   error ? strerror(error) : "");
    return error > 0 ? -error : -EIO;
}

/* An input queue for each worker, if the interface can spread flows over queues. */
static int configure_inputs(struct macs_port *port, const odp_pktio_capability_t *capability, unsigned workers) {
    odp_pktin_queue_param_t param;
    odp_pktin_queue_param_init(&param);
    param.op_mode = ODP_PKTIO_OP_MT_UNSAFE;
    param.num_queues = workers < capability->max_input_queues ? workers : capability->max_input_queues;
    if (!param.num_queues)
        param.num_queues = 1;
    if (param.num_queues > 1) {
        param.hash_enable = true;
        param.hash_proto.proto.ipv4_tcp = 1;
        param.hash_proto.proto.ipv4_udp = 1;
        param.hash_proto.proto.ipv4 = 1;
        param.hash_proto.proto.ipv6_tcp = 1;
        param.hash_proto.proto.ipv6_udp = 1;
        param.hash_proto.proto.ipv6 = 1;
    }
    if (odp_pktin_queue_config(port->pktio, &param))
        return -1;
    int count = odp_pktin_queue(port->pktio, port->inputs, MACS_WORKERS_MAX);
    port->input_count = count > 0 ? (unsigned)count : 0;
    return count > 0 ? 0 : -1;
}

/* An output queue for each worker, else shared ones that the platform locks. */
static int configure_outputs(struct macs_port *port, const odp_pktio_capability_t *capability, unsigned workers) {
    odp_pktout_queue_param_t param;
    odp_pktout_queue_param_init(&param);
    bool own = capability->max_output_queues >= workers;
    param.op_mode = own ? ODP_PKTIO_OP_MT_UNSAFE : ODP_PKTIO_OP_MT;
    param.num_queues = own ? workers : (capability->max_output_queues ? capability->max_output_queues : 1);
    if (odp_pktout_queue_config(port->pktio, &param))
        return -1;
    int count = odp_pktout_queue(port->pktio, port->outputs, MACS_WORKERS_MAX);
    port->output_count = count > 0 ? (unsigned)count : 0;
    return count > 0 ? 0 : -1;
}

/* Ports of our own ODP for Linux count the end of an input that is finite, and what went wrong with files; other
 * implementations have no such counters. */
static int find_counter(odp_pktio_t pktio, const char *name) {
    odp_pktio_extra_stat_info_t info[32];
    int count = odp_pktio_extra_stat_info(pktio, info, 32);
    for (int i = 0; i < count && i < 32; i++)
        if (!strcmp(info[i].name, name))
            return i;
    return -1;
}

/* The value of a counter, or of the one `behind` places after it; 0 if there is none. */
static uint64_t counted(const struct macs_port *port, int counter, uint32_t behind) {
    uint64_t value = 0;
    const bool known = counter >= 0 && !odp_pktio_extra_stat_counter(port->pktio, (uint32_t)counter + behind, &value);
    return known ? value : 0;
}

/* What has been received when the end is seen is counted in `waiting`, if it goes to another worker. */
bool macs_port_ended(const struct macs_port *port) {
    return counted(port, port->end_counter, 0) != 0 && !atomic_load(&port->waiting);
}

bool macs_port_broken(const struct macs_port *port) {
    return counted(port, port->broken_counter, 0) != 0;
}

void macs_port_tx_lost(const struct macs_port *port, uint64_t *packets, uint64_t *bytes) {
    odp_pktio_stats_t stats;
    *packets = counted(port, port->broken_counter, 1);
    *bytes = counted(port, port->broken_counter, 2);
    if (!port->ctl && !odp_pktio_stats(port->pktio, &stats))
        *packets += stats.out_errors + stats.out_discards;
}

void macs_port_stop(struct macs_port *port) {
    if (!port->ctl)
        odp_pktio_stop(port->pktio);
}

static int open_interface(struct macs_port *port, odp_pool_t pool, unsigned workers, struct macs_log *log) {
    odp_pktio_param_t param;
    odp_pktio_param_init(&param);
    param.in_mode = ODP_PKTIN_MODE_DIRECT;
    param.out_mode = ODP_PKTOUT_MODE_DIRECT;
    port->pktio = odp_pktio_open(port->name, pool, &param);
    if (port->pktio == ODP_PKTIO_INVALID)
        return port_error(port, log, "open");
    odp_pktio_capability_t capability;
    odp_pktio_config_t config;
    odp_pktio_config_init(&config);
    config.parser.layer = ODP_PROTO_LAYER_NONE; /* the program has its own parser */
    if (odp_pktio_capability(port->pktio, &capability) || odp_pktio_config(port->pktio, &config) ||
        configure_inputs(port, &capability, workers) || configure_outputs(port, &capability, workers))
        return port_error(port, log, "configure");
    if (capability.set_op.op.promisc_mode && odp_pktio_promisc_mode_set(port->pktio, true))
        return port_error(port, log, "set promiscuous mode of");
    port->end_counter = find_counter(port->pktio, "rx_end");
    port->broken_counter = find_counter(port->pktio, "broken");
    if (macs_port_ended(port))
        port->input_count = 0;
    uint32_t longest = odp_pktout_maxlen(port->pktio);
    atomic_init(&port->tx_max, longest);
    if (!longest)
        return port_error(port, log, "ask the longest frame of");
    return 0;
}

static odp_queue_t plain_queue(const char *name, uint32_t size) {
    odp_queue_param_t param;
    odp_queue_param_init(&param);
    param.type = ODP_QUEUE_TYPE_PLAIN;
    param.size = size;
    return odp_queue_create(name, &param);
}

int macs_port_share(struct macs_port *port, unsigned workers, uint32_t room, struct macs_log *log) {
    if (!port->ctl && !port->checked)
        return 0;
    while (port->handed_count < workers) {
        odp_queue_t queue = plain_queue("macs-handed", port->ctl ? MACS_CTL_IN_MAX : room);
        if (queue == ODP_QUEUE_INVALID)
            return port_error(port, log, "make a queue of");
        port->handed[port->handed_count++] = queue;
    }
    return 0;
}

bool macs_port_hand(struct macs_port *port, uint32_t worker, odp_packet_t packet) {
    atomic_fetch_add(&port->waiting, 1);
    const bool failed = odp_queue_enq(port->handed[worker], odp_packet_to_event(packet)) != 0;
    if (failed)
        atomic_fetch_sub(&port->waiting, 1);
    else
        atomic_fetch_add_explicit(&port->handed_over, 1, memory_order_relaxed);
    return failed;
}

int macs_port_take(struct macs_port *port, uint32_t worker, odp_packet_t packets[], int most) {
    odp_event_t events[MACS_BURST_MAX];
    const int count = odp_queue_deq_multi(port->handed[worker], events, most);
    if (count > 0)
        odp_packet_from_event_multi(packets, events, count);
    return count;
}

int macs_port_open(struct macs_port *port, const struct macs_port_option *option, odp_pool_t pool, unsigned workers,
                   struct macs_log *log) {
    port->name = option->name;
    port->number = option->number;
    port->ctl = !strcmp(option->name, "ctl:");
    port->pktio = ODP_PKTIO_INVALID;
    port->handed_count = 0;
    port->checked = false;
    atomic_init(&port->waiting, 0);
    atomic_init(&port->handed_over, 0);
    port->end_counter = port->broken_counter = -1;
    port->injected = 0;
    atomic_init(&port->finished, 0);
    int status = 0;
    if (port->ctl) {
        port->input_count = 0;
        atomic_init(&port->tx_max, UINT32_MAX);
        status = macs_port_share(port, 1, MACS_CTL_IN_MAX, log);
    } else {
        status = open_interface(port, pool, workers, log);
    }
    if (status)
        macs_port_close(port);
    return status;
}

int macs_port_start(struct macs_port *port, struct macs_log *log) {
    if (!port->ctl && odp_pktio_start(port->pktio))
        return port_error(port, log, "start");
    return 0;
}

void macs_port_follow(struct macs_port *port) {
    uint32_t longest = port->ctl ? 0 : odp_pktout_maxlen(port->pktio);
    if (longest) /* an interface that is away keeps its own */
        atomic_store_explicit(&port->tx_max, longest, memory_order_relaxed);
}

struct macs_port_losses macs_port_losses(const struct macs_port *port) {
    odp_pktio_stats_t stats;
    if (port->ctl || odp_pktio_stats(port->pktio, &stats))
        return (struct macs_port_losses){0, 0};
    return (struct macs_port_losses){stats.in_discards, stats.in_errors};
}

static uint64_t drain_queue(odp_queue_t queue) {
    odp_event_t event;
    uint64_t count = 0;
    for (; (event = odp_queue_deq(queue)) != ODP_EVENT_INVALID; count++)
        odp_event_free(event);
    return count;
}

static uint64_t close_interface(odp_pktio_t pktio, const odp_pktin_queue_t inputs[], unsigned count) {
    odp_packet_t packets[32];
    uint64_t left = 0;
    odp_pktio_stop(pktio);
    for (unsigned queue = 0; queue < count; queue++) {
        int received;
        for (; (received = odp_pktin_recv(inputs[queue], packets, 32)) > 0; left += (uint64_t)received)
            odp_packet_free_multi(packets, received);
    }
    odp_pktio_close(pktio);
    return left;
}

bool macs_port_is_up(const struct macs_port *port) {
    return !port->leaves && (port->ctl || odp_pktio_link_status(port->pktio) != ODP_PKTIO_LINK_STATUS_DOWN);
}

uint64_t macs_port_close(struct macs_port *port) {
    uint64_t left = 0;
    if (port->pktio != ODP_PKTIO_INVALID)
        left = close_interface(port->pktio, port->inputs, port->input_count);
    port->pktio = ODP_PKTIO_INVALID;
    while (port->handed_count) {
        odp_queue_t queue = port->handed[--port->handed_count];
        left += drain_queue(queue);
        odp_queue_destroy(queue);
    }
    return left;
}

int macs_ctl_out_open(struct macs_ctl_out *out, const char *name, struct macs_log *log) {
    atomic_init(&out->waiting, 0);
    out->queue = plain_queue(name, MACS_CTL_OUT_MAX);
    if (out->queue != ODP_QUEUE_INVALID)
        return 0;
    macs_log_write(log, "error: cannot make the output queue of the ctl: ports");
    return -ENOMEM;
}

void macs_ctl_out_close(struct macs_ctl_out *out) {
    if (out->queue == ODP_QUEUE_INVALID)
        return;
    drain_queue(out->queue);
    odp_queue_destroy(out->queue);
    out->queue = ODP_QUEUE_INVALID;
}

int macs_ctl_packet(struct macs_port *port, odp_pool_t pool, const uint8_t *frame, uint32_t length,
                    odp_packet_t *packet) {
    if (port->injected - atomic_load_explicit(&port->finished, memory_order_acquire) >= MACS_CTL_IN_MAX)
        return -EAGAIN;
    odp_pool_info_t info;
    if (odp_pool_info(pool, &info) || !length || length > info.params.pkt.len)
        return -EMSGSIZE;
    *packet = odp_packet_alloc(pool, length);
    if (*packet == ODP_PACKET_INVALID)
        return -EAGAIN;
    odp_packet_copy_from_mem(*packet, 0, length, frame); /* it has that length */
    return 0;
}

int macs_ctl_inject(struct macs_port *port, odp_packet_t packet, uint32_t worker) {
    if (odp_queue_enq(port->handed[worker], odp_packet_to_event(packet))) {
        odp_packet_free(packet);
        return -EAGAIN;
    }
    port->injected++;
    return 0;
}

int macs_ctl_send(struct macs_ctl_out *out, const odp_packet_t packets[], int count) {
    uint32_t before = atomic_fetch_add_explicit(&out->waiting, (uint32_t)count, memory_order_relaxed);
    int room = before < MACS_CTL_OUT_MAX ? (int)(MACS_CTL_OUT_MAX - before) : 0;
    int wanted = count < room ? count : room;
    int sent = 0;
    while (sent < wanted && !odp_queue_enq(out->queue, odp_packet_to_event(packets[sent])))
        sent++;
    atomic_fetch_sub_explicit(&out->waiting, (uint32_t)(count - sent), memory_order_relaxed);
    return sent;
}

odp_packet_t macs_ctl_collect(struct macs_ctl_out *out) {
    odp_event_t event = odp_queue_deq(out->queue);
    if (event == ODP_EVENT_INVALID)
        return ODP_PACKET_INVALID;
    atomic_fetch_sub_explicit(&out->waiting, 1, memory_order_relaxed);
    return odp_packet_from_event(event);
}
