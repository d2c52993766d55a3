/* The trial of a placement, against rates that are made up: a line for each tenth of a second with what holds, the
 * trials, the changes, the shares of the time that trials have cost and that the better way would have gained, the
 * windows so far, and the milliseconds that trials may still cost.
 *
 * Usage: placement_trial CUT CLONED CUT_AFTER CLONED_AFTER NOISE FULL: rates before and behind the middle, how far they
 * vary in percent, and the share of B that bursts hold. Argument 7: tenths of seconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/placement_trial.h"

static double varied(double rate, double percent, unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return rate * (1 + percent / 100 * ((*seed >> 8) / 8388608.0 - 1));
}

int main(int argc, char **argv) {
    if (argc != 8)
        return 2;
    double number[7];
    for (int i = 0; i < 7; i++)
        number[i] = atof(argv[i + 1]);
    struct macs_placement_trial trial = {0};
    macs_placement_trial_begin(&trial, false);
    bool cloned = false;
    unsigned seed = 1;
    double now = 0, received = 0, best = 0;
    unsigned long long windows = 0;
    for (unsigned period = 1; period <= number[6]; period++) {
        while (now < period * 1e8) {
            const double *rates = period * 2 > number[6] ? &number[2] : &number[0];
            const uint64_t wall = macs_placement_trial_window_ns(&trial);
            const double rate = varied(rates[cloned], number[4], &seed), packets = rate * (double)wall;
            const struct macs_trial_window window = {.packets = (uint64_t)packets,
                                                     .bursts = (uint64_t)(packets / 32 / number[5]),
                                                     .wall_ns = wall,
                                                     .burst = 32};
            cloned = macs_placement_trial_step(&trial, &window);
            now += (double)wall;
            windows++;
            received += packets;
            best += (rates[0] > rates[1] ? rates[0] : rates[1]) * (double)wall;
        }
        printf("%d %llu %llu %.4f %.4f %llu %.0f\n", trial.cloned, (unsigned long long)trial.trials,
               (unsigned long long)trial.changes, trial.lost_ns / now, 1 - received / best, windows,
               trial.credit_ns / 1e6);
    }
    return 0;
}
