/* Action profiles and selectors, for generated code.
 *
 * An entry of a table may refer to a member (an action with its data), or to a group of members, of which a hash
 * selects one for each packet.
 * Threads: one writer (the control thread), any number of lock-free readers. What was replaced is freed once every
 * reader has reported a quiescent state (macs/qsbr.h).
 */
#ifndef MACS_PROFILE_H
#define MACS_PROFILE_H

#include <macs/sequence.h>
#include <macs/table.h>

/* State of MACS_ACTION_PROFILE and MACS_ACTION_SELECTOR. Handles are below `size`. */
struct macs_profile {
    uint32_t size;
    uint32_t value_bytes;
    const struct macs_entry *_Atomic *members; /* by handle; NULL: none. As the values of the profile's tables. */
    struct macs_sequence *_Atomic *groups;     /* likewise: of handles of members, uint32_t, ascending */
    struct macs_qsbr *qsbr;
    struct macs_profile_writer *writer; /* the writer's own */
};

/* The value to run for an entry: the entry itself, or the member that it names or `selected` (a hash) chooses. */
static inline const struct macs_entry *macs_profile_choose(const struct macs_profile *profile,
                                                           const struct macs_entry *entry, uint64_t selected) {
    static const struct macs_entry nothing = {.action = MACS_NO_ACTION};
    if (entry->action != MACS_INDIRECT_MEMBER && entry->action != MACS_INDIRECT_GROUP)
        return entry;
    uint32_t handle = ((const struct macs_indirect *)entry)->handle;
    if (entry->action == MACS_INDIRECT_GROUP) {
        const struct macs_sequence *group = atomic_load_explicit(&profile->groups[handle], memory_order_acquire);
        if (!group || !group->count)
            return &nothing;
        handle = *(const uint32_t *)macs_sequence_at(group, sizeof(handle), (uint32_t)(selected % group->count));
    }
    const struct macs_entry *member = atomic_load_explicit(&profile->members[handle], memory_order_acquire);
    return member ? member : &nothing;
}

#endif
