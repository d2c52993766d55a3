#include "runtime/ports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/capture.h"
#include "runtime/files.h"
#include "runtime/parts.h"
#include "runtime/queues.h"
#include "runtime/stats.h"
#include "runtime/steering.h"
#include "runtime/worker.h"

/* Tell workers that ports have changed. */
static void tell_workers(struct macs_switch *sw) {
    atomic_store(&sw->ports_version, atomic_load(&sw->ports_version) + 1);
}

/* Wait until all workers know what they were told: DONE or BUSY. */
static enum macs_ports_status wait_for_workers(struct macs_switch *sw) {
    const uint32_t version = atomic_load(&sw->ports_version);
    const uint64_t end_ns = macs_switch_now(sw) + MACS_PORTS_WAIT_NS;
    for (unsigned i = 0; i < sw->worker_count && sw->running; i++)
        while (atomic_load_explicit(&sw->workers[i]->ports_version, memory_order_acquire) != version) {
            if (macs_switch_now(sw) > end_ns)
                return MACS_PORTS_BUSY;
            odp_time_wait_ns(20000);
        }
    return MACS_PORTS_DONE;
}

enum macs_ports_status macs_ports_tell(struct macs_switch *sw) {
    tell_workers(sw);
    return wait_for_workers(sw);
}

/* A slot without a port, or MACS_PORTS_MAX. */
static unsigned free_slot(const struct macs_switch *sw) {
    unsigned slot = 0;
    while (slot < sw->port_count && macs_port_is_there(&sw->ports[slot]))
        slot++;
    return slot;
}

/* Give each queue of a port to a worker: to each its own where there are as many, else to the one that polls the
 * fewest of the ports in slots before `end`. */
static void deal(const struct macs_switch *sw, struct macs_port *port, unsigned end) {
    const unsigned receivers = sw->options.worker_count - macs_first_receiver(sw);
    const unsigned count = port->ctl ? port->handed_count : port->input_count;
    unsigned polls[MACS_WORKERS_MAX] = {0};
    for (unsigned slot = 0; slot < end; slot++) {
        const struct macs_port *other = &sw->ports[slot];
        const unsigned queues = other->ctl ? other->handed_count : other->input_count;
        for (unsigned queue = 0; macs_port_is_there(other) && other != port && queue < queues; queue++)
            polls[other->poller[queue]]++;
    }
    for (unsigned queue = 0; queue < count; queue++) {
        unsigned least = 0;
        for (unsigned worker = 1; worker < receivers; worker++)
            least = polls[worker] < polls[least] ? worker : least;
        const unsigned poller = count == receivers ? queue : least;
        polls[poller]++;
        port->poller[queue] = (uint8_t)poller;
    }
}

void macs_ports_deal(struct macs_switch *sw) {
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        if (macs_port_is_there(&sw->ports[slot]))
            deal(sw, &sw->ports[slot], slot);
}

static int captures(struct macs_switch *sw, unsigned number, int status) {
    if (status)
        macs_log_write(&sw->log, "error: port %u: cannot write its captures to '%s': %s", number, sw->options.pcap,
                       strerror(-status));
    return status;
}

int macs_ports_start(struct macs_switch *sw, unsigned slot) {
    struct macs_port *port = &sw->ports[slot];
    const int status = sw->capture ? captures(sw, port->number, macs_capture_begin(sw->capture, slot)) : 0;
    return status || port->leaves ? status : macs_port_start(port, &sw->log);
}

