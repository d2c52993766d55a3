/* An array of 32-bit entries once more, small enough for a core's caches: what lookups read of lpm_dir24's base.
 *
 * Neighbours are mostly equal. So 32 entries are one *word*: a bit for each at which a run of equal ones begins (the
 * first one always does, its bit is clear), and where the runs' *leaves* stand, 16 bits each, one after the other.
 * Where the entries have two leaves at most, the word has these itself, and a bit for each entry that has the same one
 * as the first (whose bit is set, which tells such words). The first 65,536 leaves are the numbers 0 … 65,535
 * themselves: so lookups go on alike with both kinds. A leaf is the number of a result + 1, 0 for none, or
 * MACS_LPM_RUNS_ELSEWHERE: then the array itself knows.
 * Invariants: a word changes by one atomic store, its leaves were written before; a word may have more runs than there
 * are, never fewer; leaves change in place, one atomic store each, where the runs stay, else they are made anew and
 * the old ones go back after a grace period. Without memory all of a word's leaves are elsewhere: nothing fails.
 * Threads: macs_lpm_runs_find and _leaf by anyone; all else by the one writer.
 * Cost: lookup a line of some MB, a second one where there are three leaves or more; memory 8 bytes for 32 entries, 2
 * to 4 a run there; change O(1) for each word. Compile with a popcount instruction. Source: Degermark, Brodnik,
 * Carlsson, Pink, Small forwarding tables for fast routing lookups (1997), for runs found by counting bits.
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
    _Atomic uint16_t *leaves; /* in the writer's books by twos */
    struct macs_qsbr *qsbr;
    uint32_t word_count;
    uint32_t limit;                            /* of leaves */
    uint32_t top;                              /* from here on none was ever used */
    uint32_t free[MACS_LPM_RUNS_EACH / 2 + 1]; /* by twos: first of a list through those given back, or 0 */
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

/* Fetch the leaves of a word that is going to change. */
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
    return of_runs ^ ((of_runs ^ of_two) & -(bits & 1)); /* no branch: nothing would foretell it */
}

static inline uint32_t macs_lpm_runs_find(const _Atomic uint64_t *words, uint32_t entry) {
    return macs_lpm_runs_in_word(macs_lpm_runs_word(words, entry), entry);
}

static inline uint32_t macs_lpm_runs_leaf(const struct macs_lpm_runs *runs, uint32_t number) {
    return atomic_load_explicit(&runs->leaves[number], memory_order_acquire);
}

#endif
