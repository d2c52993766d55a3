#include "runtime/placement_trial.h"

#include <stdlib.h>
#include <string.h>

/* Of the time, what trials may cost; and how much of it may be saved up, which is there from the start. */
#define SHARE 0.005
#define CREDIT_NS 0.2e9

/* The other way is better by that share at least. */
#define BETTER 0.05

/* Less is received: by that share, in so many windows in a row. */
#define LESS 0.15
#define LESS_WINDOWS 2u

/* Trials without any other reason are that far apart; twice, four times as far behind those that changed nothing. */
#define SELDOM_NS UINT64_C(10000000000)
#define FRUITLESS_MAX 3u

/* Behind one in which the other way seemed better, but windows differed too much. */
#define AGAIN_NS UINT64_C(1000000000)

/* Bursts are full where they hold this share of B on average. */
#define FULL 0.875

static bool is_full(const struct macs_trial_window *window) {
    return window->bursts && (double)window->packets >= FULL * (double)window->bursts * window->burst;
}

static double rate_of(const struct macs_trial_window *window) {
    return (double)window->packets / (double)window->wall_ns;
}

static int ascending(const void *one, const void *other) {
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* The median of the windows, and what they differ by without the lowest and the highest. */
static double median(const double rates[MACS_TRIAL_TURNS], double *spread) {
    double sorted[MACS_TRIAL_TURNS];
    memcpy(sorted, rates, sizeof(sorted));
    qsort(sorted, MACS_TRIAL_TURNS, sizeof(double), ascending);
    *spread = sorted[MACS_TRIAL_TURNS - 2] - sorted[1];
    return (sorted[(MACS_TRIAL_TURNS - 1) / 2] + sorted[MACS_TRIAL_TURNS / 2]) / 2;
}

void macs_placement_trial_begin(struct macs_placement_trial *trial, bool cloned) {
    const struct macs_placement_trial before = *trial;
    *trial = (struct macs_placement_trial){.cloned = cloned,
                                           .credit_ns = before.trials ? before.credit_ns : CREDIT_NS,
                                           .lost_ns = before.lost_ns,
                                           .trials = before.trials,
                                           .changes = before.changes};
}

void macs_placement_trial_end(struct macs_placement_trial *trial) {
    trial->trying = false;
    trial->watched_ns = 0;
    trial->less = 0;
}

uint64_t macs_placement_trial_window_ns(const struct macs_placement_trial *trial) {
    return trial->trying ? MACS_TRIAL_TRY_NS : MACS_TRIAL_WATCH_NS;
}

/* 0, 1, 1, 0, 0, 1, 1, ...: what changes steadily meets both alike, and few windows begin with a change. */
static unsigned way(const struct macs_placement_trial *trial) {
    return (trial->turn + 1) / 2 % 2;
}

static void decide(struct macs_placement_trial *trial) {
    double spreads[2];
    const double holds = median(trial->rates[0], &spreads[0]), other = median(trial->rates[1], &spreads[1]);
    const double doubt = (spreads[0] > spreads[1] ? spreads[0] : spreads[1]) / 2, least = BETTER * holds;
    const bool better = other - holds > (least > doubt ? least : doubt);
    trial->trials++;
    trial->expected = better ? other : holds;
    const bool doubtful = !better && other - holds > least;
    if (better)
        trial->fruitless = 0;
    else if (!doubtful && trial->fruitless < FRUITLESS_MAX)
        trial->fruitless++;
    if (better) {
        trial->cloned = !trial->cloned;
        trial->changes++;
    }
    macs_placement_trial_end(trial);
    if (doubtful)
        trial->watched_ns = (SELDOM_NS << trial->fruitless) - AGAIN_NS;
}

static void try_step(struct macs_placement_trial *trial, const struct macs_trial_window *window) {
    const unsigned at = way(trial);
    if (!window->packets || (!at && !is_full(window))) { /* there is less to do than before */
        macs_placement_trial_end(trial);
        return;
    }
    const double rate = rate_of(window);
    if (rate < trial->expected) {
        const double lost = (double)window->wall_ns * (1 - rate / trial->expected);
        trial->credit_ns -= lost;
        trial->lost_ns += lost;
    }
    trial->rates[at][trial->counts[at]++] = rate;
    if (++trial->turn == 2 * MACS_TRIAL_TURNS)
        decide(trial);
}

static void watch_step(struct macs_placement_trial *trial, const struct macs_trial_window *window) {
    const double credit = trial->credit_ns + SHARE * (double)window->wall_ns;
    trial->credit_ns = credit < CREDIT_NS ? credit : CREDIT_NS;
    trial->watched_ns += window->wall_ns;
    if (!is_full(window)) {
        trial->less = 0;
        return;
    }
    trial->less = rate_of(window) < (1 - LESS) * trial->expected ? trial->less + 1 : 0;
    const bool asked =
        !trial->expected || trial->less >= LESS_WINDOWS || trial->watched_ns >= SELDOM_NS << trial->fruitless;
    if (!asked || trial->credit_ns <= 0)
        return;
    trial->trying = true;
    trial->turn = trial->counts[0] = trial->counts[1] = 0;
    trial->expected = rate_of(window);
}

bool macs_placement_trial_step(struct macs_placement_trial *trial, const struct macs_trial_window *window) {
    if (trial->trying)
        try_step(trial, window);
    else
        watch_step(trial, window);
    return trial->trying && way(trial) ? !trial->cloned : trial->cloned;
}
