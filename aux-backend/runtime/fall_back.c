#include "runtime/fall_back.h"

#include "runtime/adapt.h"
#include "runtime/cloned.h"
#include "runtime/window.h"

/* A window holds so many bursts of a worker, as packets are counted a burst at a time. It ends without them after that
 * time: nothing comes. */
#define BURSTS 16u
#define PATIENCE_NS UINT64_C(500000000)

static struct macs_trial_window counted_by(const struct macs_switch *sw) {
    const struct macs_received received = macs_received_so_far(sw);
    return (struct macs_trial_window){
        .packets = received.packets, .bursts = received.bursts, .wall_ns = macs_switch_now(sw)};
}

static void begin_window(struct macs_switch *sw) {
    const struct macs_trial_window now = counted_by(sw);
    sw->fall_back->begun_ns = now.wall_ns;
    sw->fall_back->packets = now.packets;
    sw->fall_back->bursts = now.bursts;
}

/* Where a worker hangs the trial is given up. */
static void place(struct macs_switch *sw, bool cloned) {
    struct macs_placement_trial *trial = &sw->fall_back->trial;
    if (macs_cloned_set(sw, cloned)) {
        macs_placement_trial_end(trial);
        trial->cloned = atomic_load(&sw->cloned);
    }
    macs_adapt_pause(sw, trial->trying);
    begin_window(sw);
}

void macs_fall_back_set(struct macs_switch *sw, bool on) {
    struct macs_fall_back *fall_back = sw->fall_back;
    if (sw->options.parts.count < 2)
        return;
    if (fall_back->on && !on && fall_back->trial.trying) {
        macs_placement_trial_end(&fall_back->trial);
        place(sw, fall_back->trial.cloned);
    }
    if (on && !fall_back->on) {
        macs_placement_trial_begin(&fall_back->trial, atomic_load(&sw->cloned));
        begin_window(sw);
    }
    fall_back->on = on;
}

int macs_fall_back_overrule(struct macs_switch *sw, bool cloned) {
    macs_fall_back_set(sw, false);
    macs_adapt_pause(sw, true);
    const int status = macs_cloned_set(sw, cloned);
    macs_adapt_pause(sw, false);
    return status;
}

int macs_fall_back_look(struct macs_switch *sw, int most) {
    struct macs_fall_back *fall_back = sw->fall_back;
    if (!fall_back->on || !sw->running)
        return most;
    if (macs_adapt_searches(sw)) { /* what is received differs for another reason */
        begin_window(sw);
        return most;
    }
    const uint64_t wanted_ns = macs_placement_trial_window_ns(&fall_back->trial);
    const uint64_t passed_ns = macs_switch_now(sw) - fall_back->begun_ns;
    if (passed_ns < wanted_ns)
        return macs_window_milliseconds(wanted_ns - passed_ns, most);
    const struct macs_trial_window now = counted_by(sw);
    struct macs_trial_window window = {.packets = now.packets - fall_back->packets,
                                       .bursts = now.bursts - fall_back->bursts,
                                       .wall_ns = now.wall_ns - fall_back->begun_ns};
    if (window.bursts < BURSTS && passed_ns < PATIENCE_NS)
        return macs_window_milliseconds(wanted_ns / 4, most);
    uint32_t sub_batch;
    macs_switch_get_batch(sw, &window.burst, &sub_batch);
    place(sw, macs_placement_trial_step(&fall_back->trial, &window));
    return macs_window_milliseconds(macs_placement_trial_window_ns(&fall_back->trial), most);
}
