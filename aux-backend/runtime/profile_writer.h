/* What the writer of an action profile has beside what readers read. Private to profile*.c. */
#ifndef MACS_RUNTIME_PROFILE_WRITER_H
#define MACS_RUNTIME_PROFILE_WRITER_H

#include <macs/profile.h>
#include <stdbool.h>

#include "runtime/handles.h"
#include "runtime/ids.h"
#include "tables/common/values.h"

struct macs_profile_writer {
    struct macs_handles members, groups;
    struct macs_ids member_ids, group_ids;
    struct macs_values values; /* of members whose own place readers may still read */
    bool *leaving;             /* by member: its own place was given up, and its grace period lasts */
    uint32_t *uses;            /* by member: how often it is in groups */
    uint32_t *member_entries;  /* by member: how many entries name it */
    uint32_t *group_entries;   /* by group */
    uintptr_t changes;         /* of few members, 2 a change: no two groups' `list` are alike */
    bool closing;
};

/* Of all groups. No reader may use them any more. */
void macs_profile_free_groups(struct macs_profile *profile);

#endif
