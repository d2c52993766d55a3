#include "runtime/adapt.h"

#include <errno.h>

#include "runtime/stats.h"
#include "runtime/window.h"
#include "runtime/worker.h"

/* A window holds so many bursts of a worker, as packets are counted a burst at a time, and as the system may have taken
 * the workers from their CPUs for a while. It ends without them after that time: nothing comes. */
#define BURSTS 64u
#define PATIENCE_NS UINT64_C(500000000)

static struct macs_batch_window counted_by(const struct macs_switch *sw) {
    const struct macs_received received = macs_received_so_far(sw);
    return (struct macs_batch_window){.packets = received.packets,
                                      .bursts = received.bursts,
                                      .cpu_ns = macs_stats_cpu_ns(sw),
                                      .wall_ns = macs_switch_now(sw)};
}

static void begin_window(struct macs_adapt *adapt, const struct macs_batch_window *now) {
    adapt->begun_ns = now->wall_ns;
    adapt->cpu_ns = now->cpu_ns;
    adapt->packets = now->packets;
    adapt->bursts = now->bursts;
}

void macs_adapt_set(struct macs_switch *sw, bool on) {
    struct macs_adapt *adapt = sw->adapt;
    if (adapt->on && !on)
        macs_switch_set_batch(sw, adapt->search.now.burst, adapt->search.now.sub_batch);
    if (on && !adapt->on) {
        const struct macs_batch_window now = counted_by(sw);
        struct macs_batch batch;
        macs_switch_get_batch(sw, &batch.burst, &batch.sub_batch);
        macs_batch_search_begin(&adapt->search, batch);
        begin_window(adapt, &now);
    }
    adapt->on = on;
}

bool macs_adapt_searches(const struct macs_switch *sw) {
    return sw->adapt->on && sw->adapt->search.arm_count;
}

void macs_adapt_pause(struct macs_switch *sw, bool paused) {
    if (!paused && sw->adapt->paused) {
        const struct macs_batch_window now = counted_by(sw);
        begin_window(sw->adapt, &now);
    }
    sw->adapt->paused = paused;
}

int macs_adapt_overrule(struct macs_switch *sw, uint32_t burst, uint32_t sub_batch) {
    if (burst > MACS_BURST_MAX || sub_batch > MACS_BURST_MAX)
        return -ERANGE;
    if (burst || sub_batch)
        macs_adapt_set(sw, false); /* first: what is left as it is, is what was chosen */
    return macs_switch_set_batch(sw, burst, sub_batch);
}

int macs_adapt_look(struct macs_switch *sw, int most) {
    struct macs_adapt *adapt = sw->adapt;
    if (!adapt->on || adapt->paused)
        return most;
    const uint64_t wanted_ns = macs_batch_search_window_ns(&adapt->search);
    const uint64_t passed_ns = macs_switch_now(sw) - adapt->begun_ns;
    if (passed_ns < wanted_ns)
        return macs_window_milliseconds(wanted_ns - passed_ns, most);
    const struct macs_batch_window now = counted_by(sw);
    const struct macs_batch_window window = {.packets = now.packets - adapt->packets,
                                             .bursts = now.bursts - adapt->bursts,
                                             .cpu_ns = (now.cpu_ns - adapt->cpu_ns) / sw->worker_count,
                                             .wall_ns = now.wall_ns - adapt->begun_ns};
    if (window.bursts < (uint64_t)BURSTS * sw->worker_count && passed_ns < PATIENCE_NS)
        return macs_window_milliseconds(window.bursts ? wanted_ns / 4 : wanted_ns, most);
    const struct macs_batch next = macs_batch_search_step(&adapt->search, &window);
    macs_switch_set_batch(sw, next.burst, next.sub_batch);
    begin_window(adapt, &now);
    return macs_window_milliseconds(macs_batch_search_window_ns(&adapt->search), most);
}
