/* What watches a switch while packets flow: when a window of time ends, what is told of it, and what is done then. Who
 * decides stands here as a list of answers. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/adapt.h"
#include "runtime/cloned.h"
#include "runtime/fall_back.h"
#include "runtime/parts.h"
#include "runtime/stats.h"
#include "runtime/window.h"
#include "runtime/worker.h"

enum { MS = 1000000, MOST = 77, WORKERS = 3, BURSTS = 64, TRIAL_BURSTS = 16 };

static uint64_t clock_ns = 7, cpu_ns;
static struct macs_thread threads[WORKERS];
static struct macs_thread *workers[] = {&threads[0], &threads[1], &threads[2]};
static struct macs_adapt adapt;
static struct macs_fall_back fall_back;
static struct macs_switch sw = {
    .workers = workers, .worker_count = WORKERS, .port_count = 2, .adapt = &adapt, .fall_back = &fall_back};
static unsigned first_receiver;

uint64_t macs_odp_clock_ns(void) {
    return clock_ns;
}

uint64_t macs_stats_cpu_ns(const struct macs_switch *of) {
    (void)of;
    return cpu_ns;
}

unsigned macs_first_receiver(const struct macs_switch *of) {
    (void)of;
    return first_receiver;
}

/* Time goes by, in which the last worker receives so many bursts of 10 packets, a packet from each port less. */
static void go_by(uint64_t ns, uint64_t bursts) {
    clock_ns += ns;
    cpu_ns += 3 * ns / 4;
    macs_stats_add(&threads[2].stats.bursts, bursts);
    for (unsigned slot = 0; slot < 2; slot++)
        macs_stats_add(&threads[2].stats.ports[slot].rx_packets, 5 * bursts);
}

static bool has_batch(uint32_t burst, uint32_t sub_batch) {
    uint32_t is, is_sub;
    macs_switch_get_batch(&sw, &is, &is_sub);
    return is == burst && is_sub == sub_batch;
}

/* --- who decides ----------------------------------------------------------------------------------------------------
 */

static unsigned begins, steps;
static struct macs_batch_window told;
static struct macs_batch answer;

void macs_batch_search_begin(struct macs_batch_search *search, struct macs_batch now) {
    search->now = now;
    begins++;
}

uint64_t macs_batch_search_window_ns(const struct macs_batch_search *search) {
    return search->arm_count ? 8 * MS : 40 * MS;
}

struct macs_batch macs_batch_search_step(struct macs_batch_search *search, const struct macs_batch_window *window) {
    search->arm_count = 2;
    told = *window;
    steps++;
    return answer;
}

static struct macs_trial_window told_of_trial;
static bool other_way, trying;
static unsigned ends;

void macs_placement_trial_begin(struct macs_placement_trial *trial, bool cloned) {
    trial->cloned = cloned;
    begins++;
}

void macs_placement_trial_end(struct macs_placement_trial *trial) {
    trial->trying = false;
    ends++;
}

uint64_t macs_placement_trial_window_ns(const struct macs_placement_trial *trial) {
    return trial->trying ? 10 * MS : 100 * MS;
}

bool macs_placement_trial_step(struct macs_placement_trial *trial, const struct macs_trial_window *window) {
    told_of_trial = *window;
    trial->trying = trying;
    steps++;
    return other_way;
}

static int hangs;
static char set_to; /* 'c': cloned */

int macs_cloned_set(struct macs_switch *of, bool cloned) {
    set_to = cloned ? 'c' : 'p';
    if (!hangs)
        atomic_store(&of->cloned, cloned);
    return hangs;
}

/* --- windows --------------------------------------------------------------------------------------------------------
 */

static void check_windows(void) {
    assert(macs_window_milliseconds(0, 5) == 0 && macs_window_milliseconds(1, 5) == 1);
    assert(macs_window_milliseconds(4 * MS, 5) == 4 && macs_window_milliseconds(4 * MS + 1, 5) == 5);
    assert(macs_window_milliseconds(5 * MS + 1, 5) == 5 && macs_window_milliseconds(UINT64_MAX / 2, 5) == 5);
    for (unsigned i = 0; i < WORKERS; i++) {
        macs_stats_add(&threads[i].stats.bursts, 1u << i);
        macs_stats_add(&threads[i].stats.ports[0].rx_packets, 10u << i);
        macs_stats_add(&threads[i].stats.ports[1].rx_packets, 100u << i);
        macs_stats_add(&threads[i].stats.ports[2].rx_packets, 9); /* of a slot without a port */
    }
    for (first_receiver = 0; first_receiver < WORKERS; first_receiver++) {
        const unsigned receivers = 7u >> first_receiver << first_receiver;
        const struct macs_received received = macs_received_so_far(&sw);
        assert(received.bursts == receivers && received.packets == receivers * 110);
    }
    first_receiver = 0;
}

