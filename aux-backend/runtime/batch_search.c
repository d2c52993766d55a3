#include "runtime/batch_search.h"

#include <stdlib.h>
#include <string.h>

/* Of the time, what searches may cost; and how much of it may be saved up, which is there from the start. */
#define SHARE 0.005
#define CREDIT_NS 0.1e9

/* A packet's cost has changed: by so much, in so many windows in a row. Twice or three times as much behind searches
 * that have changed nothing, as costs differ by themselves on a machine that does other work, too. */
#define MOVED 0.08
#define MOVED_WINDOWS 2
#define FRUITLESS_MAX 2u

/* A rival is better by that share at least. */
#define BETTER 0.02

/* Searches without any other reason are that far apart. */
#define SELDOM_NS UINT64_C(20000000000)

/* Bursts are full where they hold this share of B on average. */
#define FULL 0.875

/* What is compared, beside the pair that holds: of each B some b far apart, as those between differ little. */
static const struct macs_batch compared[] = {
    {16, 1},  {16, 16}, {32, 8},   {32, 32},   {128, 1},  {64, 4},   {64, 16},
    {64, 64}, {128, 4}, {128, 32}, {128, 128}, {256, 16}, {256, 64}, {256, 256},
};
#define COMPARED (sizeof(compared) / sizeof(compared[0]))
_Static_assert(COMPARED < MACS_BATCH_ARMS, "there is room for the pair that holds, too");

/* Of each round: turns, arms that are left behind it, and the length of a window. The last one decides between two; the
 * first is short, as it has the worst arms. */
static const struct {
    unsigned turns, left;
    uint64_t window_ns;
} rounds[] = {{1, 7, 2000000}, {2, 4, 4000000}, {4, 2, 8000000}, {8, 2, 8000000}};
#define ROUNDS (sizeof(rounds) / sizeof(rounds[0]))

static bool same(struct macs_batch one, struct macs_batch other) {
    return one.burst == other.burst && one.sub_batch == other.sub_batch;
}

static bool is_full(struct macs_batch batch, const struct macs_batch_window *window) {
    return window->bursts && (double)window->packets >= FULL * (double)window->bursts * batch.burst;
}

uint64_t macs_batch_search_window_ns(const struct macs_batch_search *search) {
    return search->arm_count ? rounds[search->round].window_ns : MACS_BATCH_WATCH_NS;
}

static double least(double one, double other) {
    return one < other ? one : other;
}

static double most(double one, double other) {
    return one > other ? one : other;
}

