/* The writer's functions of action profiles.
 *
 * Members and groups have handles, which the profile gives them, and may have ids, by which clients of the control
 * protocol know them.
 * Threads: the control thread.
 * Errors: -ENOMEM; -ENOSPC: no handle is free; -ENOENT: no such member; -ESRCH: no such group; -EBUSY: a reader does
 * not report, or the member to delete is in a group; -EEXIST, -EINVAL: the member is, or is not, in the group already.
 */
#ifndef MACS_RUNTIME_PROFILE_H
#define MACS_RUNTIME_PROFILE_H

#include <macs/profile.h>
#include <stdbool.h>

int macs_profile_create(struct macs_profile **created, uint32_t size, uint32_t value_bytes, struct macs_qsbr *qsbr);
/* No reader may use it any more. */
void macs_profile_destroy(struct macs_profile *profile);

/* Ids from here on are those of members and groups that were given none: this and the handle. */
#define MACS_PROFILE_UNNAMED (UINT64_C(1) << 63)

/* `value` is copied: value_bytes of it. `id`: 0 for none, else one that no other member has. */
int macs_profile_member_create(struct macs_profile *profile, uint64_t id, const void *value, uint32_t *handle);
int macs_profile_member_modify(struct macs_profile *profile, uint32_t handle, const void *value);
int macs_profile_member_delete(struct macs_profile *profile, uint32_t handle);
/* Its value, or NULL: there is none. */
const struct macs_entry *macs_profile_member(const struct macs_profile *profile, uint32_t handle);

int macs_profile_group_create(struct macs_profile *profile, uint64_t id, uint32_t *handle);
int macs_profile_group_delete(struct macs_profile *profile, uint32_t handle);
bool macs_profile_group_is_there(const struct macs_profile *profile, uint32_t handle);
/* Of a group that is there: how many members, and the handle of one of them. */
uint32_t macs_profile_group_count(const struct macs_profile *profile, uint32_t handle);
uint32_t macs_profile_group_member(const struct macs_profile *profile, uint32_t handle, uint32_t place);
int macs_profile_group_add(struct macs_profile *profile, uint32_t group, uint32_t member);
int macs_profile_group_remove(struct macs_profile *profile, uint32_t group, uint32_t member);
/* The group is these members, all of which there are, from now on: ascending, each as often as it weighs. */
int macs_profile_group_set(struct macs_profile *profile, uint32_t group, const uint32_t *members, uint32_t count);

/* By id: 0, -ENOENT or -ESRCH. */
int macs_profile_member_find(const struct macs_profile *profile, uint64_t id, uint32_t *handle);
int macs_profile_group_find(const struct macs_profile *profile, uint64_t id, uint32_t *handle);
uint64_t macs_profile_member_id(const struct macs_profile *profile, uint32_t handle);
uint64_t macs_profile_group_id(const struct macs_profile *profile, uint32_t handle);

/* An entry that names a member or a group has come (1) or gone (-1); what other entries do is not counted. */
void macs_profile_refer(struct macs_profile *profile, const struct macs_entry *entry, int more);
/* An entry or a group needs it. */
bool macs_profile_member_used(const struct macs_profile *profile, uint32_t handle);
bool macs_profile_group_used(const struct macs_profile *profile, uint32_t handle);

#endif
