/* Groups of action profiles. Few members are in the group's line, where they are rewritten; many are a sequence. */
#include <errno.h>
#include <macs/qsbr.h>

#include "runtime/profile.h"
#include "runtime/profile_writer.h"

static uintptr_t list_of(const struct macs_profile *profile, uint32_t handle) {
    return atomic_load_explicit(&profile->groups[handle].list, memory_order_relaxed);
}

/* NULL: its members are few, or it is not there. */
static struct macs_sequence *many_of(const struct macs_profile *profile, uint32_t handle) {
    const uintptr_t list = list_of(profile, handle);
    return list & 1 ? NULL : (struct macs_sequence *)list;
}

bool macs_profile_group_is_there(const struct macs_profile *profile, uint32_t handle) {
    return handle < profile->size && list_of(profile, handle);
}

uint32_t macs_profile_group_count(const struct macs_profile *profile, uint32_t handle) {
    const struct macs_sequence *many = many_of(profile, handle);
    return many ? many->count : atomic_load_explicit(&profile->groups[handle].count, memory_order_relaxed);
}

uint32_t macs_profile_group_member(const struct macs_profile *profile, uint32_t handle, uint32_t place) {
    const struct macs_sequence *many = many_of(profile, handle);
    if (many)
        return *(const uint32_t *)macs_sequence_at(many, sizeof(uint32_t), place);
    return atomic_load_explicit(&profile->groups[handle].few[place], memory_order_relaxed);
}

static void publish(struct macs_profile *profile, uint32_t handle, uintptr_t list) {
    atomic_store_explicit(&profile->groups[handle].list, list, memory_order_release);
    macs_tables_changed();
}

/* Rewrite the few members, while `list` leads elsewhere or nowhere. Who reads one of them then, finds `list` changed:
 * each is released. */
static void publish_few(struct macs_profile *profile, uint32_t handle, const uint32_t *members, uint32_t count) {
    struct macs_profile_group *group = &profile->groups[handle];
    atomic_store_explicit(&group->count, count, memory_order_release);
    for (uint32_t i = 0; i < count; i++)
        atomic_store_explicit(&group->few[i], members[i], memory_order_release);
    profile->writer->changes += 2;
    publish(profile, handle, profile->writer->changes | 1);
}

void macs_profile_free_groups(struct macs_profile *profile) {
    for (uint32_t i = 0; i < profile->size; i++)
        macs_sequence_destroy(many_of(profile, i));
}

int macs_profile_group_create(struct macs_profile *profile, uint64_t id, uint32_t *handle) {
    int status = macs_handles_take(&profile->writer->groups, handle);
    if (status)
        return status;
    if (id)
        macs_ids_set(&profile->writer->group_ids, *handle, id);
    publish_few(profile, *handle, NULL, 0);
    return 0;
}

int macs_profile_group_delete(struct macs_profile *profile, uint32_t handle) {
    if (!macs_profile_group_is_there(profile, handle))
        return -ESRCH;
    int status = macs_qsbr_reserve(profile->qsbr, 1);
    if (status)
        return status;
    struct macs_sequence *many = many_of(profile, handle);
    for (uint32_t i = 0; i < macs_profile_group_count(profile, handle); i++)
        profile->writer->uses[macs_profile_group_member(profile, handle, i)]--;
    macs_ids_clear(&profile->writer->group_ids, handle);
    macs_handles_give_back(&profile->writer->groups, handle);
    publish(profile, handle, 0);
    if (many)
        macs_qsbr_defer(profile->qsbr, macs_sequence_release, profile, many);
    return 0;
}

/* The place of a member in a group, or where it would be: by handle, as BMv2 has them, so that what a hash chooses is
 * the same however the group was made. */
static uint32_t place_in(const struct macs_profile *profile, uint32_t group, uint32_t member, bool *there) {
    const uint32_t count = macs_profile_group_count(profile, group);
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (macs_profile_group_member(profile, group, middle) < member)
            low = middle + 1;
        else
            high = middle;
    }
    *there = low < count && macs_profile_group_member(profile, group, low) == member;
    return low;
}

/* -- changes ----------------------------------------------------------------------------------------------------------
 */

/* Of a group, from `place` on: so many members go, these come. */
struct change {
    uint32_t place, removed;
    const uint32_t *members;
    uint32_t added;
};

