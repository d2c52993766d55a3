/* Action profiles: what is made of them, ids, and who refers to whom. Members and groups have files of their own. */
#include <errno.h>
#include <macs/qsbr.h>
#include <stdlib.h>

#include "runtime/profile.h"
#include "runtime/profile_writer.h"
#include "tables/common/memory.h"

/* Not more members can be elsewhere at once: each of them waits for a grace period. */
enum { ELSEWHERE_MAX = MACS_QSBR_BACKLOG };

static void free_writer(struct macs_profile_writer *writer) {
    if (!writer)
        return;
    macs_handles_fini(&writer->members);
    macs_handles_fini(&writer->groups);
    macs_ids_fini(&writer->member_ids);
    macs_ids_fini(&writer->group_ids);
    if (writer->values.base)
        macs_values_destroy(&writer->values);
    free(writer->leaving);
    free(writer->uses);
    free(writer->member_entries);
    free(writer->group_entries);
    free(writer);
}

static struct macs_profile_writer *make_writer(uint32_t size, uint32_t value_bytes, struct macs_qsbr *qsbr) {
    const uint32_t elsewhere = size < ELSEWHERE_MAX ? size : ELSEWHERE_MAX;
    const struct macs_table_shape shape = {.value_bytes = value_bytes, .size = elsewhere ? elsewhere : 1};
    struct macs_profile_writer *writer = calloc(1, sizeof(*writer));
    if (!writer)
        return NULL;
    writer->leaving = calloc((size_t)size + 1, sizeof(writer->leaving[0]));
    writer->uses = calloc((size_t)size + 1, sizeof(writer->uses[0]));
    writer->member_entries = calloc((size_t)size + 1, sizeof(writer->member_entries[0]));
    writer->group_entries = calloc((size_t)size + 1, sizeof(writer->group_entries[0]));
    if (writer->leaving && writer->uses && writer->member_entries && writer->group_entries &&
        !macs_handles_init(&writer->members, size) && !macs_handles_init(&writer->groups, size) &&
        !macs_ids_init(&writer->member_ids, size) && !macs_ids_init(&writer->group_ids, size) &&
        !macs_values_create(&writer->values, &shape, 0, qsbr))
        return writer;
    free_writer(writer);
    return NULL;
}

/* From member to member: none spans more lines than it must. */
static uint32_t member_bytes(uint32_t value_bytes) {
    const uint32_t bytes = (uint32_t)sizeof(struct macs_profile_member) + value_bytes;
    uint32_t stride = sizeof(struct macs_profile_member);
    while (stride < bytes && stride < 64)
        stride *= 2;
    return bytes <= 64 ? stride : (bytes + 63) & ~63u;
}

/* One more than asked for: there is something to allocate. */
static size_t bytes_of(const struct macs_profile *profile, size_t each) {
    return ((size_t)profile->size + 1) * each;
}

int macs_profile_create(struct macs_profile **created, uint32_t size, uint32_t value_bytes, struct macs_qsbr *qsbr) {
    struct macs_profile *profile = calloc(1, sizeof(*profile));
    if (!profile)
        return -ENOMEM;
    *profile = (struct macs_profile){
        .size = size, .value_bytes = value_bytes, .member_bytes = member_bytes(value_bytes), .qsbr = qsbr};
    profile->members = macs_memory_alloc(bytes_of(profile, profile->member_bytes), true);
    profile->groups = macs_memory_alloc(bytes_of(profile, sizeof(profile->groups[0])), true);
    profile->writer = make_writer(size, value_bytes, qsbr);
    if (profile->members && profile->groups && profile->writer) {
        *created = profile;
        return 0;
    }
    macs_profile_destroy(profile);
    return -ENOMEM;
}

void macs_profile_destroy(struct macs_profile *profile) {
    if (profile->writer)
        profile->writer->closing = true;
    macs_qsbr_drop(profile->qsbr, profile);
    if (profile->groups)
        macs_profile_free_groups(profile);
    macs_memory_free(profile->members, bytes_of(profile, profile->member_bytes));
    macs_memory_free(profile->groups, bytes_of(profile, sizeof(profile->groups[0])));
    free_writer(profile->writer);
    free(profile);
}

/* --- ids ------------------------------------------------------------------------------------------------------------
 */

int macs_profile_member_find(const struct macs_profile *profile, uint64_t id, uint32_t *handle) {
    if (id < MACS_PROFILE_UNNAMED)
        return macs_ids_find(&profile->writer->member_ids, id, handle);
    *handle = (uint32_t)id;
    return macs_profile_member(profile, *handle) && macs_profile_member_id(profile, *handle) == id ? 0 : -ENOENT;
}

int macs_profile_group_find(const struct macs_profile *profile, uint64_t id, uint32_t *handle) {
    if (id < MACS_PROFILE_UNNAMED)
        return macs_ids_find(&profile->writer->group_ids, id, handle) ? -ESRCH : 0;
    *handle = (uint32_t)id;
    return macs_profile_group_is_there(profile, *handle) && macs_profile_group_id(profile, *handle) == id ? 0 : -ESRCH;
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
