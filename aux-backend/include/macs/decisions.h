/* A worker's cache of decisions: what a stretch of the program has come to for the packets before.
 *
 * What a stretch of table lookups writes and counts is a function of what it reads, the key, and of the tables. A
 * decision is a key, what the stretch then wrote, and where it counted. It holds until a table changes: it has the
 * epoch (macs/table.h) of the burst that made it, read before that burst looked at any table. Each has one of two
 * places; there it replaces one that holds no more, or either. While few packets find theirs nothing is looked up, but
 * for a try from time to time.
 *
 * A packet goes through on; if so, place and recall; and, if that finds nothing, the stretch and remember. It is known
 * by its number in the burst, `index`. A decision may be made ready (macs/ready.h) when the packet that it was made for
 * has gone through the program: then recall does not find it.
 * Threads: the worker's own; any thread reads the sums.
 * Cost: the key, a multiplication for each two words of it, and one to four cache lines.
 */
#ifndef MACS_DECISIONS_H
#define MACS_DECISIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <macs/counter.h>
#include <macs/fold.h>
#include <macs/inline.h>
#include <macs/prefetch.h>
#include <macs/table.h>
#include <macs/worker.h>

#define MACS_DECISION_KEY_WORDS 16
#define MACS_DECISION_COUNTS 24

/* What a program's decisions are made of: words of keys, words kept, counts at most. `lookups`: of the stretch. */
struct macs_decisions_shape {
    uint32_t key_words, kept_words, counts, lookups;
};

/* Of a packet on its way through the stretch. */
struct macs_undecided {
    uint64_t key[MACS_DECISION_KEY_WORDS];
    uint64_t *decision; /* its place */
    uint32_t where;     /* the same, by its number */
    uint32_t counted;
    bool noting;  /* it is in the stretch */
    bool readies; /* it has left the stretch, and nothing that its decision does not tell was read since */
    bool sends;   /* it goes out: the headers `sent` of macs/ready.h, `wrote` of whose fields, bits */
    uint64_t sent, wrote;
    uint32_t length; /* as it was received */
    uint32_t port;
    struct macs_count *counts[MACS_DECISION_COUNTS];
};

/* A decision: its epoch, the number of its counts and its form, key, what is kept, pointers to counts. */
enum { MACS_DECISION_EPOCH, MACS_DECISION_COUNTED, MACS_DECISION_KEY };

/* What is kept: the words that the stretch has come to, or what macs/ready.h has made of them. The form is in the upper
 * half of the word with the number of counts. */
enum macs_decision_form { MACS_DECISION_BY_FIELDS, MACS_DECISION_DROPS, MACS_DECISION_SENDS };

#define MACS_DECISION_LINE_WORDS 8u

struct macs_decisions {
    struct macs_decisions_shape shape;
    uint32_t mask;             /* decisions - 1 */
    uint32_t stride;           /* words of a decision: whole cache lines */
    uint64_t epoch;            /* of this burst */
    uint32_t looked_up, found; /* since the share was looked at */
    uint32_t pause;            /* packets that do not look when it is too low the next time */
    uint64_t resumes;          /* they look again at this sum of all_skipped */
    _Atomic uint64_t all_found, all_missed, all_skipped;
    uint64_t *decisions;
    uint32_t made; /* decisions of this burst that may be made ready, and their packets */
    uint16_t makers[MACS_BURST_MAX];
    struct macs_undecided undecided[MACS_BURST_MAX];
};

/* The share of the decisions found is looked at each so many lookups. A packet that looks pays for about so many
 * lookups of a stretch, and one that finds its decision saves all of them. While packets save less than they pay, they
 * do not look: for a pause, which doubles from try to try up to the longest. */
#define MACS_DECISIONS_TRIED 4096u
#define MACS_DECISIONS_PAID 6u
#define MACS_DECISIONS_PAUSE (64u * MACS_DECISIONS_TRIED)
#define MACS_DECISIONS_PAUSE_MAX (16u * MACS_DECISIONS_PAUSE)

static inline bool macs_decisions_pay(const struct macs_decisions *cache) {
    return (uint64_t)cache->found * cache->shape.lookups >= (uint64_t)cache->looked_up * MACS_DECISIONS_PAID;
}

static inline void macs_decisions_add_up(_Atomic uint64_t *sum, uint64_t amount) {
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + amount, memory_order_relaxed);
}

/* A burst begins: before anything of a table is read. No packet of a burst before is noting: some have left the stretch
 * without a word. */
static inline void macs_decisions_begin(struct macs_worker *worker) {
    struct macs_decisions *const cache = worker->decisions;
    cache->epoch = macs_tables_epoch();
    cache->made = 0;
    if (worker->deciding && cache->looked_up >= MACS_DECISIONS_TRIED) {
        worker->deciding = macs_decisions_pay(cache);
        cache->looked_up = cache->found = 0;
        cache->resumes = atomic_load_explicit(&cache->all_skipped, memory_order_relaxed) + cache->pause;
        if (worker->deciding)
            cache->pause = MACS_DECISIONS_PAUSE;
        else if (cache->pause < MACS_DECISIONS_PAUSE_MAX)
            cache->pause *= 2;
    } else if (!worker->deciding && atomic_load_explicit(&cache->all_skipped, memory_order_relaxed) >= cache->resumes) {
        for (uint32_t i = 0; i < MACS_BURST_MAX; i++)
            cache->undecided[i].noting = false;
        worker->deciding = true;
    }
}

