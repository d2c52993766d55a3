#include "runtime/fronts.h"

#include "runtime/datapath.h"

/* The next front after worker `i`, NULL behind the last. */
static struct macs_thread *next_front(const struct macs_thread *thread, unsigned *i) {
    const struct macs_switch *sw = thread->sw;
    *i += sw->options.back_count;
    return *i < sw->worker_count ? sw->workers[*i] : NULL;
}

unsigned macs_fronts_take(struct macs_thread *thread) {
    unsigned at = thread->worker.index, taken = 0;
    for (struct macs_thread *front; (front = next_front(thread, &at));)
        taken += macs_datapath_take(thread, front->to_back);
    return taken;
}

bool macs_fronts_wait(const struct macs_thread *thread) {
    unsigned at = thread->worker.index;
    if (macs_is_back(thread))
        for (const struct macs_thread *front; (front = next_front(thread, &at));)
            if (!macs_handover_empty(front->to_back))
                return true;
    return false;
}

bool macs_fronts_ended(const struct macs_thread *thread) {
    unsigned at = thread->worker.index;
    for (struct macs_thread *front; (front = next_front(thread, &at));)
        if (!atomic_load(&front->status) && !macs_handover_ended(front->to_back))
            return false;
    return true;
}
