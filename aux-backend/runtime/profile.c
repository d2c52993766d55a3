#include "runtime/profile.h"

#include <errno.h>
#include <macs/qsbr.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/handles.h"
#include "runtime/ids.h"
#include "tables/common/memory.h"
#include "tables/common/values.h"

struct macs_profile_writer {
    struct macs_handles members, groups;
    struct macs_ids member_ids, group_ids;
    struct macs_values values; /* the members */
    uint32_t *uses;            /* by member: how often it is in groups */
    uint32_t *member_entries;  /* by member: how many entries name it */
    uint32_t *group_entries;   /* by group */
};

static void free_writer(struct macs_profile_writer *writer) {
    if (!writer)
        return;
    macs_handles_fini(&writer->members);
    macs_handles_fini(&writer->groups);
    macs_ids_fini(&writer->member_ids);
    macs_ids_fini(&writer->group_ids);
    if (writer->values.base)
        macs_values_destroy(&writer->values);
    free(writer->uses);
    free(writer->member_entries);
    free(writer->group_entries);
    free(writer);
}

static struct macs_profile_writer *make_writer(uint32_t size, uint32_t value_bytes, struct macs_qsbr *qsbr) {
    const struct macs_table_shape shape = {.value_bytes = value_bytes, .size = size ? size : 1};
    struct macs_profile_writer *writer = calloc(1, sizeof(*writer));
    if (!writer)
        return NULL;
    writer->uses = calloc((size_t)size + 1, sizeof(writer->uses[0]));
    writer->member_entries = calloc((size_t)size + 1, sizeof(writer->member_entries[0]));
    writer->group_entries = calloc((size_t)size + 1, sizeof(writer->group_entries[0]));
    if (writer->uses && writer->member_entries && writer->group_entries && !macs_handles_init(&writer->members, size) &&
        !macs_handles_init(&writer->groups, size) && !macs_ids_init(&writer->member_ids, size) &&
        !macs_ids_init(&writer->group_ids, size) && !macs_values_create(&writer->values, &shape, 0, qsbr))
        return writer;
    free_writer(writer);
    return NULL;
}

int macs_profile_create(struct macs_profile **created, uint32_t size, uint32_t value_bytes, struct macs_qsbr *qsbr) {
    struct macs_profile *profile = calloc(1, sizeof(*profile));
    if (!profile)
        return -ENOMEM;
    *profile = (struct macs_profile){.size = size, .value_bytes = value_bytes, .qsbr = qsbr};
    profile->members = macs_memory_alloc(((size_t)size + 1) * sizeof(profile->members[0]), false);
    profile->groups = macs_memory_alloc(((size_t)size + 1) * sizeof(profile->groups[0]), false);
    profile->writer = make_writer(size, value_bytes, qsbr);
    if (profile->members && profile->groups && profile->writer) {
        *created = profile;
        return 0;
    }
    macs_profile_destroy(profile);
    return -ENOMEM;
}

void macs_profile_destroy(struct macs_profile *profile) {
    macs_qsbr_drop(profile->qsbr, profile);
    for (uint32_t i = 0; profile->groups && i < profile->size; i++)
        macs_sequence_destroy(atomic_load(&profile->groups[i]));
    macs_memory_free(profile->members, ((size_t)profile->size + 1) * sizeof(profile->members[0]));
    macs_memory_free(profile->groups, ((size_t)profile->size + 1) * sizeof(profile->groups[0]));
    free_writer(profile->writer);
    free(profile);
}

static const struct macs_entry *member_at(const struct macs_profile *profile, uint32_t handle) {
    return handle < profile->size ? atomic_load(&profile->members[handle]) : NULL;
}

static struct macs_sequence *group_at(const struct macs_profile *profile, uint32_t handle) {
    return handle < profile->size ? atomic_load(&profile->groups[handle]) : NULL;
}

static uint32_t slot_of(const struct macs_profile *profile, const struct macs_entry *member) {
    const struct macs_values *values = &profile->writer->values;
    return (uint32_t)((size_t)((const uint8_t *)member - values->base) / values->stride);
}

