#include "runtime/loops.h"

#include "runtime/worker.h"

/* The control thread asks no more often, as an answer costs the worker a cache line. */
#define LOOK_NS UINT64_C(50000000)

/* Rounds of loops that are allowed for a burst when the switch ends: enough for all loops that end. */
#define LAST_ROUNDS 65536u

bool macs_loop_tell(struct macs_worker *worker, const char *place) {
    struct macs_thread *thread = macs_thread_of(worker);
    uint64_t burst = atomic_load_explicit(&thread->stats.bursts, memory_order_relaxed);
    atomic_store_explicit(&thread->loop.told_in, burst, memory_order_relaxed);
    atomic_store_explicit(&thread->loop.told, place, memory_order_release);
    uint8_t tell = MACS_TELL;
    if (atomic_compare_exchange_strong(&worker->loop_request, &tell, MACS_GO_ON))
        return false;
    if (tell != MACS_END || ++thread->loop.rounds < LAST_ROUNDS)
        return false;
    thread->loop.rounds = 0;
    return true;
}

static void request_place(struct macs_thread *thread) {
    uint8_t nothing = MACS_GO_ON;
    if (atomic_load_explicit(&thread->worker.loop_request, memory_order_relaxed) == MACS_GO_ON)
        atomic_compare_exchange_strong(&thread->worker.loop_request, &nothing, MACS_TELL);
}

/* Read the worker's answer. It is ignored if it belongs to an earlier burst. */
static void listen(struct macs_thread *thread, uint64_t now) {
    struct macs_loop *loop = &thread->loop;
    const char *told = atomic_exchange_explicit(&loop->told, NULL, memory_order_acquire);
    uint64_t told_in = atomic_load_explicit(&loop->told_in, memory_order_relaxed);
    uint64_t burst = atomic_load_explicit(&thread->stats.bursts, memory_order_relaxed);
    if (loop->since_ns && loop->burst != burst)
        loop->since_ns = 0;
    if (!told || told_in != burst)
        return;
    if (!loop->since_ns)
        loop->since_ns = now;
    loop->burst = burst;
    loop->at = told;
}

static void judge(struct macs_switch *sw, unsigned index, uint64_t now) {
    struct macs_loop *loop = &sw->workers[index]->loop;
    if (!loop->since_ns || now - loop->since_ns < MACS_STUCK_NS)
        return;
    bool begins = loop->stuck_since_ns != loop->since_ns;
    loop->stuck_since_ns = loop->since_ns;
    loop->stuck_at = loop->at;
    loop->stuck_ns = now - loop->since_ns;
    if (begins)
        macs_log_write(&sw->log, "warning: worker %u has been in the same burst for %.1f s, in a loop at %s", index,
                       (double)loop->stuck_ns / 1e9, loop->at);
}

void macs_loops_watch(struct macs_switch *sw) {
    uint64_t now = macs_switch_now(sw);
    if (now - sw->loops_ns < LOOK_NS)
        return;
    sw->loops_ns = now;
    for (unsigned i = 0; i < sw->worker_count; i++) {
        listen(sw->workers[i], now);
        judge(sw, i, now);
        request_place(sw->workers[i]);
    }
}

void macs_loops_end(struct macs_switch *sw) {
    for (unsigned i = 0; i < sw->worker_count; i++)
        atomic_store(&sw->workers[i]->worker.loop_request, MACS_END);
}

void macs_loops_ended(struct macs_switch *sw) {
    for (unsigned i = 0; i < sw->worker_count; i++) {
        struct macs_loop *loop = &sw->workers[i]->loop;
        const char *told = atomic_load(&loop->told);
        loop->since_ns = 0;
        if (told && atomic_load(&sw->workers[i]->worker.loop_request) == MACS_END)
            macs_log_write(&sw->log, "warning: worker %u was in a loop at %s when the switch ended", i, told);
    }
}

const struct macs_loop *macs_loops_stuck(const struct macs_switch *sw, unsigned *worker) {
    for (*worker = 0; *worker < sw->worker_count; ++*worker)
        if (macs_loop_is_stuck(&sw->workers[*worker]->loop))
            return &sw->workers[*worker]->loop;
    return NULL;
}
