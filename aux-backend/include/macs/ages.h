/* Ages: when the entries of a table were hit last, of tables whose entries may time out.
 *
 * Lookups of other tables know nothing of it. A hit reads the entry's time, and writes it where a millisecond has gone
 * by since: entries that are hit all the time stay in the caches of all workers.
 * Threads: workers tell of hits; the rest is the control thread's (runtime/ages.h).
 */
#ifndef MACS_AGES_H
#define MACS_AGES_H

#include <macs/prefetch.h>
#include <macs/worker.h>

/* A hit so long behind the one before is written down. */
#define MACS_AGES_GRAIN_NS 1000000

/* Expire time profiles: 0 … MACS_PROFILES - 1. In place of one: the entry has a timeout of its own, or none. */
#define MACS_PROFILES 255u
#define MACS_NO_PROFILE 255u

struct macs_age;

struct macs_ages {
    _Atomic uint64_t *hits;            /* by the entry's index: nanoseconds since the switch started */
    _Atomic uint8_t *profiles;         /* likewise: of the time that an entry lives */
    struct macs_age *ages;             /* likewise */
    uint64_t expire_ns[MACS_PROFILES]; /* by the profile; 0: for ever */
    uint32_t size;
    uint32_t limited;  /* entries that have a timeout */
    uint32_t end;      /* behind the last of them that there was */
    uint32_t at;       /* which is looked at next */
    uint64_t swept_ns; /* when all had been looked at for those whose time is over */
};

static inline void macs_ages_prefetch(const struct macs_ages *ages, uint32_t index) {
    macs_prefetch_to_write(&ages->hits[index < ages->size ? index : 0]);
}

/* The entry of that index was hit, by a packet of the burst at hand. */
static inline void macs_ages_hit(struct macs_ages *ages, const struct macs_worker *worker, uint32_t index) {
    _Atomic uint64_t *const hit = &ages->hits[index];
    const uint64_t before = atomic_load_explicit(hit, memory_order_relaxed);
    if (__builtin_expect((int64_t)(worker->now_ns - before) >= MACS_AGES_GRAIN_NS, 0))
        atomic_store_explicit(hit, worker->now_ns, memory_order_relaxed);
}

#endif
