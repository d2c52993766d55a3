/* The writer's functions of action profiles.
 *
 * Threads: the control thread.
 * Errors: -ENOMEM; -ENOSPC: no handle is free; -ENOENT: no such member; -ESRCH: no such group; -EBUSY: a reader does
 * not report, or the member to delete is in a group; -EEXIST, -EINVAL: the member is, or is not, in the group already.
 */
#ifndef MACS_RUNTIME_PROFILE_H
#define MACS_RUNTIME_PROFILE_H

#include <macs/profile.h>

int macs_profile_create(struct macs_profile **created, uint32_t size, uint32_t value_bytes, struct macs_qsbr *qsbr);
/* No reader may use it any more. */
void macs_profile_destroy(struct macs_profile *profile);

/* `value` is copied: value_bytes of it. */
int macs_profile_member_create(struct macs_profile *profile, const void *value, uint32_t *handle);
int macs_profile_member_modify(struct macs_profile *profile, uint32_t handle, const void *value);
int macs_profile_member_delete(struct macs_profile *profile, uint32_t handle);

int macs_profile_group_create(struct macs_profile *profile, uint32_t *handle);
int macs_profile_group_delete(struct macs_profile *profile, uint32_t handle);
int macs_profile_group_add(struct macs_profile *profile, uint32_t group, uint32_t member);
int macs_profile_group_remove(struct macs_profile *profile, uint32_t group, uint32_t member);

#endif