/* Publish a copy of the value at the handle; NULL: nothing is there. */
static int set_member(struct macs_profile *profile, uint32_t handle, const void *value) {
    struct macs_values *values = &profile->writer->values;
    const struct macs_entry *old = member_at(profile, handle);
    uint32_t slot = 0;
    int status = macs_qsbr_reserve(profile->qsbr, 1);
    if (!status && value)
        status = old ? macs_values_take(values, old->index, value, &slot) : macs_values_add(values, value, &slot);
    if (status)
        return status;
    atomic_store_explicit(&profile->members[handle], value ? macs_values_at(values, slot) : NULL, memory_order_release);
    if (old && value)
        macs_values_retire(values, slot_of(profile, old));
    else if (old)
        macs_values_remove(values, slot_of(profile, old));
    return 0;
}

int macs_profile_member_create(struct macs_profile *profile, uint64_t id, const void *value, uint32_t *handle) {
    int status = macs_handles_take(&profile->writer->members, handle);
    if (status)
        return status;
    status = set_member(profile, *handle, value);
    if (status)
        macs_handles_give_back(&profile->writer->members, *handle);
    else if (id)
        macs_ids_set(&profile->writer->member_ids, *handle, id);
    return status;
}

int macs_profile_member_modify(struct macs_profile *profile, uint32_t handle, const void *value) {
    return member_at(profile, handle) ? set_member(profile, handle, value) : -ENOENT;
}

int macs_profile_member_delete(struct macs_profile *profile, uint32_t handle) {
    if (!member_at(profile, handle))
        return -ENOENT;
    if (profile->writer->uses[handle])
        return -EBUSY;
    int status = set_member(profile, handle, NULL);
    if (status)
        return status;
    macs_ids_clear(&profile->writer->member_ids, handle);
    macs_handles_give_back(&profile->writer->members, handle);
    return 0;
}

int macs_profile_group_create(struct macs_profile *profile, uint64_t id, uint32_t *handle) {
    int status = macs_handles_take(&profile->writer->groups, handle);
    if (status)
        return status;
    struct macs_sequence *group = macs_sequence_create();
    if (!group) {
        macs_handles_give_back(&profile->writer->groups, *handle);
        return -ENOMEM;
    }
    if (id)
        macs_ids_set(&profile->writer->group_ids, *handle, id);
    atomic_store_explicit(&profile->groups[*handle], group, memory_order_release);
    return 0;
}

static uint32_t member_of(const struct macs_sequence *group, uint32_t place) {
    return *(const uint32_t *)macs_sequence_at(group, sizeof(uint32_t), place);
}

int macs_profile_group_delete(struct macs_profile *profile, uint32_t handle) {
    struct macs_sequence *group = group_at(profile, handle);
    if (!group)
        return -ESRCH;
    int status = macs_qsbr_reserve(profile->qsbr, 1);
    if (status)
        return status;
    for (uint32_t i = 0; i < group->count; i++)
        profile->writer->uses[member_of(group, i)]--;
    macs_ids_clear(&profile->writer->group_ids, handle);
    macs_handles_give_back(&profile->writer->groups, handle);
    atomic_store_explicit(&profile->groups[handle], NULL, memory_order_release);
    macs_qsbr_defer(profile->qsbr, macs_sequence_release, profile, group);
    return 0;
}

/* The place of a member in a group, or where it would be: by handle, as BMv2 has them, so that what a hash chooses is
 * the same however the group was made. */
static uint32_t place_in(const struct macs_sequence *group, uint32_t member, bool *there) {
    uint32_t low = 0, high = group->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (member_of(group, middle) < member)
            low = middle + 1;
        else
            high = middle;
    }
    *there = low < group->count && member_of(group, low) == member;
    return low;
}

/* Take so many members out of a group, or put that one in: readers see the group as it was or as it is then. */
static int change_group(struct macs_profile *profile, uint32_t handle, uint32_t place, uint32_t removed,
                        const uint32_t *member, uint32_t added) {
    struct macs_sequence *old = group_at(profile, handle), *group = old;
    int status = macs_qsbr_reserve(profile->qsbr, 1);
    if (!status)
        status = macs_sequence_splice(&group, sizeof(*member), place, removed, member, added);
    if (status)
        return status;
    atomic_store_explicit(&profile->groups[handle], group, memory_order_release);
    macs_qsbr_defer(profile->qsbr, macs_sequence_retire, profile, old);
    return 0;
}

