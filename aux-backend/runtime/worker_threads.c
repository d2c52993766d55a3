#include "runtime/worker_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/loops.h"
#include "runtime/workers.h"

/* In which a worker comes to the end of a burst, with time to spare: before it is taken out of its loops, then without
 * them. */
#define LOOP_MS 500
#define STOP_SECONDS 5

int macs_workers_create(struct macs_switch *sw) {
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
    if (status)
        macs_log_write(&sw->log, "error: cannot make the workers: %s", strerror(-status));
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

static void join(struct macs_switch *sw, unsigned count) {
    struct timespec start;
    clock_gettime(CLOCK_REALTIME, &start);
    atomic_store(&sw->stopping, true);
    for (unsigned i = 0; i < count; i++)
        join_worker(sw, i, &start);
    macs_loops_ended(sw);
}

int macs_workers_start(struct macs_switch *sw) {
    for (unsigned i = 0; i < sw->worker_count; i++) {
        int status = -pthread_create(&sw->workers[i]->pthread, NULL, macs_worker_run, sw->workers[i]);
        if (!status) {
            status = await(sw->workers[i]);
            if (status)
                pthread_join(sw->workers[i]->pthread, NULL);
        }
        if (status) {
            join(sw, i);
            macs_log_write(&sw->log, "error: cannot start worker %u on CPU %d: %s", i, sw->workers[i]->cpu,
                           strerror(-status));
            return status;
        }
    }
    sw->running = true;
    return 0;
}

void macs_workers_join(struct macs_switch *sw) {
    join(sw, sw->worker_count);
    sw->running = false;
}

void macs_workers_destroy(struct macs_switch *sw) {
    for (unsigned i = 0; i < sw->worker_count; i++)
        macs_worker_destroy(sw->workers[i]);
    free(sw->workers);
    sw->workers = NULL;
    sw->worker_count = 0;
}
