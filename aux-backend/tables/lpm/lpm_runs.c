/* The writer's side of the run-length code; its layout and rules are in lpm_runs.h. */
#include "lpm_runs.h"

#include <errno.h>
#include <string.h>

#include "tables/common/memory.h"

enum {
    NUMBERS = 1 << 16, /* leaves that are the numbers themselves */
    TWO = 2,           /* leaves are taken and given back by twos */
    SIZE_AT = 24       /* in what is deferred: above the number of the first two leaves, how many twos */
};

typedef struct macs_lpm_runs runs_t;

static size_t words_bytes(const runs_t *runs) {
    return runs->word_count * sizeof *runs->words;
}

static size_t leaves_bytes(const runs_t *runs) {
    return runs->limit * sizeof *runs->leaves;
}

int macs_lpm_runs_create(runs_t *runs, uint32_t entry_bits, struct macs_qsbr *qsbr) {
    *runs = (runs_t){.qsbr = qsbr, .top = NUMBERS};
    runs->word_count = (UINT32_C(1) << entry_bits) / MACS_LPM_RUNS_EACH;
    runs->limit = NUMBERS + (UINT32_C(3) << entry_bits) / 2; /* half more than there can be, for those given back */
    runs->words = macs_memory_alloc(words_bytes(runs), true);
    runs->leaves = macs_memory_alloc(leaves_bytes(runs), true);
    if (!runs->words || !runs->leaves) {
        macs_lpm_runs_destroy(runs);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < NUMBERS; i++)
        atomic_init(&runs->leaves[i], (uint16_t)i);
    return 0;
}

void macs_lpm_runs_destroy(runs_t *runs) {
    macs_qsbr_drop(runs->qsbr, runs);
    macs_memory_free((void *)runs->words, words_bytes(runs));
    macs_memory_free((void *)runs->leaves, leaves_bytes(runs));
    *runs = (runs_t){0};
}

/* -- allocation of leaves ---------------------------------------------------------------------------------------------
 */

static void set_leaf(runs_t *runs, uint32_t number, uint32_t leaf) {
    atomic_store_explicit(&runs->leaves[number], (uint16_t)leaf, memory_order_release);
}

static uint32_t get_leaf(const runs_t *runs, uint32_t number) {
    return atomic_load_explicit(&runs->leaves[number], memory_order_relaxed);
}

/* Room for so many leaves: the number of the first, or 0. */
static uint32_t take_leaves(runs_t *runs, uint32_t count) {
    uint32_t twos = (count + 1) / TWO, first = runs->free[twos] * TWO;
    if (first) {
        runs->free[twos] = get_leaf(runs, first) | get_leaf(runs, first + 1) << 16;
        __builtin_prefetch((const void *)&runs->leaves[runs->free[twos] * TWO], 1); /* the next ones */
    } else if (runs->limit - runs->top >= twos * TWO) {
        first = runs->top;
        runs->top += twos * TWO;
    }
    return first;
}

static void release_leaves(void *owner, void *what) {
    runs_t *runs = owner;
    uint32_t twos = (uint32_t)(uintptr_t)what >> SIZE_AT;
    uint32_t number = (uint32_t)(uintptr_t)what & ((UINT32_C(1) << SIZE_AT) - 1);
    set_leaf(runs, number * TWO, runs->free[twos] & 0xffff);
    set_leaf(runs, number * TWO + 1, runs->free[twos] >> 16);
    runs->free[twos] = number;
}

static uint32_t runs_of(uint64_t word) {
    return (uint32_t)word;
}

static uint32_t first_of(uint64_t word) {
    return (uint32_t)(word >> 32);
}

/* Whether a word has its leaves itself, two of them. */
static bool is_two(uint64_t word) {
    return word & 1;
}

static bool has_leaves(uint64_t word) {
    return !is_two(word) && first_of(word) >= NUMBERS;
}

static uint32_t count_of(uint64_t word) {
    return is_two(word) ? 2 : (uint32_t)__builtin_popcount(runs_of(word)) + 1;
}

static void retire_leaves(runs_t *runs, uint64_t word) {
    uint32_t number = first_of(word) / TWO | (count_of(word) + 1) / TWO << SIZE_AT;
    if (has_leaves(word))
        macs_qsbr_defer(runs->qsbr, release_leaves, runs, (void *)(uintptr_t)number);
}

/* -- words ------------------------------------------------------------------------------------------------------------
 */

/* A bit for each entry but the first that differs from the one before it. */
static uint32_t find_runs(const uint32_t entries[MACS_LPM_RUNS_EACH]) {
    uint32_t bits = 0;
    for (uint32_t i = 1; i < MACS_LPM_RUNS_EACH; i++)
        bits |= (uint32_t)(entries[i] != entries[i - 1]) << i;
    return bits;
}

/* Leaves that a word names, empty words not counted. */
static uint32_t count_used(uint64_t word) {
    return word ? count_of(word) : 0;
}

