#include "runtime/cloned.h"

#include <errno.h>
#include <time.h>

#include "runtime/parts.h"
#include "runtime/ports.h"

#define PAUSE_NS 20000

static bool any_waits(const struct macs_switch *sw) {
    for (unsigned i = 0; i < sw->worker_count; i++)
        if (macs_parts_has_packets(sw->workers[i]))
            return true;
    return false;
}

/* All that has been received is sent: a round of each worker for each part brings packets one ring further. */
static int flush(struct macs_switch *sw) {
    const uint64_t end_ns = macs_switch_now(sw) + MACS_PORTS_WAIT_NS;
    int status = macs_ports_tell(sw) ? -EBUSY : 0;
    for (unsigned part = 1; !status && !atomic_load(&sw->cloned) && part < sw->options.parts.count; part++) {
        while (any_waits(sw) && macs_switch_now(sw) < end_ns)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL); /* workers need the processor */
        if (any_waits(sw) || macs_ports_tell(sw))
            status = -EBUSY;
    }
    return status;
}

int macs_cloned_set(struct macs_switch *sw, bool cloned) {
    if (sw->options.parts.count < 2 || atomic_load(&sw->cloned) == cloned)
        return 0;
    sw->receives_nothing = true;
    const int status = sw->running ? flush(sw) : 0;
    if (!status)
        atomic_store(&sw->cloned, cloned);
    sw->receives_nothing = false;
    macs_ports_deal(sw);
    macs_ports_tell(sw);
    return status;
}
