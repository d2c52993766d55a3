/* A run-length code of an array of 32-bit entries, small enough for a core's caches. Lookups in lpm_dir24 begin here.
 *
 * Neighbouring entries are mostly equal. So 32 entries are one *word*. It has a bit for each entry that begins a run of
 * equal ones (except the first, whose bit is 0), and the position of the runs' *leaves*, which are 16 bits each.
 * A leaf is the number of a result + 1, or 0 for none, or MACS_LPM_RUNS_ELSEWHERE: then the array itself has the
 * answer. Where the entries have at most two different leaves, the word holds these two, and a bit for each entry that
 * has the first one. The first entry's bit is 1 then, which tells such words from others. The leaves 0 … 65,535 of the
 * array of leaves are their own numbers, so that lookups do the same for both kinds of word.
 * Invariants: a word changes by one atomic store, after its leaves are written. A word may have more runs than
 * necessary, but not fewer. Where the runs stay the same, leaves change in place by one atomic store each. Else they
 * are written anew, and the old ones are freed after a grace period. Without memory a word's leaves are all ELSEWHERE.
 * Threads: macs_lpm_runs_find and _leaf by any; all else by the one writer.
 * Cost: lookup one line out of some MB, a second one where a word has three or more leaves. Memory 8 bytes for 32
 * entries, and 2 to 4 for each run. Change O(1) a word. Compile with a popcount instruction.
 * Source: Degermark, Brodnik, Carlsson, Pink, Small forwarding tables for fast routing lookups (1997).
 */
#ifndef MACS_TABLES_LPM_RUNS_H
#define MACS_TABLES_LPM_RUNS_H

#include <macs/qsbr.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MACS_LPM_RUNS_EACH 32u
#ifndef MACS_LPM_RUNS_ELSEWHERE
#define MACS_LPM_RUNS_ELSEWHERE 0xffffu
#endif
#ifndef MACS_LPM_RUNS_PAY_PERCENT
#define MACS_LPM_RUNS_PAY_PERCENT 12 /* of the leaves may say elsewhere, else lookups lose */
#endif

struct macs_lpm_runs {
    /* Below, bits; above, the number of the first leaf, or two leaves themselves, that of the first entry below. */
    _Atomic uint64_t *words;
    _Atomic uint16_t *leaves; /* allocated in pairs */
    struct macs_qsbr *qsbr;
    uint32_t word_count;
    uint32_t limit;                            /* of leaves */
    uint32_t top;                              /* from here on none was ever used */
    uint32_t free[MACS_LPM_RUNS_EACH / 2 + 1]; /* of pairs: first of a list of the free ones, or 0 */
    uint32_t used;                             /* leaves that words name */
    uint32_t elsewhere;                        /* of these, those that say so */
};

/* For 2^entry_bits entries, MACS_LPM_RUNS_EACH or more, that are 0 now. 0 or -ENOMEM. */
int macs_lpm_runs_create(struct macs_lpm_runs *runs, uint32_t entry_bits, struct macs_qsbr *qsbr);
void macs_lpm_runs_destroy(struct macs_lpm_runs *runs);

/* The 32 entries of a word have changed; `leaves`: what stands for each of them. New leaves are made where a run parts,
 * which a change of all 32 in the same way never does, and where `shrink` lets fewer do; then the old ones go back,
 * which needs one reserved defer. */
void macs_lpm_runs_refresh(struct macs_lpm_runs *runs, uint32_t word, const uint32_t entries[MACS_LPM_RUNS_EACH],
                           const uint16_t leaves[MACS_LPM_RUNS_EACH], bool shrink);

/* Prefetch the leaves of a word that is going to change. */
void macs_lpm_runs_prefetch(const struct macs_lpm_runs *runs, uint32_t word);

/* Whether few enough leaves say elsewhere that lookups gain. */
bool macs_lpm_runs_pay(const struct macs_lpm_runs *runs);

uint64_t macs_lpm_runs_memory(const struct macs_lpm_runs *runs);

static inline uint64_t macs_lpm_runs_word(const _Atomic uint64_t *words, uint32_t entry) {
    return atomic_load_explicit(&words[entry / MACS_LPM_RUNS_EACH], memory_order_acquire);
}

/* The number of the leaf of an entry, by its word. */
static inline uint32_t macs_lpm_runs_in_word(uint64_t word, uint32_t entry) {
    const uint32_t bits = (uint32_t)word, above = (uint32_t)(word >> 32), at = entry % MACS_LPM_RUNS_EACH;
    const uint32_t of_two = above >> 16 * (1 - (bits >> at & 1)) & 0xffff;
    const uint32_t of_runs = above + (uint32_t)__builtin_popcount(bits << (MACS_LPM_RUNS_EACH - 1 - at));
    return of_runs ^ ((of_runs ^ of_two) & -(bits & 1)); /* no branch: it could not be predicted */
}

static inline uint32_t macs_lpm_runs_find(const _Atomic uint64_t *words, uint32_t entry) {
    return macs_lpm_runs_in_word(macs_lpm_runs_word(words, entry), entry);
}

static inline uint32_t macs_lpm_runs_leaf(const struct macs_lpm_runs *runs, uint32_t number) {
    return atomic_load_explicit(&runs->leaves[number], memory_order_acquire);
}

#endif