/* The number of the word's leaves that are ELSEWHERE: usually none. */
static uint32_t count_elsewhere(const runs_t *runs, uint64_t word) {
    uint32_t count = 0;
    if (is_two(word))
        return ((word >> 32 & 0xffff) == MACS_LPM_RUNS_ELSEWHERE) + (word >> 48 == MACS_LPM_RUNS_ELSEWHERE);
    for (uint32_t i = 0; i < count_of(word); i++)
        count += get_leaf(runs, first_of(word) + i) == MACS_LPM_RUNS_ELSEWHERE;
    return count;
}

static bool any_elsewhere(const uint16_t leaves[MACS_LPM_RUNS_EACH]) {
    uint32_t any = 0;
    for (uint32_t i = 0; i < MACS_LPM_RUNS_EACH; i++)
        any |= leaves[i] == MACS_LPM_RUNS_ELSEWHERE;
    return any;
}

/* Write the leaves of a word's runs. */
static void write_leaves(runs_t *runs, uint64_t word, const uint16_t leaves[MACS_LPM_RUNS_EACH]) {
    uint32_t number = first_of(word);
    set_leaf(runs, number, leaves[0]);
    for (uint32_t bits = runs_of(word); bits; bits &= bits - 1)
        set_leaf(runs, ++number, leaves[__builtin_ctz(bits)]);
}

/* A word that has these leaves itself, or 0 where they are more than two. */
static uint64_t make_two(const uint16_t leaves[MACS_LPM_RUNS_EACH]) {
    uint32_t bits = 0, others = 0;
    for (uint32_t i = 0; i < MACS_LPM_RUNS_EACH; i++)
        bits |= (uint32_t)(leaves[i] == leaves[0]) << i;
    uint32_t other = leaves[__builtin_ctz(~bits)]; /* some is another */
    for (uint32_t i = 0; i < MACS_LPM_RUNS_EACH; i++)
        others |= (uint32_t)(leaves[i] == other) << i;
    return ~(bits | others) ? 0 : (uint64_t)(other << 16 | leaves[0]) << 32 | bits;
}

static bool all_equal(const uint16_t leaves[MACS_LPM_RUNS_EACH]) {
    return memcmp(leaves, leaves + 1, (MACS_LPM_RUNS_EACH - 1) * sizeof *leaves) == 0;
}

/* A word for these runs, its leaves written: those that are numbers themselves where all are equal, or no memory. */
static uint64_t make_word(runs_t *runs, uint32_t bits, const uint16_t leaves[MACS_LPM_RUNS_EACH]) {
    if (all_equal(leaves))
        return (uint64_t)leaves[0] << 32;
    uint64_t two = make_two(leaves);
    if (two)
        return two;
    uint64_t first = take_leaves(runs, count_of(bits));
    if (!first)
        return (uint64_t)MACS_LPM_RUNS_ELSEWHERE << 32;
    write_leaves(runs, first << 32 | bits, leaves);
    return first << 32 | bits;
}

void macs_lpm_runs_refresh(runs_t *runs, uint32_t word, const uint32_t entries[MACS_LPM_RUNS_EACH],
                           const uint16_t leaves[MACS_LPM_RUNS_EACH], bool shrink) {
    _Atomic uint64_t *place = &runs->words[word];
    uint64_t old = atomic_load_explicit(place, memory_order_relaxed), now = old;
    uint32_t bits = find_runs(entries);
    bool own = has_leaves(old), parted = bits & ~runs_of(old), joined = bits != runs_of(old);
    runs->used -= count_used(old);
    if (runs->elsewhere)
        runs->elsewhere -= count_elsewhere(runs, old);
    if (!own || parted || (joined && shrink)) {
        now = make_word(runs, bits, leaves);
        atomic_store_explicit(place, now, memory_order_release);
        retire_leaves(runs, old);
    } else {
        write_leaves(runs, now, leaves);
    }
    runs->used += count_used(now);
    if (any_elsewhere(leaves) || now == (uint64_t)MACS_LPM_RUNS_ELSEWHERE << 32)
        runs->elsewhere += count_elsewhere(runs, now);
}

void macs_lpm_runs_prefetch(const runs_t *runs, uint32_t word) {
    uint64_t now = atomic_load_explicit(&runs->words[word], memory_order_relaxed);
    if (!has_leaves(now))
        return;
    __builtin_prefetch((const void *)&runs->leaves[first_of(now)]);
    __builtin_prefetch((const void *)&runs->leaves[first_of(now) + count_of(now) - 1]);
}

bool macs_lpm_runs_pay(const runs_t *runs) {
    return (uint64_t)runs->elsewhere * 100 <= (uint64_t)runs->used * MACS_LPM_RUNS_PAY_PERCENT;
}

uint64_t macs_lpm_runs_memory(const runs_t *runs) {
    return words_bytes(runs) + runs->top * sizeof *runs->leaves;
}
