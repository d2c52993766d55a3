/* Lookups that take several steps, and changes between the steps.
 *
 * A rule may be moved: it is added in its new place, then removed from the old one. A lookup that passed the new place
 * before the one and comes to the old place after the other finds neither. So the writer counts each change before it
 * publishes it, and a lookup that saw the count change is repeated. The writer does not wait for readers, but where a
 * lookup has been repeated MACS_CHANGES_REPEATS times it asks the writer to hold its next change until it has ended.
 * Invariants: while a lookup asks, at most the change that has begun is published, so the lookup ends after two more
 * rounds. For a thread that does not go on (a debugger has stopped it) the writer waits MACS_QSBR_TIMEOUT_NS, once;
 * that lookup is repeated when it does. Threads: one writer, any number of readers. Cost: lookup two loads of a line
 * that only changes write to; change one load and one atomic addition.
 */
#ifndef MACS_TABLES_COMMON_CHANGES_H
#define MACS_TABLES_COMMON_CHANGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef MACS_CHANGES_REPEATS
#define MACS_CHANGES_REPEATS 4
#endif

struct macs_changes {
    _Atomic uint32_t count;
    _Atomic uint32_t asking; /* lookups for which the next change has to wait */
    uint32_t hung;           /* of these, waited for in vain; writer only */
};

/* Before the first step of a lookup. */
static inline uint32_t macs_changes_seen(const struct macs_changes *changes) {
    return atomic_load_explicit(&changes->count, memory_order_acquire);
}

/* After the last step: nothing has changed since `seen`. */
static inline bool macs_changes_none(const struct macs_changes *changes, uint32_t seen) {
    return __builtin_expect(atomic_load_explicit(&changes->count, memory_order_acquire) == seen, 1);
}

/* A lookup will be repeated for the `repeat`th time, from 0. */
static inline void macs_changes_repeat(const struct macs_changes *changes, uint32_t repeat) {
    if (repeat == MACS_CHANGES_REPEATS)
        atomic_fetch_add_explicit((_Atomic uint32_t *)&changes->asking, 1, memory_order_acq_rel);
}

/* A lookup has ended that was repeated so many times. */
static inline void macs_changes_repeated(const struct macs_changes *changes, uint32_t repeats) {
    if (repeats > MACS_CHANGES_REPEATS)
        atomic_fetch_sub_explicit((_Atomic uint32_t *)&changes->asking, 1, memory_order_release);
}

/* The writer, before it publishes a change. */
void macs_changes_count(struct macs_changes *changes);

#endif
