#include "runtime/lifecycle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/adapt.h"
#include "runtime/fall_back.h"
#include "runtime/capture.h"
#include "runtime/ports.h"
#include "runtime/switch_program.h"
#include "runtime/trace.h"
#include "runtime/steering.h"
#include "runtime/worker_threads.h"
#include "runtime/odp_log.h"
#include "runtime/queues.h"
#include "runtime/stats.h"
#include "tables/common/memory.h"
#include "runtime/shown.h"

/* Bytes of a packet's first segment at least, so that usual frames are in one piece. */
#define SEGMENT_MIN 2048u

/* What packets have room for, where other programs may follow: bytes of a program's state, and that its deparser adds.
 */
#define STATE_ROOM 2048u
#define GROW_ROOM 256u

static int failed(struct macs_switch *sw, const char *what, int status) {
    macs_log_write(&sw->log, "error: cannot %s: %s", what, strerror(-status));
    return status;
}

static int odp_failed(struct macs_switch *sw, const char *what) {
    macs_log_write(&sw->log, "error: cannot %s: %s", what, macs_odp_reason(odp_errno()));
    return -EIO;
}

static int start_odp(struct macs_switch *sw) {
    odp_init_t param;
    odp_init_param_init(&param);
    param.log_fn = macs_odp_says;
    param.num_worker = (int)sw->options.worker_count;
    param.num_control = 1;
    if (odp_init_global(&sw->instance, &param, NULL))
        return odp_failed(sw, "start ODP");
    sw->odp_global = true;
    if (odp_init_local(sw->instance, ODP_THREAD_CONTROL))
        return odp_failed(sw, "start ODP's control thread");
    sw->odp_local = true;
    return 0;
}

static uint32_t at_most(uint32_t value, uint32_t limit) {
    return limit && value > limit ? limit : value;
}

static uint32_t at_least(uint32_t value, bool more, uint32_t limit) {
    return more && value < limit ? limit : value;
}

/* Packets with room for the program's state in front and for the headers that its deparser may add. */
static int create_pool(struct macs_switch *sw) {
    odp_pool_capability_t capability;
    if (odp_pool_capability(&capability))
        return failed(sw, "ask for packet pools", -EIO);
    const struct macs_program *program = sw->program;
    const uint32_t room = capability.pkt.max_uarea_size;
    if (room && program->state_bytes > room) {
        macs_log_write(&sw->log, "error: the program keeps %u bytes with each packet, and this ODP has room for %u",
                       (unsigned)program->state_bytes, (unsigned)room);
        return -E2BIG;
    }
    odp_pool_param_t param;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = at_most(sw->options.buffers, capability.pkt.max_num);
    param.pkt.len = at_most(sw->options.max_frame, capability.pkt.max_len);
    const uint32_t parsed = sw->options.replaceable ? UINT32_MAX : program->parse_bytes; /* by whoever may follow */
    const uint32_t segment = at_most(parsed, sw->options.max_frame);
    param.pkt.seg_len = at_most(segment > SEGMENT_MIN ? segment : SEGMENT_MIN, capability.pkt.max_seg_len);
    param.pkt.headroom =
        at_most(at_least(program->grow_bytes, sw->options.replaceable, GROW_ROOM), capability.pkt.max_headroom);
    param.pkt.uarea_size = at_most(at_least(program->state_bytes, sw->options.replaceable, STATE_ROOM), room);
    const bool in_one_piece = capability.pkt.max_segs_per_pkt == 1;
    sw->room =
        (struct macs_room){param.pkt.uarea_size, in_one_piece ? UINT32_MAX : param.pkt.seg_len, param.pkt.headroom};
    sw->pool = odp_pool_create("macs-packets", &param);
    return sw->pool == ODP_POOL_INVALID ? odp_failed(sw, "make the packet pool") : 0;
}

static int open_ports(struct macs_switch *sw) {
    int status = macs_ctl_out_open(&sw->ctl_out, "macs-ctl-out", &sw->log);
    if (!status)
        status = macs_ctl_out_open(&sw->ctl_pushed, "macs-ctl-pushed", &sw->log);
    for (unsigned i = 0; !status && i < sw->options.port_count; i++) {
        const struct macs_port_option *option = &sw->options.ports[i];
        status = macs_ports_add(sw, option->number, option->name) == MACS_PORTS_DONE ? 0 : -EIO;
    }
    return status ? status : macs_steering_begin(sw);
}

