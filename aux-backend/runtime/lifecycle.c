#include "runtime/lifecycle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/ages.h"
#include "runtime/capture.h"
#include "runtime/externs.h"
#include "runtime/loops.h"
#include "runtime/steering.h"
#include "runtime/workers.h"
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

/* In which a worker comes to the end of a burst, with time to spare: before it is taken out of its loops, then without
 * them. */
#define LOOP_MS 500
#define STOP_SECONDS 5

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
    uint32_t segment = program->parse_bytes > SEGMENT_MIN ? program->parse_bytes : SEGMENT_MIN;
    param.pkt.seg_len = at_most(segment, capability.pkt.max_seg_len);
    param.pkt.headroom =
        at_most(at_least(program->grow_bytes, sw->options.replaceable, GROW_ROOM), capability.pkt.max_headroom);
    param.pkt.uarea_size = at_most(at_least(program->state_bytes, sw->options.replaceable, STATE_ROOM), room);
    sw->room = (struct macs_room){param.pkt.uarea_size, param.pkt.seg_len, param.pkt.headroom};
    sw->pool = odp_pool_create("macs-packets", &param);
    return sw->pool == ODP_POOL_INVALID ? odp_failed(sw, "make the packet pool") : 0;
}

static uint32_t largest(uint32_t one, uint32_t other) {
    return one > other ? one : other;
}

/* What the table's entries need, should they time out: 0 or -ENOMEM. */
static int create_ages(struct macs_table *table) {
    if (table->desc->ages)
        table->ages = macs_ages_create(largest(table->desc->shape.size, table->desc->entry_count));
    return table->desc->ages && !table->ages ? -ENOMEM : 0;
}

/* `count` of the program's tables have been made then. */
static int create_tables(struct macs_switch *sw, const struct macs_program *program, unsigned *count) {
    for (*count = 0; *count < program->table_count; ++*count) {
        const struct macs_table_desc *desc = &program->table_descs[*count];
        struct macs_table *table = &program->tables[*count];
        int status = macs_table_init(table, desc, sw->qsbr);
        if (!status && (status = create_ages(table)))
            macs_table_close(table);
        if (status == -ENOSYS && desc->ops && macs_table_missing(desc->ops))
            macs_log_write(&sw->log, "error: table %s: its kernel %s has no operation '%s' (docs/extend/kernel.md)",
                           desc->name, desc->ops->name ? desc->ops->name : "", macs_table_missing(desc->ops));
        else if (status)
            macs_log_write(&sw->log, "error: cannot make table %s: %s", desc->name, strerror(-status));
        if (status)
            return status;
    }
    return 0;
}

static int start_target(struct macs_switch *sw) {
    const int status = sw->program->start ? sw->program->start() : 0;
    return status ? failed(sw, "start what the target has", status) : 0;
}

/* The files of a port that has been opened; it is closed where they cannot be written. */
static int start_capture(struct macs_switch *sw, unsigned slot) {
    struct macs_port *port = &sw->ports[slot];
    int status = macs_capture_open(sw->capture, slot, port->number, port->name);
    if (!status)
        return 0;
    macs_log_write(&sw->log, "error: port %u: cannot write its captures to '%s': %s", port->number, sw->options.pcap,
                   strerror(-status));
    macs_port_close(port);
    return status;
}

static int open_ports(struct macs_switch *sw) {
    int status = macs_ctl_out_open(&sw->ctl_out, "macs-ctl-out", &sw->log);
    if (!status)
        status = macs_ctl_out_open(&sw->ctl_pushed, "macs-ctl-pushed", &sw->log);
    while (!status && sw->port_count < sw->options.port_count) {
        const struct macs_port_option *option = &sw->options.ports[sw->port_count];
        status = macs_port_open(&sw->ports[sw->port_count], option, sw->pool, sw->options.worker_count, &sw->log);
        if (!status && sw->capture)
            status = start_capture(sw, sw->port_count);
        if (!status) {
            sw->has_ctl |= sw->ports[sw->port_count].ctl;
            sw->slot_of[option->number] = (uint8_t)++sw->port_count;
        }
    }
    return status ? status : macs_steering_begin(sw);
}

