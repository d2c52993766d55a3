/* Action profiles and selectors, for generated code.
 *
 * An entry of a table may refer to a member (an action with its data), or to a group of members, of which a hash
 * selects one for each packet. A member is in a cache line (or more) found by its handle, and so is a group that has
 * few members: nothing lies between a handle and what it stands for.
 * Invariants: the few members of a group are rewritten in place. Its `list` is odd while they may be read and differs
 * after each change, so a reader that finds it unchanged has read all of one moment. While they are rewritten `list`
 * leads to a copy: nobody waits for the writer. A value of a member is not rewritten while a reader may hold it.
 * Threads: one writer (the control thread), any number of lock-free readers. What was replaced is freed once every
 * reader has reported a quiescent state (macs/qsbr.h).
 * Source: sequence locks; Boehm, Can seqlocks get along with programming language memory models? (2012).
 */
#ifndef MACS_PROFILE_H
#define MACS_PROFILE_H

#include <macs/inline.h>
#include <macs/prefetch.h>
#include <macs/sequence.h>
#include <macs/table.h>

#define MACS_PROFILE_FEW 13u

/* A group. Members are handles, ascending. */
struct macs_profile_group {
    _Alignas(64) _Atomic uintptr_t list; /* 0: there is none; odd: it has few; else its struct macs_sequence */
    _Atomic uint32_t count;              /* of the few */
    _Atomic uint32_t few[MACS_PROFILE_FEW];
};

/* A member. Behind it is room for its value. */
struct macs_profile_member {
    /* As the values of the profile's tables; NULL: there is none. It is elsewhere from when it is modified until no
     * reader has the one before. */
    const struct macs_entry *_Atomic value;
};

