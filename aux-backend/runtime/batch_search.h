/* The search for the pair (B, b) with which a packet costs the least CPU time, while packets flow.
 *
 * Time is cut into windows. In each one the workers run with one pair, and what they did is given to the search, which
 * answers with the pair of the next window. It *watches* the pair that holds, in long windows, and *searches* in short
 * ones by sequential halving: all pairs of a short list are measured, then the better half of them more often, and so
 * on; the last rival and the pair that holds are measured anew, in turn, and the rival takes its place only where it is
 * better by more than what these windows differ.
 *
 * It searches when bursts are full for the first time, when the cost of a packet has changed, and now and then. What
 * that costs is counted, and is at most 0.5 % of the CPU time in the long run. Where bursts are not full there is less
 * to do than the workers could do, and the pair stays: bursts are short by themselves then.
 *
 * It knows nothing of the switch: runtime/adapt.h connects them. Threads: one.
 */
#ifndef MACS_RUNTIME_BATCH_SEARCH_H
#define MACS_RUNTIME_BATCH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

struct macs_batch {
    uint32_t burst, sub_batch;
};

/* What all workers did in a window; the CPU time of one, on average. */
struct macs_batch_window {
    uint64_t packets, bursts, cpu_ns, wall_ns;
};

#define MACS_BATCH_ARMS 15u    /* pairs that are compared, at most */
#define MACS_BATCH_SAMPLES 16u /* windows of one pair that are kept */
#define MACS_BATCH_WATCH_NS UINT64_C(100000000)

struct macs_batch_arm {
    struct macs_batch batch;
    unsigned count;
    double ns[MACS_BATCH_SAMPLES]; /* of a packet, a window each */
};

struct macs_batch_search {
    bool begun;
    struct macs_batch now;      /* what holds */
    double expected_ns;         /* a packet with it; 0: not known yet */
    double credit_ns;           /* time that searches may cost */
    double lost_ns;             /* that they have cost so far */
    uint64_t searched_ns;       /* since the last one */
    int moved;                  /* windows in a row whose packets cost more, or less where negative */
    unsigned fruitless;         /* searches in a row that changed nothing, up to a limit */
    unsigned arm_count;         /* of the search; 0: it watches. The first one is what holds */
    unsigned round, turn, at;   /* of the search: turns of a round, arms of a turn */
    uint64_t searches, changes; /* ended; that changed what holds */
    struct macs_batch_arm arms[MACS_BATCH_ARMS];
};

/* Begin, or begin again, with a pair; all 0 before the first time. */
void macs_batch_search_begin(struct macs_batch_search *search, struct macs_batch now);

/* The pair for the next window, after one with the pair of the last answer. */
struct macs_batch macs_batch_search_step(struct macs_batch_search *search, const struct macs_batch_window *window);

/* How long the next window is, at least. */
uint64_t macs_batch_search_window_ns(const struct macs_batch_search *search);

#endif