static int build(struct macs_switch *sw) {
    int status = start_odp(sw);
    if (status)
        return status;
    sw->start = odp_time_global();
    sw->gone = calloc(1, sizeof(*sw->gone));
    sw->adapt = calloc(1, sizeof(*sw->adapt));
    sw->fall_back = calloc(1, sizeof(*sw->fall_back));
    if (!sw->gone || !sw->adapt || !sw->fall_back)
        return -ENOMEM;
    status = create_pool(sw);
    if (status)
        return status;
    if ((status = macs_qsbr_create(&sw->qsbr)) || (status = macs_multicast_create(&sw->multicast, sw->qsbr)) ||
        (status = macs_bell_open(&sw->bell)) || (status = macs_digest_queue_init(&sw->digests, sw->program, &sw->bell)))
        return failed(sw, "make the switch", status);
    if (sw->program->waited_at && (status = macs_queues_create(&sw->queues, sw->options.priorities)))
        return failed(sw, "make queues", status);
    if (sw->options.pcap && (status = macs_capture_create(&sw->capture, sw->options.pcap)))
        return failed(sw, "capture", status);
    atomic_store(&sw->watched, sw->capture != NULL);
    if ((status = macs_switch_program_create(sw, sw->program, &sw->table_count)) || (status = open_ports(sw)))
        return status;
    return macs_workers_create(sw);
}

int macs_switch_create(struct macs_switch **created, const struct macs_program *program,
                       const struct macs_options *options) {
    struct macs_switch *sw = calloc(1, sizeof(*sw));
    if (!sw)
        return -ENOMEM;
    sw->program = program;
    sw->options = *options;
    sw->pool = ODP_POOL_INVALID;
    sw->ctl_out.queue = sw->ctl_pushed.queue = ODP_QUEUE_INVALID;
    sw->bell.heard = -1;
    if (program->avoids_huge_pages)
        macs_memory_avoid_huge_pages();
    int status = macs_log_open(&sw->log, options->log);
    if (status) {
        macs_tell(stderr, "error: cannot open the log '%s': %s\n", options->log, strerror(-status));
        free(sw);
        return status;
    }
    for (uint32_t port = 0; port <= UINT16_MAX; port++)
        sw->directions[port] = options->hosts[port / 64] >> port % 64 & 1;
    macs_switch_set_batch(sw, options->burst, options->sub_batch);
    status = build(sw);
    if (status)
        macs_switch_destroy(sw);
    else
        *created = sw;
    return status;
}

int macs_switch_start(struct macs_switch *sw) {
    atomic_store(&sw->budget, sw->options.count);
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        int status = macs_port_is_there(&sw->ports[slot]) ? macs_ports_start(sw, slot) : 0;
        if (status)
            return status;
    }
    return macs_workers_start(sw);
}

void macs_switch_stop(struct macs_switch *sw) {
    if (!sw->running)
        return;
    macs_workers_join(sw);
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        if (macs_port_is_there(&sw->ports[slot]))
            macs_port_stop(&sw->ports[slot]);
    sw->running = false;
    macs_log_drain(&sw->log);
}

static bool stop_odp(struct macs_switch *sw) {
    const bool whole = sw->pool == ODP_POOL_INVALID || !odp_pool_destroy(sw->pool);
    if (!whole)
        macs_log_write(&sw->log, "error: packets are missing from the pool");
    if (sw->odp_local)
        odp_term_local();
    if (sw->odp_global)
        odp_term_global(sw->instance);
    return whole;
}

bool macs_switch_destroy(struct macs_switch *sw) {
    macs_switch_stop(sw);
    macs_workers_destroy(sw);
    macs_trace_stop(sw);
    while (sw->port_count) {
        struct macs_port *port = &sw->ports[--sw->port_count];
        if (macs_port_is_there(port))
            macs_port_close(port);
        free(port->own_name);
    }
    free(sw->gone);
    free(sw->adapt);
    free(sw->fall_back);
    macs_capture_destroy(sw->capture);
    macs_ctl_out_close(&sw->ctl_out);
    macs_ctl_out_close(&sw->ctl_pushed);
    macs_bell_close(&sw->bell);
    macs_switch_program_destroy(sw->program, sw->table_count);
    macs_queues_destroy(sw->queues);
    macs_digest_queue_fini(&sw->digests);
    macs_multicast_destroy(sw->multicast);
    macs_qsbr_destroy(sw->qsbr);
    const bool whole = stop_odp(sw);
    macs_log_close(&sw->log);
    free(sw);
    return whole;
}