/* The few members as they will be: how many. */
static uint32_t few_after(const struct macs_profile *profile, uint32_t handle, const struct change *change,
                          uint32_t after[MACS_PROFILE_FEW]) {
    const uint32_t count = macs_profile_group_count(profile, handle);
    uint32_t made = 0;
    for (uint32_t i = 0; i < change->place; i++)
        after[made++] = macs_profile_group_member(profile, handle, i);
    for (uint32_t i = 0; i < change->added; i++)
        after[made++] = change->members[i];
    for (uint32_t i = change->place + change->removed; i < count; i++)
        after[made++] = macs_profile_group_member(profile, handle, i);
    return made;
}

/* The few members as they are, as a sequence. NULL: no memory. */
static struct macs_sequence *copy_few(const struct macs_profile *profile, uint32_t handle) {
    uint32_t few[MACS_PROFILE_FEW];
    const uint32_t count = few_after(profile, handle, &(struct change){0}, few);
    struct macs_sequence *empty = macs_sequence_create(), *made = empty;
    if (!empty || macs_sequence_splice(&made, sizeof(few[0]), 0, 0, few, count)) {
        macs_sequence_destroy(empty);
        return NULL;
    }
    macs_sequence_retire(NULL, empty);
    return made;
}

/* Readers see the group as it was or as it is then. */
static int change_group(struct macs_profile *profile, uint32_t handle, const struct change *change) {
    const uint32_t count = macs_profile_group_count(profile, handle) - change->removed + change->added;
    struct macs_sequence *const many = many_of(profile, handle);
    int status = macs_qsbr_reserve(profile->qsbr, 1);
    struct macs_sequence *before = status || many ? many : copy_few(profile, handle);
    if (!status && !before)
        status = -ENOMEM;
    if (status)
        return status;
    if (count <= MACS_PROFILE_FEW) {
        uint32_t after[MACS_PROFILE_FEW];
        few_after(profile, handle, change, after);
        publish(profile, handle, (uintptr_t)before);
        publish_few(profile, handle, after, count);
        macs_qsbr_defer(profile->qsbr, macs_sequence_release, profile, before);
        return 0;
    }
    struct macs_sequence *next = before;
    status =
        macs_sequence_splice(&next, sizeof(uint32_t), change->place, change->removed, change->members, change->added);
    if (status) {
        if (!many)
            macs_sequence_destroy(before);
        return status;
    }
    publish(profile, handle, (uintptr_t)next);
    if (many)
        macs_qsbr_defer(profile->qsbr, macs_sequence_retire, profile, before);
    else
        macs_sequence_retire(NULL, before);
    return 0;
}

int macs_profile_group_add(struct macs_profile *profile, uint32_t group, uint32_t member) {
    bool there;
    if (!macs_profile_group_is_there(profile, group))
        return -ESRCH;
    if (!macs_profile_member(profile, member))
        return -ENOENT;
    const uint32_t place = place_in(profile, group, member, &there);
    if (there)
        return -EEXIST;
    int status = change_group(profile, group, &(struct change){.place = place, .members = &member, .added = 1});
    if (!status)
        profile->writer->uses[member]++;
    return status;
}

int macs_profile_group_remove(struct macs_profile *profile, uint32_t group, uint32_t member) {
    bool there;
    if (!macs_profile_group_is_there(profile, group))
        return -ESRCH;
    const uint32_t place = place_in(profile, group, member, &there);
    if (!there)
        return -EINVAL;
    int status = change_group(profile, group, &(struct change){.place = place, .removed = 1});
    if (!status)
        profile->writer->uses[member]--;
    return status;
}

int macs_profile_group_set(struct macs_profile *profile, uint32_t group, const uint32_t *members, uint32_t count) {
    if (!macs_profile_group_is_there(profile, group))
        return -ESRCH;
    const uint32_t old_count = macs_profile_group_count(profile, group);
    uint32_t *uses = profile->writer->uses;
    for (uint32_t i = 0; i < count; i++)
        uses[members[i]]++;
    for (uint32_t i = 0; i < old_count; i++)
        uses[macs_profile_group_member(profile, group, i)]--;
    int status = change_group(profile, group, &(struct change){0, old_count, members, count});
    if (!status)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        uses[members[i]]--;
    for (uint32_t i = 0; i < old_count; i++)
        uses[macs_profile_group_member(profile, group, i)]++;
    return status;
}
