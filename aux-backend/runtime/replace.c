#include "runtime/replace.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/queues.h"
#include "runtime/switch_program.h"
#include "runtime/worker.h"
#include "runtime/worker_threads.h"

int macs_switch_prepare(struct macs_switch *sw, const struct macs_program *program) {
    const bool is_cut = program->ingress_back[0] != NULL, runs_cut = sw->program->ingress_back[0] != NULL;
    if (sw->steered || is_cut || runs_cut)
        return -ENOTSUP;
    const uint32_t segment = sw->room.segment;
    const bool too_far = program->parse_bytes > segment && sw->options.max_frame > segment;
    if (too_far || program->state_bytes > sw->room.state || program->grow_bytes > sw->room.headroom)
        return -E2BIG;
    int status = program->waited_at && !sw->queues ? macs_queues_create(&sw->queues, sw->options.priorities) : 0;
    if (status)
        return status;
    unsigned count;
    status = macs_switch_program_create(sw, program, &count);
    if (status)
        macs_switch_program_destroy(program, count);
    return status;
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

int macs_switch_swap(struct macs_switch *sw, const struct macs_program *program) {
    const struct macs_program *before = sw->program;
    struct macs_worker_stats *counted = calloc(sw->worker_count, sizeof(*counted));
    if (!counted)
        return -ENOMEM;
    macs_workers_join(sw);
    for (unsigned i = 0; i < sw->worker_count; i++)
        counted[i] = sw->workers[i]->stats;
    macs_workers_destroy(sw);
    macs_switch_program_destroy(before, sw->table_count);
    sw->program = program;
    sw->swaps++;
    sw->table_count = program->table_count;
    int status = renew_digests(sw);
    if (!status)
        status = macs_workers_create(sw);
    for (unsigned i = 0; i < sw->worker_count; i++)
        sw->workers[i]->stats = counted[i];
    free(counted);
    atomic_store(&sw->stopping, false);
    return status ? status : macs_workers_start(sw);
}
