/* Action profiles and selectors, for generated code.
 *
 * An entry of a table may refer to a member (an action with its data), or to a group of members, of which a hash
 * selects one for each packet.
 * Threads: one writer (the control thread), any number of lock-free readers. What was replaced is freed once every
 * reader has reported a quiescent state (macs/qsbr.h).
 */
#ifndef MACS_PROFILE_H
#define MACS_PROFILE_H

#include <macs/inline.h>
#include <macs/prefetch.h>
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

static inline const struct macs_entry *macs_profile_nothing(void) {
    static const struct macs_entry nothing = {.action = MACS_NO_ACTION};
    return &nothing;
}

static inline uint32_t macs_profile_handle(const struct macs_entry *entry) {
    return ((const struct macs_indirect *)entry)->handle;
}

/* NULL: there is none. */
static inline const struct macs_sequence *macs_profile_group(const void *address) {
    return atomic_load_explicit((struct macs_sequence *const _Atomic *)address, memory_order_acquire);
}

/* Where the handle stands of the member that `selected` (a hash) chooses; NULL: the group has none. */
static inline const void *macs_profile_select(const struct macs_sequence *group, uint64_t selected) {
    return group->count ? macs_sequence_at(group, sizeof(uint32_t), (uint32_t)(selected % group->count)) : NULL;
}

static inline const struct macs_entry *macs_profile_member(const void *address) {
    const struct macs_entry *member =
        atomic_load_explicit((const struct macs_entry *const _Atomic *)address, memory_order_acquire);
    return member ? member : macs_profile_nothing();
}

/* The value to run for an entry: the entry itself, or the member that it names or `selected` chooses. */
static inline const struct macs_entry *macs_profile_choose(const struct macs_profile *profile,
                                                           const struct macs_entry *entry, uint64_t selected) {
    if (entry->action != MACS_INDIRECT_MEMBER && entry->action != MACS_INDIRECT_GROUP)
        return entry;
    uint32_t handle = macs_profile_handle(entry);
    if (entry->action == MACS_INDIRECT_GROUP) {
        const struct macs_sequence *group = macs_profile_group(&profile->groups[handle]);
        const uint32_t *member = group ? macs_profile_select(group, selected) : NULL;
        if (!member)
            return macs_profile_nothing();
        handle = *member;
    }
    return macs_profile_member(&profile->members[handle]);
}

/* -- the choices of many packets --------------------------------------------------------------------------------------
 *
 * Each step reads what the one before has prefetched: the group's address, the group, its list, the member's address.
 */

/* What the choice goes on with: how many steps are left. */
enum {
    MACS_PROFILE_CHOSEN,
    MACS_PROFILE_AT_MEMBER, /* its address is read next */
    MACS_PROFILE_AT_LIST,
    MACS_PROFILE_AT_GROUP,
    MACS_PROFILE_AT_GROUPS, /* its address */
};

struct macs_profile_choice {
    const struct macs_profile *profile;
    const void *at; /* what the next step reads, or what is run */
    uint64_t selected;
    uint32_t left;
};

MACS_ALWAYS_INLINE void macs_profile_goes_on(struct macs_profile_choice *choice, const void *at, uint32_t left) {
    choice->at = at;
    choice->left = left;
    macs_prefetch_to_read(at);
}

MACS_ALWAYS_INLINE void macs_profile_go_to_member(struct macs_profile_choice *choice, const uint32_t *handle) {
    macs_profile_goes_on(choice, &choice->profile->members[*handle], MACS_PROFILE_AT_MEMBER);
}

/* Begin with the entry that was found. */
MACS_ALWAYS_INLINE void macs_profile_follow(const struct macs_profile *profile, const struct macs_entry *entry,
                                            uint64_t selected, struct macs_profile_choice *choice) {
    choice->profile = profile;
    choice->selected = selected;
    if (entry->action == MACS_INDIRECT_GROUP)
        macs_profile_goes_on(choice, &profile->groups[macs_profile_handle(entry)], MACS_PROFILE_AT_GROUPS);
    else if (entry->action == MACS_INDIRECT_MEMBER)
        macs_profile_goes_on(choice, &profile->members[macs_profile_handle(entry)], MACS_PROFILE_AT_MEMBER);
    else
        *choice = (struct macs_profile_choice){profile, entry, selected, MACS_PROFILE_CHOSEN};
}

/* Take this step, if the choice is there. */
MACS_ALWAYS_INLINE void macs_profile_lead(uint32_t step, struct macs_profile_choice *choice) {
    if (choice->left != step)
        return;
    switch (step) {
    case MACS_PROFILE_AT_GROUPS: {
        const struct macs_sequence *group = macs_profile_group(choice->at);
        if (group)
            macs_profile_goes_on(choice, group, MACS_PROFILE_AT_GROUP);
        else
            macs_profile_goes_on(choice, macs_profile_nothing(), MACS_PROFILE_CHOSEN);
        return;
    }
    case MACS_PROFILE_AT_GROUP: {
        const void *member = macs_profile_select(choice->at, choice->selected);
        if (!member)
            macs_profile_goes_on(choice, macs_profile_nothing(), MACS_PROFILE_CHOSEN);
        else if ((uintptr_t)member - (uintptr_t)choice->at < 64) /* in the line that is there */
            macs_profile_go_to_member(choice, member);
        else
            macs_profile_goes_on(choice, member, MACS_PROFILE_AT_LIST);
        return;
    }
    case MACS_PROFILE_AT_LIST:
        macs_profile_go_to_member(choice, choice->at);
        return;
    case MACS_PROFILE_AT_MEMBER:
        macs_profile_goes_on(choice, macs_profile_member(choice->at), MACS_PROFILE_CHOSEN);
        for (uint32_t more = 64; more < choice->profile->value_bytes; more += 64)
            macs_prefetch_to_read((const uint8_t *)choice->at + more);
        return;
    }
}

/* What is run, when all steps are taken. */
static inline const struct macs_entry *macs_profile_chosen(const struct macs_profile_choice *choice) {
    return choice->at;
}

#endif