static int open_port(struct macs_switch *sw, unsigned slot, uint16_t number, char *name) {
    struct macs_port *port = &sw->ports[slot];
    const struct macs_port_option option = {number, name};
    int status = macs_port_open(port, &option, sw->pool, sw->options.worker_count, &sw->log);
    if (!status) {
        status = macs_steering_add(sw, port);
        if (!status && sw->capture)
            status = captures(sw, number, macs_capture_open(sw->capture, slot, number, name));
        if (!status && sw->running)
            status = macs_files_apart() ? macs_ports_start(sw, slot) : -EINVAL;
        if (status && sw->capture)
            macs_capture_close(sw->capture, slot);
        if (status)
            macs_port_close(port);
    }
    if (status) {
        *port = (struct macs_port){0};
        return status;
    }
    deal(sw, port, sw->port_count);
    port->own_name = name;
    sw->has_ctl |= port->ctl;
    macs_stats_begin_port(sw, slot);
    if (sw->queues)
        macs_queues_begin_port(sw->queues, slot);
    sw->port_count = slot < sw->port_count ? sw->port_count : slot + 1;
    return 0;
}

/* The slot of a port of that number that workers may or may not send to any more, or MACS_PORTS_MAX. */
static unsigned slot_of(const struct macs_switch *sw, uint16_t number) {
    unsigned slot = 0;
    while (slot < sw->port_count && !(macs_port_is_there(&sw->ports[slot]) && sw->ports[slot].number == number))
        slot++;
    return slot < sw->port_count ? slot : MACS_PORTS_MAX;
}

/* Workers use it. Its first frames may go back to it: all can send there before one receives. */
static enum macs_ports_status arrive(struct macs_switch *sw, unsigned slot) {
    struct macs_port *port = &sw->ports[slot];
    port->comes = true;
    const enum macs_ports_status status = macs_ports_tell(sw);
    sw->slot_of[port->number] = (uint8_t)(slot + 1);
    port->comes = false;
    const enum macs_ports_status after = macs_ports_tell(sw);
    return status ? status : after;
}

enum macs_ports_status macs_ports_add(struct macs_switch *sw, uint16_t number, const char *name) {
    const unsigned slot = free_slot(sw);
    if (slot_of(sw, number) != MACS_PORTS_MAX)
        return MACS_PORTS_THERE;
    if (slot == MACS_PORTS_MAX)
        return MACS_PORTS_FULL;
    char *own = strdup(name);
    if (!own || open_port(sw, slot, number, own)) {
        free(own);
        return MACS_PORTS_NOT_OPENED;
    }
    return arrive(sw, slot);
}

/* Workers have done with it, and it stops. */
static enum macs_ports_status leave(struct macs_switch *sw, struct macs_port *port) {
    sw->slot_of[port->number] = 0;
    port->leaves = true;
    const enum macs_ports_status status = macs_ports_tell(sw);
    if (!status && sw->running)
        macs_port_stop(port);
    return status;
}

enum macs_ports_status macs_ports_remove(struct macs_switch *sw, uint16_t number) {
    const unsigned slot = slot_of(sw, number);
    if (slot == MACS_PORTS_MAX)
        return MACS_PORTS_NONE;
    struct macs_port *port = &sw->ports[slot];
    const enum macs_ports_status status = leave(sw, port);
    if (status)
        return status;
    macs_stats_end_port(sw, slot);
    sw->gone->missed += macs_port_close(port);
    if (sw->capture)
        macs_capture_close(sw->capture, slot);
    free(port->own_name);
    *port = (struct macs_port){0};
    return MACS_PORTS_DONE;
}

enum macs_ports_status macs_ports_down(struct macs_switch *sw, uint16_t number) {
    const unsigned slot = slot_of(sw, number);
    return slot == MACS_PORTS_MAX ? MACS_PORTS_NONE : leave(sw, &sw->ports[slot]);
}

enum macs_ports_status macs_ports_up(struct macs_switch *sw, uint16_t number) {
    const unsigned slot = slot_of(sw, number);
    if (slot == MACS_PORTS_MAX)
        return MACS_PORTS_NONE;
    struct macs_port *port = &sw->ports[slot];
    if (!port->leaves)
        return MACS_PORTS_DONE;
    if (sw->running && macs_port_start(port, &sw->log))
        return MACS_PORTS_NOT_OPENED;
    port->leaves = false;
    return arrive(sw, slot);
}