static int create_workers(struct macs_switch *sw) {
    sw->workers = calloc(sw->options.worker_count, sizeof(struct macs_thread *));
    int status = sw->workers ? 0 : -ENOMEM;
    while (!status && sw->worker_count < sw->options.worker_count) {
        status = macs_worker_create(&sw->workers[sw->worker_count], sw, sw->worker_count);
        if (!status)
            sw->worker_count++;
    }
    if (status == -ENOTSUP && sw->program->cipher) {
        macs_log_write(&sw->log,
                       "error: the program ciphers with AES-128 in CBC mode, which this ODP does not have: "
                       "libodp-dpdk gets it from a crypto device of DPDK, ODP_PLATFORM_PARAMS=\"... --vdev "
                       "crypto_openssl,max_nb_queue_pairs=512\" (Debian 12: apt install librte-crypto-openssl23)");
        return status;
    }
    return status ? failed(sw, "make the workers", status) : 0;
}

static int build(struct macs_switch *sw) {
    int status = start_odp(sw);
    if (status)
        return status;
    sw->start = odp_time_global();
    sw->gone = calloc(1, sizeof(*sw->gone));
    if (!sw->gone)
        return -ENOMEM;
    status = create_pool(sw);
    if (status)
        return status;
    if ((status = macs_qsbr_create(&sw->qsbr)) || (status = macs_multicast_create(&sw->multicast, sw->qsbr)) ||
        (status = macs_bell_open(&sw->bell)) ||
        (status = macs_digest_queue_init(&sw->digests, sw->program, &sw->bell)) ||
        (status = macs_externs_create(sw->program, sw->options.worker_count, &sw->digests, sw->qsbr)))
        return failed(sw, "make the switch", status);
    if (sw->program->waited_at && (status = macs_queues_create(&sw->queues, sw->options.priorities)))
        return failed(sw, "make queues", status);
    if (sw->options.pcap && (status = macs_capture_create(&sw->capture, sw->options.pcap)))
        return failed(sw, "capture", status);
    if ((status = create_tables(sw, sw->program, &sw->table_count)) || (status = start_target(sw)) ||
        (status = open_ports(sw)))
        return status;
    return create_workers(sw);
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
    macs_switch_set_batch(sw, options->burst, options->sub_batch);
    status = build(sw);
    if (status)
        macs_switch_destroy(sw);
    else
        *created = sw;
    return status;
}

/* Wait until the worker has begun or given up; returns its status. */
static int await(const struct macs_thread *thread) {
    int status;
    while ((status = atomic_load(&thread->status)) == 1)
        odp_time_wait_ns(10000);
    return status;
}

/* Whether the worker has ended before `start` plus that time. */
static bool ends_within(const struct macs_thread *thread, const struct timespec *start, long ms) {
    long ns = start->tv_nsec + ms % 1000 * 1000000l;
    struct timespec until = {.tv_sec = start->tv_sec + ms / 1000 + ns / 1000000000l, .tv_nsec = ns % 1000000000l};
    return !pthread_timedjoin_np(thread->pthread, NULL, &until);
}

/* A worker ends behind its burst: soon, or as soon as it is taken out of the program's loops. One that never gets there
 * holds packets and reads tables: nothing may be freed, and only the end of the process ends it. */
static void join_worker(struct macs_switch *sw, unsigned index, const struct timespec *start) {
    const struct macs_thread *thread = sw->workers[index];
    if (ends_within(thread, start, LOOP_MS))
        return;
    macs_loops_end(sw);
    if (ends_within(thread, start, STOP_SECONDS * 1000l))
        return;
    macs_log_drain(&sw->log);
    macs_log_write(
        &sw->log,
        "error: worker %u has been in the same burst for %d s; the switch is killed, and what it was about to "
        "send is lost",
        index, STOP_SECONDS);
    _exit(EXIT_FAILURE);
}

static void join_workers(struct macs_switch *sw, unsigned count) {
    struct timespec start;
    clock_gettime(CLOCK_REALTIME, &start);
    atomic_store(&sw->stopping, true);
    for (unsigned i = 0; i < count; i++)
        join_worker(sw, i, &start);
    macs_loops_ended(sw);
}

static int start_workers(struct macs_switch *sw) {
    for (unsigned i = 0; i < sw->worker_count; i++) {
        int status = -pthread_create(&sw->workers[i]->pthread, NULL, macs_worker_run, sw->workers[i]);
        if (!status) {
            status = await(sw->workers[i]);
            if (status)
                pthread_join(sw->workers[i]->pthread, NULL);
        }
        if (status) {
            join_workers(sw, i);
            macs_log_write(&sw->log, "error: cannot start worker %u on CPU %d: %s", i, sw->workers[i]->cpu,
                           strerror(-status));
            return status;
        }
    }
    sw->running = true;
    return 0;
}

int macs_switch_start(struct macs_switch *sw) {
    atomic_store(&sw->budget, sw->options.count);
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        int status = macs_port_is_there(&sw->ports[slot]) ? macs_port_start(&sw->ports[slot], &sw->log) : 0;
        if (status)
            return status;
    }
    return start_workers(sw);
}