/* --- bursts ---------------------------------------------------------------------------------------------------------
 */

static void check_on_and_off(void) {
    assert(macs_switch_set_batch(&sw, 30, 3) == 0);
    assert(macs_adapt_look(&sw, MOST) == MOST && !macs_adapt_searches(&sw));
    macs_adapt_set(&sw, false);
    assert(has_batch(30, 3));
    macs_adapt_set(&sw, true);
    assert(begins == 1 && adapt.search.now.burst == 30 && adapt.search.now.sub_batch == 3);
    macs_adapt_set(&sw, true);
    assert(begins == 1 && !macs_adapt_searches(&sw));
    adapt.search.now = (struct macs_batch){20, 2};
    adapt.search.arm_count = 1;
    assert(macs_adapt_searches(&sw));
    macs_adapt_set(&sw, false); /* what is tried goes, what held stays */
    assert(has_batch(20, 2) && !macs_adapt_searches(&sw));
    assert(macs_switch_set_batch(&sw, 9, 9) == 0);
    macs_adapt_set(&sw, false);
    assert(has_batch(9, 9));
    adapt.search.arm_count = 0;
}

static void check_overruling(void) {
    macs_adapt_set(&sw, true);
    assert(macs_adapt_overrule(&sw, MACS_BURST_MAX + 1, 0) == -ERANGE && adapt.on);
    assert(macs_adapt_overrule(&sw, 0, MACS_BURST_MAX + 1) == -ERANGE && adapt.on && has_batch(9, 9));
    assert(macs_adapt_overrule(&sw, 0, 0) == 0 && adapt.on && has_batch(9, 9));
    adapt.search.now = (struct macs_batch){40, 8};
    assert(macs_adapt_overrule(&sw, 0, 5) == 0 && !adapt.on && has_batch(40, 5));
    assert(macs_adapt_overrule(&sw, MACS_BURST_MAX, 0) == 0 && has_batch(MACS_BURST_MAX, 5));
}

static void check_looks(void) {
    begins = steps = 0;
    go_by(5 * MS, 1000);
    macs_adapt_set(&sw, true);
    answer = (struct macs_batch){16, 4};
    assert(macs_adapt_look(&sw, MOST) == 40 && macs_adapt_look(&sw, 30) == 30);
    go_by(39 * MS + 1, BURSTS * WORKERS - 1);
    assert(macs_adapt_look(&sw, MOST) == 1 && !steps);
    go_by(MS, 0);
    assert(macs_adapt_look(&sw, MOST) == 10 && !steps); /* a burst is missing */
    go_by(MS, 1);
    assert(macs_adapt_look(&sw, MOST) == 8 && steps == 1 && has_batch(16, 4) && macs_adapt_searches(&sw));
    assert(told.bursts == BURSTS * WORKERS && told.packets == 10 * BURSTS * WORKERS);
    assert(told.wall_ns == 41 * MS + 1 && told.cpu_ns / 1000 == 41 * MS / 4000);
    answer = (struct macs_batch){8, 8};
    go_by(8 * MS - 1, 5000);
    assert(macs_adapt_look(&sw, MOST) == 1 && steps == 1);
    go_by(1, 0);
    assert(macs_adapt_look(&sw, MOST) == 8 && steps == 2 && told.bursts == 5000 && told.wall_ns == 8 * MS);
    go_by(499 * MS, 0); /* nothing comes */
    assert(macs_adapt_look(&sw, MOST) == 8 && steps == 2);
    go_by(MS, 0);
    assert(macs_adapt_look(&sw, MOST) == 8 && steps == 3 && told.bursts == 0 && told.wall_ns == 500 * MS);
    macs_adapt_pause(&sw, true);
    go_by(900 * MS, 5000);
    assert(macs_adapt_look(&sw, MOST) == MOST && steps == 3);
    macs_adapt_pause(&sw, true);
    macs_adapt_pause(&sw, false); /* what was in between does not count */
    assert(macs_adapt_look(&sw, MOST) == 8 && steps == 3);
    go_by(6 * MS, 200);
    macs_adapt_pause(&sw, false);
    go_by(2 * MS, 0);
    assert(macs_adapt_look(&sw, MOST) == 8 && steps == 4 && told.bursts == 200 && told.wall_ns == 8 * MS);
    macs_adapt_set(&sw, false);
    adapt.search.arm_count = 0;
}