/* State of MACS_ACTION_PROFILE and MACS_ACTION_SELECTOR. Handles are below `size`. */
struct macs_profile {
    uint32_t size;
    uint32_t value_bytes;
    uint32_t member_bytes;             /* from member to member: a power of two up to a line, or whole lines */
    uint8_t *members;                  /* by handle: struct macs_profile_member */
    struct macs_profile_group *groups; /* by handle */
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

static inline struct macs_profile_member *macs_profile_member_at(const struct macs_profile *profile, uint32_t handle) {
    return (struct macs_profile_member *)(void *)(profile->members + (size_t)handle * profile->member_bytes);
}

/* The value to run for a member. */
static inline const struct macs_entry *macs_profile_value(const struct macs_profile_member *member) {
    const struct macs_entry *value = atomic_load_explicit(&member->value, memory_order_acquire);
    return value ? value : macs_profile_nothing();
}

/* `selected` modulo `count`; hashes are mostly short, and short numbers divide faster. */
static inline uint32_t macs_profile_modulo(uint64_t selected, uint32_t count) {
    return selected <= UINT32_MAX ? (uint32_t)selected % count : (uint32_t)(selected % count);
}

/* The member that `selected` (a hash) chooses of a group. Where the group has many, *many is where its handle stands.
 * NULL, and *many too: the group has none, or there is no such group. */
MACS_ALWAYS_INLINE const struct macs_profile_member *macs_profile_select(const struct macs_profile *profile,
                                                                         const struct macs_profile_group *group,
                                                                         uint64_t selected, const uint32_t **many) {
    *many = NULL;
    for (;;) {
        const uintptr_t list = atomic_load_explicit(&group->list, memory_order_acquire);
        if (!(list & 1)) {
            const struct macs_sequence *members = (const struct macs_sequence *)list;
            if (members && members->count)
                *many = macs_sequence_at(members, sizeof(**many), macs_profile_modulo(selected, members->count));
            return NULL;
        }
        /* Each is acquired: who reads what is newer than `list` finds that changed. */
        const uint32_t count = atomic_load_explicit(&group->count, memory_order_acquire);
        uint32_t member = 0;
        if (count)
            member = atomic_load_explicit(&group->few[macs_profile_modulo(selected, count)], memory_order_acquire);
        if (__builtin_expect(atomic_load_explicit(&group->list, memory_order_relaxed) == list, 1))
            return count ? macs_profile_member_at(profile, member) : NULL;
    }
}

/* The value to run for an entry: the entry itself, or the member that it names or `selected` chooses. */
static inline const struct macs_entry *macs_profile_choose(const struct macs_profile *profile,
                                                           const struct macs_entry *entry, uint64_t selected) {
    if (entry->action != MACS_INDIRECT_MEMBER && entry->action != MACS_INDIRECT_GROUP)
        return entry;
    const uint32_t handle = macs_profile_handle(entry);
    if (entry->action == MACS_INDIRECT_MEMBER)
        return macs_profile_value(macs_profile_member_at(profile, handle));
    const uint32_t *many;
    const struct macs_profile_member *member = macs_profile_select(profile, &profile->groups[handle], selected, &many);
    if (many)
        member = macs_profile_member_at(profile, *many);
    return member ? macs_profile_value(member) : macs_profile_nothing();
}

/* -- the choices of many packets --------------------------------------------------------------------------------------
 *
 * Each step reads what the one before has prefetched: the group, of a large one the number in its list. The last one
 * prefetches the member.
 */

/* What the choice goes on with: how many steps are left. */
enum {
    MACS_PROFILE_AT_MEMBER,
    MACS_PROFILE_AT_LIST,
    MACS_PROFILE_AT_GROUP,
    MACS_PROFILE_CHOSEN, /* no step is left either */
};

struct macs_profile_choice {
    const struct macs_profile *profile;
    const void *at; /* what the next step reads, or what is run */
    uint64_t selected;
    uint32_t left;
};

MACS_ALWAYS_INLINE void macs_profile_go_on(struct macs_profile_choice *choice, const void *at, uint32_t left) {
    choice->at = at;
    choice->left = left;
    macs_prefetch_to_read(at);
}

MACS_ALWAYS_INLINE void macs_profile_go_to_member(struct macs_profile_choice *choice,
                                                  const struct macs_profile_member *member) {
    macs_profile_go_on(choice, member, MACS_PROFILE_AT_MEMBER);
    for (uint32_t more = 64; more < choice->profile->member_bytes; more += 64)
        macs_prefetch_to_read((const uint8_t *)member + more);
}

/* Begin with the entry that was found. */
MACS_ALWAYS_INLINE void macs_profile_follow(const struct macs_profile *profile, const struct macs_entry *entry,
                                            uint64_t selected, struct macs_profile_choice *choice) {
    choice->profile = profile;
    choice->selected = selected;
    if (entry->action == MACS_INDIRECT_GROUP) {
        macs_profile_go_on(choice, &profile->groups[macs_profile_handle(entry)], MACS_PROFILE_AT_GROUP);
    } else if (entry->action == MACS_INDIRECT_MEMBER) {
        macs_profile_go_to_member(choice, macs_profile_member_at(profile, macs_profile_handle(entry)));
    } else {
        choice->at = entry;
        choice->left = MACS_PROFILE_CHOSEN;
    }
}

/* Take this step, if the choice is there. */
MACS_ALWAYS_INLINE void macs_profile_lead(uint32_t step, struct macs_profile_choice *choice) {
    if (choice->left != step)
        return;
    if (step == MACS_PROFILE_AT_LIST) {
        macs_profile_go_to_member(choice, macs_profile_member_at(choice->profile, *(const uint32_t *)choice->at));
        return;
    }
    const uint32_t *many;
    const struct macs_profile_member *member =
        macs_profile_select(choice->profile, choice->at, choice->selected, &many);
    if (member) {
        macs_profile_go_to_member(choice, member);
    } else if (many) {
        macs_profile_go_on(choice, many, MACS_PROFILE_AT_LIST);
    } else {
        choice->at = macs_profile_nothing();
        choice->left = MACS_PROFILE_CHOSEN;
    }
}

/* What is run, when all steps are taken. */
static inline const struct macs_entry *macs_profile_chosen(const struct macs_profile_choice *choice) {
    return choice->left == MACS_PROFILE_AT_MEMBER ? macs_profile_value(choice->at) : choice->at;
}

#endif