/* --- another program ------------------------------------------------------------------------------------------------
 */

int macs_switch_prepare(struct macs_switch *sw, const struct macs_program *program) {
    const bool is_cut = program->ingress_back != NULL, runs_cut = sw->program->ingress_back != NULL;
    if (sw->queues || sw->steered || program->waited_at || is_cut || runs_cut)
        return -ENOTSUP;
    if (program->state_bytes > sw->room.state || program->parse_bytes > sw->room.segment ||
        program->grow_bytes > sw->room.headroom)
        return -E2BIG;
    int status = macs_externs_create(program, sw->options.worker_count, &sw->digests, sw->qsbr);
    unsigned count = 0;
    if (!status)
        status = create_tables(sw, program, &count);
    if (!status && program->start)
        status = program->start();
    if (status)
        macs_switch_discard(program, count);
    return status;
}

void macs_switch_discard(const struct macs_program *program, unsigned table_count) {
    while (table_count) {
        macs_table_close(&program->tables[--table_count]);
        macs_ages_destroy(program->tables[table_count].ages);
    }
    macs_externs_destroy(program);
}

/* The queue of digests is for the records of one program. */
static int renew_digests(struct macs_switch *sw) {
    const uint64_t sent = atomic_load(&sw->digests.sent), lost = atomic_load(&sw->digests.lost);
    macs_digest_queue_fini(&sw->digests);
    const int status = macs_digest_queue_init(&sw->digests, sw->program, &sw->bell);
    atomic_store(&sw->digests.sent, sent);
    atomic_store(&sw->digests.lost, lost);
    return status;
}

/* The workers have ended; what they have counted goes to `counted`. */
static void retire_workers(struct macs_switch *sw, struct macs_worker_stats *counted) {
    for (unsigned i = 0; i < sw->worker_count; i++) {
        counted[i] = sw->workers[i]->stats;
        macs_worker_destroy(sw->workers[i]);
    }
    free(sw->workers);
    sw->workers = NULL;
    sw->worker_count = 0;
}

int macs_switch_swap(struct macs_switch *sw, const struct macs_program *program) {
    const struct macs_program *before = sw->program;
    struct macs_worker_stats *counted = calloc(sw->worker_count, sizeof(*counted));
    if (!counted)
        return -ENOMEM;
    join_workers(sw, sw->worker_count);
    sw->running = false;
    retire_workers(sw, counted);
    macs_switch_discard(before, sw->table_count);
    sw->program = program;
    sw->table_count = program->table_count;
    int status = renew_digests(sw);
    if (!status)
        status = create_workers(sw);
    for (unsigned i = 0; i < sw->worker_count; i++)
        sw->workers[i]->stats = counted[i];
    free(counted);
    atomic_store(&sw->stopping, false);
    return status ? status : start_workers(sw);
}

void macs_switch_stop(struct macs_switch *sw) {
    if (!sw->running)
        return;
    join_workers(sw, sw->worker_count);
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        if (macs_port_is_there(&sw->ports[slot]))
            macs_port_stop(&sw->ports[slot]);
    sw->running = false;
    macs_log_drain(&sw->log);
}

static void stop_odp(struct macs_switch *sw) {
    if (sw->pool != ODP_POOL_INVALID && odp_pool_destroy(sw->pool))
        macs_log_write(&sw->log, "error: packets are missing from the pool");
    if (sw->odp_local)
        odp_term_local();
    if (sw->odp_global)
        odp_term_global(sw->instance);
}

void macs_switch_destroy(struct macs_switch *sw) {
    macs_switch_stop(sw);
    for (unsigned i = 0; i < sw->worker_count; i++)
        macs_worker_destroy(sw->workers[i]);
    free(sw->workers);
    while (sw->port_count) {
        struct macs_port *port = &sw->ports[--sw->port_count];
        if (macs_port_is_there(port))
            macs_port_close(port);
        free(port->own_name);
    }
    free(sw->gone);
    macs_capture_destroy(sw->capture);
    macs_ctl_out_close(&sw->ctl_out);
    macs_ctl_out_close(&sw->ctl_pushed);
    macs_bell_close(&sw->bell);
    macs_switch_discard(sw->program, sw->table_count);
    macs_queues_destroy(sw->queues);
    macs_digest_queue_fini(&sw->digests);
    macs_multicast_destroy(sw->multicast);
    macs_qsbr_destroy(sw->qsbr);
    stop_odp(sw);
    macs_log_close(&sw->log);
    free(sw);
}