static int ascending(const void *one, const void *other) {
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double median(const struct macs_batch_arm *arm) {
    double sorted[MACS_BATCH_SAMPLES];
    memcpy(sorted, arm->ns, arm->count * sizeof(double));
    qsort(sorted, arm->count, sizeof(double), ascending);
    return (sorted[(arm->count - 1) / 2] + sorted[arm->count / 2]) / 2;
}

/* What the windows of an arm differ by, without the lowest and the highest. */
static double spread(const struct macs_batch_arm *arm) {
    double sorted[MACS_BATCH_SAMPLES];
    memcpy(sorted, arm->ns, arm->count * sizeof(double));
    qsort(sorted, arm->count, sizeof(double), ascending);
    return sorted[arm->count - 2] - sorted[1];
}

static int cheaper(const void *one, const void *other) {
    const double a = median(one), b = median(other);
    return (a > b) - (a < b);
}

/* The decision is by windows of its own, as what was chosen for being the best looks better than it is. */
static void begin_round(struct macs_batch_search *search) {
    search->turn = search->at = 0;
    for (unsigned i = 0; search->round == ROUNDS - 1 && i < search->arm_count; i++)
        search->arms[i].count = 0;
}

static void begin_search(struct macs_batch_search *search) {
    search->arm_count = 0;
    search->arms[search->arm_count++] = (struct macs_batch_arm){.batch = search->now};
    for (unsigned i = 0; i < COMPARED; i++)
        if (!same(compared[i], search->now))
            search->arms[search->arm_count++] = (struct macs_batch_arm){.batch = compared[i]};
    search->round = 0;
    begin_round(search);
}

static void watch_again(struct macs_batch_search *search) {
    search->arm_count = 0;
    search->searched_ns = 0;
    search->moved = 0;
}

void macs_batch_search_begin(struct macs_batch_search *search, struct macs_batch now) {
    if (!search->begun)
        search->credit_ns = CREDIT_NS;
    search->begun = true;
    search->now = now;
    search->expected_ns = 0;
    watch_again(search);
}

static void decide(struct macs_batch_search *search) {
    const struct macs_batch_arm *holds = &search->arms[0], *rival = &search->arms[1];
    const double before = median(holds), after = median(rival);
    const double doubt = most(spread(holds), spread(rival)) / 2;
    const bool better = before - after > most(BETTER * before, doubt);
    search->expected_ns = better ? after : before;
    search->searches++;
    search->fruitless = better ? 0 : search->fruitless < FRUITLESS_MAX ? search->fruitless + 1 : FRUITLESS_MAX;
    if (better) {
        search->now = rival->batch;
        search->changes++;
    }
    watch_again(search);
}

/* All arms of the round have been measured: the worse ones go, the one that holds stays. */
static void end_round(struct macs_batch_search *search) {
    if (search->round == ROUNDS - 1) {
        decide(search);
        return;
    }
    qsort(&search->arms[1], search->arm_count - 1, sizeof(struct macs_batch_arm), cheaper);
    search->arm_count = rounds[search->round].left;
    search->round++;
    begin_round(search);
}

/* Odd turns go backwards, so that what changes steadily meets all arms alike. */
static struct macs_batch_arm *current(struct macs_batch_search *search) {
    return &search->arms[search->turn % 2 ? search->arm_count - 1 - search->at : search->at];
}

/* What a window of a search has cost, beside one of what holds. */
static double loss(const struct macs_batch_search *search, double ns, uint64_t cpu_ns) {
    return ns > search->expected_ns ? (double)cpu_ns * (1 - search->expected_ns / ns) : 0;
}

static void search_step(struct macs_batch_search *search, const struct macs_batch_window *window) {
    struct macs_batch_arm *arm = current(search);
    const bool holds = arm == &search->arms[0];
    if (!window->packets || (holds && !is_full(arm->batch, window))) { /* there is less to do than before */
        watch_again(search);
        return;
    }
    const double ns = (double)window->cpu_ns / (double)window->packets;
    if (holds)
        search->expected_ns = ns;
    const double lost = loss(search, ns, window->cpu_ns);
    search->credit_ns -= lost;
    search->lost_ns += lost;
    arm->ns[arm->count++] = ns;
    if (++search->at < search->arm_count)
        return;
    search->at = 0;
    if (++search->turn == rounds[search->round].turns)
        end_round(search);
}

/* Whether the cost of a packet differs from what is expected, for long enough. */
static bool has_moved(struct macs_batch_search *search, double ns) {
    const double moved = MOVED * (1 + search->fruitless);
    if (ns > search->expected_ns * (1 + moved))
        search->moved = search->moved > 0 ? search->moved + 1 : 1;
    else if (ns < search->expected_ns * (1 - moved))
        search->moved = search->moved < 0 ? search->moved - 1 : -1;
    else
        search->moved = 0;
    return abs(search->moved) >= MOVED_WINDOWS;
}

static void watch_step(struct macs_batch_search *search, const struct macs_batch_window *window) {
    search->credit_ns = least(search->credit_ns + SHARE * (double)window->cpu_ns, CREDIT_NS);
    search->searched_ns += window->wall_ns;
    if (!is_full(search->now, window)) {
        search->moved = 0;
        return;
    }
    const bool moved = has_moved(search, (double)window->cpu_ns / (double)window->packets);
    const bool asked = !search->expected_ns || moved || search->searched_ns >= SELDOM_NS;
    if (asked && search->credit_ns > 0)
        begin_search(search);
}

struct macs_batch macs_batch_search_step(struct macs_batch_search *search, const struct macs_batch_window *window) {
    if (search->arm_count)
        search_step(search, window);
    else
        watch_step(search, window);
    return search->arm_count ? current(search)->batch : search->now;
}