int macs_profile_group_add(struct macs_profile *profile, uint32_t group, uint32_t member) {
    bool there;
    if (!group_at(profile, group))
        return -ESRCH;
    if (!member_at(profile, member))
        return -ENOENT;
    uint32_t place = place_in(group_at(profile, group), member, &there);
    if (there)
        return -EEXIST;
    int status = change_group(profile, group, place, 0, &member, 1);
    if (!status)
        profile->writer->uses[member]++;
    return status;
}

int macs_profile_group_remove(struct macs_profile *profile, uint32_t group, uint32_t member) {
    bool there;
    if (!group_at(profile, group))
        return -ESRCH;
    uint32_t place = place_in(group_at(profile, group), member, &there);
    if (!there)
        return -EINVAL;
    int status = change_group(profile, group, place, 1, NULL, 0);
    if (!status)
        profile->writer->uses[member]--;
    return status;
}

int macs_profile_group_set(struct macs_profile *profile, uint32_t group, const uint32_t *members, uint32_t count) {
    const struct macs_sequence *old = group_at(profile, group);
    if (!old)
        return -ESRCH;
    uint32_t *uses = profile->writer->uses;
    for (uint32_t i = 0; i < count; i++)
        uses[members[i]]++;
    for (uint32_t i = 0; i < old->count; i++)
        uses[member_of(old, i)]--;
    int status = change_group(profile, group, 0, old->count, members, count);
    if (!status)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        uses[members[i]]--;
    for (uint32_t i = 0; i < old->count; i++)
        uses[member_of(old, i)]++;
    return status;
}

/* --- ids ------------------------------------------------------------------------------------------------------------
 */

int macs_profile_member_find(const struct macs_profile *profile, uint64_t id, uint32_t *handle) {
    if (id < MACS_PROFILE_UNNAMED)
        return macs_ids_find(&profile->writer->member_ids, id, handle);
    *handle = (uint32_t)id;
    return member_at(profile, *handle) && macs_profile_member_id(profile, *handle) == id ? 0 : -ENOENT;
}

int macs_profile_group_find(const struct macs_profile *profile, uint64_t id, uint32_t *handle) {
    if (id < MACS_PROFILE_UNNAMED)
        return macs_ids_find(&profile->writer->group_ids, id, handle) ? -ESRCH : 0;
    *handle = (uint32_t)id;
    return group_at(profile, *handle) && macs_profile_group_id(profile, *handle) == id ? 0 : -ESRCH;
}

uint64_t macs_profile_member_id(const struct macs_profile *profile, uint32_t handle) {
    const uint64_t id = profile->writer->member_ids.ids[handle];
    return id ? id : MACS_PROFILE_UNNAMED | handle;
}

uint64_t macs_profile_group_id(const struct macs_profile *profile, uint32_t handle) {
    const uint64_t id = profile->writer->group_ids.ids[handle];
    return id ? id : MACS_PROFILE_UNNAMED | handle;
}

/* --- entries --------------------------------------------------------------------------------------------------------
 */

void macs_profile_refer(struct macs_profile *profile, const struct macs_entry *entry, int more) {
    const uint32_t handle = ((const struct macs_indirect *)entry)->handle;
    if (entry->action == MACS_INDIRECT_MEMBER)
        profile->writer->member_entries[handle] += (uint32_t)more;
    else if (entry->action == MACS_INDIRECT_GROUP)
        profile->writer->group_entries[handle] += (uint32_t)more;
}

bool macs_profile_member_used(const struct macs_profile *profile, uint32_t handle) {
    return profile->writer->uses[handle] || profile->writer->member_entries[handle];
}

bool macs_profile_group_used(const struct macs_profile *profile, uint32_t handle) {
    return profile->writer->group_entries[handle] != 0;
}