/* Whether packets look for decisions now. One that does not is counted. */
static inline bool macs_decisions_on(const struct macs_worker *worker) {
    if (!worker->deciding)
        macs_decisions_add_up(&worker->decisions->all_skipped, 1);
    return worker->deciding;
}

/* Where the packet's key is stored, by words. */
static inline uint8_t *macs_decisions_key(struct macs_worker *worker, uint32_t index) {
    return (uint8_t *)worker->decisions->undecided[index].key;
}

/* The place of the decision on the key that was stored. */
static inline uint32_t macs_decisions_place(struct macs_worker *worker, uint32_t index, uint32_t key_words) {
    struct macs_decisions *const cache = worker->decisions;
    const uint64_t *const key = cache->undecided[index].key;
    uint64_t hash = MACS_HASH_ROOT2;
    for (uint32_t i = 0; i < key_words; i += 2) /* where their number is odd, what stands behind is left out */
        hash = macs_hash_fold(key[i] ^ MACS_HASH_PHI, i + 1 < key_words ? key[i + 1] ^ hash : hash);
    return cache->undecided[index].where = (uint32_t)(hash >> 32) & cache->mask;
}

/* Words from one decision to the next. A program that is compiled knows them: MACS_DECISION_WORDS are those of a
 * decision. */
static inline uint32_t macs_decisions_stride(const struct macs_decisions *cache) {
#ifdef MACS_DECISION_WORDS
    (void)cache;
    return (MACS_DECISION_WORDS + MACS_DECISION_LINE_WORDS - 1) / MACS_DECISION_LINE_WORDS * MACS_DECISION_LINE_WORDS;
#else
    return cache->stride;
#endif
}

static inline uint64_t *macs_decisions_at(const struct macs_decisions *cache, uint32_t where) {
    return cache->decisions + (uint64_t)where * macs_decisions_stride(cache);
}

/* Prefetch what recall reads there. */
static inline void macs_decisions_prefetch(const struct macs_worker *worker, uint32_t where) {
    const struct macs_decisions *const cache = worker->decisions;
    const uint64_t *const decision = macs_decisions_at(cache, where);
    for (uint32_t word = 0; word < macs_decisions_stride(cache); word += MACS_DECISION_LINE_WORDS)
        macs_prefetch_to_write(decision + word);
}

/* Whether keys are different, in any bit of the result. */
static inline uint64_t macs_decisions_differ(const uint64_t *a, const uint64_t *b, uint32_t key_words) {
    typedef uint64_t words __attribute__((vector_size(32)));
    words together = {0};
    uint32_t i = 0;
    for (; i + 4 <= key_words; i += 4) {
        words left, right;
        memcpy(&left, a + i, sizeof left);
        memcpy(&right, b + i, sizeof right);
        together |= left ^ right;
    }
    uint64_t different = together[0] | together[1] | together[2] | together[3];
    for (; i < key_words; i++)
        different |= a[i] ^ b[i];
    return different;
}

static inline bool macs_decisions_is_there(const struct macs_decisions *cache, const uint64_t *decision,
                                           const uint64_t *key, uint32_t key_words) {
    return ((decision[MACS_DECISION_EPOCH] ^ cache->epoch) |
            macs_decisions_differ(decision + MACS_DECISION_KEY, key, key_words)) == 0;
}

/* The decision on the packet's key. NULL: there is none; its `decision` is where one is made. */
static inline const uint64_t *macs_decisions_find(struct macs_decisions *cache, struct macs_undecided *packet,
                                                  uint32_t key_words) {
    uint64_t *const first = macs_decisions_at(cache, packet->where);
    packet->decision = first;
    if (odp_likely(macs_decisions_is_there(cache, first, packet->key, key_words)))
        return first;
    uint64_t *const second = macs_decisions_at(cache, packet->where ^ 1);
    const bool is_there = macs_decisions_is_there(cache, second, packet->key, key_words);
    if (is_there || (first[MACS_DECISION_EPOCH] == cache->epoch &&
                     (second[MACS_DECISION_EPOCH] != cache->epoch ||
                      atomic_load_explicit(&cache->all_missed, memory_order_relaxed) % 2)))
        packet->decision = second;
    return is_there ? second : NULL;
}

