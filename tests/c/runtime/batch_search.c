/* The search for (B, b) against curves that are made up: what a packet costs by B and b, with noise.
 *
 *   batch_search CURVE AFTER PERIODS     each is small, large, mid, one or flat, with a number behind a colon as its
 * noise in per cent
 *
 * Prints a line for each period: what holds, how much more it costs than the best pair, searches, changes, what
 * searches have cost, windows so far. AFTER takes the place of CURVE behind half of the PERIODS, of 0.1 s each.
 */
#include "runtime/batch_search.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static double uniform(void) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* Nanoseconds a packet: what a burst costs is shared by B, what a lookup waits for by b, and what lies in caches by B.
 */
struct curve {
    const char *name;
    double packet, burst, wait, crowd, load; /* load: packets of a burst at most; 0: as many as wanted */
};

static const struct curve curves[] = {
    {"small", 8, 30, 2, 0, 0},  {"large", 8, 30, 400, 0.004, 0}, {"mid", 20, 100, 60, 0.08, 0},
    {"one", 30, 0, -2, 0.2, 0}, {"flat", 20, 0, 0, 0, 0},        {"light", 8, 30, 400, 0.004, 5},
};

static const struct curve *find(const char *name) {
    for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
        if (!strncmp(curves[i].name, name, strlen(curves[i].name)))
            return &curves[i];
    fprintf(stderr, "no curve %s\n", name);
    exit(2);
}

static double cost(const struct curve *curve, struct macs_batch batch) {
    const double burst = curve->load ? curve->load : batch.burst;
    return curve->packet + curve->burst / burst + curve->wait / batch.sub_batch + curve->crowd * batch.burst;
}

static double noise_of(const char *name) {
    const char *colon = strchr(name, ':');
    return colon ? strtod(colon + 1, NULL) / 100 : 0;
}

/* The sum of twelve is nearly normal. */
static double noisy(double value, double noise) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return value * (1 + noise * sum);
}

static double least(const struct curve *curve) {
    double found = INFINITY;
    for (uint32_t burst = 16; burst <= 256; burst *= 2)
        for (uint32_t sub_batch = 1; sub_batch <= burst; sub_batch *= 2)
            found = fmin(found, cost(curve, (struct macs_batch){burst, sub_batch}));
    return found;
}

int main(int argc, char **argv) {
    static struct macs_batch_search search;
    struct macs_batch batch = {64, 64};
    double lost = 0, all = 0;
    if (argc < 4)
        return 2;
    const uint64_t periods = strtoull(argv[3], NULL, 10);
    macs_batch_search_begin(&search, batch);
    uint64_t now = 0, windows = 0;
    for (uint64_t period = 1; period <= periods;) {
        const char *name = period > periods / 2 ? argv[2] : argv[1];
        const struct curve *curve = find(name);
        const uint64_t wall = macs_batch_search_window_ns(&search);
        const double here = noisy(cost(curve, batch), noise_of(name));
        const double burst = curve->load ? curve->load : batch.burst;
        const struct macs_batch_window window = {.packets = (uint64_t)((double)wall / here),
                                                 .bursts = (uint64_t)((double)wall / here / burst),
                                                 .cpu_ns = wall,
                                                 .wall_ns = wall};
        const double held = cost(curve, search.now);
        lost += (double)wall * fmax(0, 1 - held / cost(curve, batch));
        all += (double)wall;
        batch = macs_batch_search_step(&search, &window);
        now += wall;
        windows++;
        if (now < period * MACS_BATCH_WATCH_NS)
            continue;
        period++;
        printf("%" PRIu32 " %" PRIu32 " %.4f %" PRIu64 " %" PRIu64 " %.4f %" PRIu64 " %.0f\n", search.now.burst,
               search.now.sub_batch, cost(curve, search.now) / least(curve) - 1, search.searches, search.changes,
               lost / all, windows, search.credit_ns / 1e6);
    }
    return 0;
}
