#include "runtime/rest.h"

#include <errno.h>
#include <macs/qsbr.h>
#include <time.h>

#include "runtime/datapath.h"
#include "runtime/parts.h"

#define PAUSE_NS 20000l
#define PATIENCE_NS UINT64_C(1000000000)

static void pause_for_a_while(void) {
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    nanosleep(&pause, NULL);
}

void macs_rest_wait_ends(struct macs_thread *thread) {
    atomic_store(&thread->resting, false);
    while (atomic_load(&thread->sw->rest) && !macs_parts_has_packets(thread)) {
        atomic_store(&thread->resting, true);
        while (atomic_load(&thread->sw->rest) && !atomic_load(&thread->sw->stopping) && !macs_parts_has_packets(thread))
            pause_for_a_while();
        atomic_store(&thread->resting, false);
        if (atomic_load(&thread->sw->stopping))
            return;
    }
}

void macs_rest(struct macs_thread *thread) {
    macs_datapath_drain(thread);
    macs_qsbr_offline(thread->reader);
    macs_rest_wait_begins(thread);
    macs_rest_wait_ends(thread);
    macs_qsbr_online(thread->sw->qsbr, thread->reader);
}

int macs_rest_begin(struct macs_switch *sw) {
    const uint64_t begin = macs_switch_now(sw);
    atomic_store(&sw->rest, true);
    for (unsigned i = sw->worker_count;
         i-- > 0;) { /* the first part before the others: these are through when it brings no more */
        while (macs_parts_has_packets(sw->workers[i]) || !atomic_load(&sw->workers[i]->resting)) {
            if (macs_switch_now(sw) - begin > PATIENCE_NS) {
                macs_rest_end(sw);
                return -EBUSY;
            }
            pause_for_a_while();
        }
    }
    return 0;
}

void macs_rest_end(struct macs_switch *sw) {
    atomic_store(&sw->rest, false);
}