/* The packet's decision has been found. Returns its words behind the key. */
static inline const uint64_t *macs_decisions_count(struct macs_decisions *cache, const uint64_t *decision,
                                                   uint32_t key_words, uint64_t bytes) {
    cache->looked_up++;
    cache->found++;
    macs_decisions_add_up(&cache->all_found, 1);
    const uint64_t *const kept = decision + MACS_DECISION_KEY + key_words;
    const uint64_t *const counts = kept + cache->shape.kept_words;
    for (uint32_t i = 0, counted = (uint32_t)decision[MACS_DECISION_COUNTED]; i < counted; i++)
        macs_count_add((struct macs_count *)(uintptr_t)counts[i], bytes);
    return kept;
}

/* Whether the packet's decision is there: then it is counted as the stretch would. Else the stretch begins. */
static inline bool macs_decisions_recall(struct macs_worker *worker, uint32_t index, uint32_t where, uint32_t key_words,
                                         uint64_t bytes) {
    struct macs_decisions *const cache = worker->decisions;
    struct macs_undecided *const packet = &cache->undecided[index];
    packet->where = where;
    const uint64_t *const decision = macs_decisions_find(cache, packet, key_words);
    const bool found = decision && decision[MACS_DECISION_COUNTED] >> 32 == MACS_DECISION_BY_FIELDS;
    packet->counted = 0;
    packet->readies = false;
    packet->noting = !found;
    if (!found) {
        cache->looked_up++;
        macs_decisions_add_up(&cache->all_missed, 1);
        packet->length = (uint32_t)bytes;
        return false;
    }
    macs_decisions_count(cache, decision, key_words, bytes);
    return true;
}

/* A word of the decision that was found. `at`: words of the key, and the words kept before it. */
static inline uint64_t macs_decisions_value(const struct macs_worker *worker, uint32_t index, uint32_t at) {
    return worker->decisions->undecided[index].decision[MACS_DECISION_KEY + at];
}

/* What the stretch comes to for a packet is not kept: it has done what cannot be done again by a decision. */
static inline void macs_decisions_forget(struct macs_worker *worker, uint32_t index) {
    worker->decisions->undecided[index].noting = false;
}

/* The stretch ends: where the words that it has come to are stored; NULL: they are not kept. */
static inline uint64_t *macs_decisions_remember(struct macs_worker *worker, uint32_t index, uint32_t key_words) {
    if (!worker->deciding)
        return NULL;
    struct macs_decisions *const cache = worker->decisions;
    struct macs_undecided *const packet = &cache->undecided[index];
    if (!packet->noting)
        return NULL;
    packet->noting = false;
    packet->readies = true;
    packet->sends = false;
    packet->port = 0;
    cache->makers[cache->made++] = (uint16_t)index;
    uint64_t *const decision = packet->decision;
    decision[MACS_DECISION_EPOCH] = cache->epoch;
    decision[MACS_DECISION_COUNTED] = packet->counted;
    memcpy(decision + MACS_DECISION_KEY, packet->key, key_words * sizeof(uint64_t));
    uint64_t *const kept = decision + MACS_DECISION_KEY + key_words, *const counts = kept + cache->shape.kept_words;
    for (uint32_t i = 0; i < packet->counted; i++)
        counts[i] = (uintptr_t)packet->counts[i];
    return kept;
}

static inline void macs_decisions_keep(uint64_t *words, uint32_t number, uint64_t value) {
    words[number] = value;
}

/* Note what a packet counts in the stretch. */
__attribute__((noinline, unused)) static void macs_decisions_note(struct macs_worker *worker, struct macs_count *count,
                                                                  uint32_t index) {
    struct macs_undecided *const packet = &worker->decisions->undecided[index];
    if (packet->noting)
        packet->counts[packet->counted++] = count;
}

/* Counts of macs/counter.h in the stretch. While nothing is looked up, noting is one test. */
MACS_ALWAYS_INLINE void macs_decisions_hit(const struct macs_counter *counter, struct macs_worker *worker,
                                           uint64_t number, uint64_t bytes, uint32_t index) {
    struct macs_count *const count = macs_counter_at(counter, worker, number);
    if (odp_unlikely(worker->deciding))
        macs_decisions_note(worker, count, index);
    macs_count_add(count, bytes);
}

MACS_ALWAYS_INLINE void macs_decisions_defer_hit(const struct macs_counter *counter, struct macs_worker *worker,
                                                 uint64_t number, uint64_t bytes, bool far, uint32_t index) {
    struct macs_count *const count = macs_counter_at(counter, worker, number);
    if (odp_unlikely(worker->deciding))
        macs_decisions_note(worker, count, index);
    macs_count_defer(worker, count, bytes, far);
}

MACS_ALWAYS_INLINE void macs_decisions_add(const struct macs_counter *counter, struct macs_worker *worker,
                                           uint64_t number, uint64_t bytes, uint32_t index) {
    if (number < counter->size)
        macs_decisions_hit(counter, worker, number, bytes, index);
}

MACS_ALWAYS_INLINE void macs_decisions_defer(const struct macs_counter *counter, struct macs_worker *worker,
                                             uint64_t number, uint64_t bytes, bool far, uint32_t index) {
    if (number < counter->size)
        macs_decisions_defer_hit(counter, worker, number, bytes, far, index);
}

#endif