/* --- placement ------------------------------------------------------------------------------------------------------
 */

static void check_placement(void) {
    begins = steps = ends = 0;
    sw.options.parts.count = 1;
    macs_fall_back_set(&sw, true); /* there is nothing to place */
    assert(!fall_back.on && !begins);
    sw.options.parts.count = 2;
    atomic_store(&sw.cloned, true);
    assert(macs_switch_set_batch(&sw, 24, 3) == 0);
    macs_fall_back_set(&sw, true);
    macs_fall_back_set(&sw, true);
    assert(fall_back.on && begins == 1 && fall_back.trial.cloned);
    go_by(100 * MS, 5000);
    assert(macs_fall_back_look(&sw, MOST) == MOST && !steps); /* it does not run yet */
    sw.running = true;
    adapt.on = true;
    adapt.search.arm_count = 2;
    assert(macs_fall_back_look(&sw, 5) == 5 && !steps); /* what is received differs for another reason */
    adapt.search.arm_count = 0;
    assert(macs_fall_back_look(&sw, 200) == 100 && !steps);
    go_by(100 * MS, TRIAL_BURSTS - 1);
    assert(macs_fall_back_look(&sw, MOST) == 25 && !steps);
    other_way = false, trying = true;
    go_by(1, 1);
    assert(macs_fall_back_look(&sw, MOST) == 10 && steps == 1 && set_to == 'p' && adapt.paused);
    assert(told_of_trial.bursts == TRIAL_BURSTS && told_of_trial.packets == 10 * TRIAL_BURSTS);
    assert(told_of_trial.wall_ns == 100 * MS + 1 && told_of_trial.burst == 24);
    go_by(499 * MS, 0);
    assert(macs_fall_back_look(&sw, MOST) == 3 && steps == 1);
    other_way = true, trying = false;
    go_by(MS, 2);
    assert(macs_fall_back_look(&sw, 200) == 100 && steps == 2 && set_to == 'c' && !adapt.paused);
    assert(told_of_trial.bursts == 2 && told_of_trial.wall_ns == 500 * MS);
    trying = true, other_way = false, hangs = -EBUSY; /* it is given up, and stays as it is */
    go_by(100 * MS, 50);
    fall_back.trial.cloned = false;
    assert(macs_fall_back_look(&sw, 200) == 100 && steps == 3 && ends == 1);
    assert(fall_back.trial.cloned && !fall_back.trial.trying && !adapt.paused);
    hangs = 0;
    go_by(100 * MS, 50);
    assert(macs_fall_back_look(&sw, MOST) == 10 && adapt.paused && set_to == 'p');
    macs_fall_back_set(&sw, false); /* what held stays */
    assert(!fall_back.on && ends == 2 && set_to == 'c' && !adapt.paused && macs_fall_back_look(&sw, 5) == 5);
    set_to = 0;
    macs_fall_back_set(&sw, false);
    macs_fall_back_set(&sw, true);
    macs_fall_back_set(&sw, false);
    assert(!set_to && ends == 2 && begins == 2);
    macs_fall_back_set(&sw, true);
    assert(macs_fall_back_overrule(&sw, false) == 0 && !fall_back.on && set_to == 'p' && !adapt.paused);
    hangs = -EBUSY;
    assert(macs_fall_back_overrule(&sw, true) == -EBUSY && !atomic_load(&sw.cloned) && !adapt.paused);
}

int main(void) {
    check_windows();
    check_on_and_off();
    check_overruling();
    check_looks();
    check_placement();
    puts("ok");
    return 0;
}
