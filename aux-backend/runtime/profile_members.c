/* Members of action profiles.
 *
 * The value of a member is in its own place, behind its head. A reader may hold it, so a new value goes elsewhere
 * first; it comes home when the grace period of the place is over. Meanwhile packets read one more line.
 */
#include <errno.h>
#include <macs/qsbr.h>
#include <string.h>

#include "runtime/profile.h"
#include "runtime/profile_writer.h"

static struct macs_entry *home_of(const struct macs_profile *profile, uint32_t handle) {
    return (struct macs_entry *)(void *)(macs_profile_member_at(profile, handle) + 1);
}

const struct macs_entry *macs_profile_member(const struct macs_profile *profile, uint32_t handle) {
    return handle < profile->size ? atomic_load(&macs_profile_member_at(profile, handle)->value) : NULL;
}

static void publish(struct macs_profile *profile, uint32_t handle, const struct macs_entry *value) {
    atomic_store_explicit(&macs_profile_member_at(profile, handle)->value, value, memory_order_release);
    macs_tables_changed();
}

static void publish_home(struct macs_profile *profile, uint32_t handle, const void *value) {
    struct macs_entry *home = home_of(profile, handle);
    memcpy(home, value, profile->value_bytes);
    home->index = handle;
    publish(profile, handle, home);
}

/* What was published elsewhere is unlinked. Needs one reserved defer. */
static void retire(struct macs_profile *profile, const struct macs_entry *value) {
    struct macs_values *values = &profile->writer->values;
    macs_values_retire(values, (uint32_t)((size_t)((const uint8_t *)value - values->base) / values->stride));
}

/* A macs_qsbr_release_fn: nobody reads the member's own place any more. That it ran has made room for a defer. */
static void come_home(void *owner, void *what) {
    struct macs_profile *profile = owner;
    const uint32_t handle = (uint32_t)(uintptr_t)what;
    const struct macs_entry *elsewhere = macs_profile_member(profile, handle);
    profile->writer->leaving[handle] = false;
    if (!elsewhere || profile->writer->closing)
        return;
    publish_home(profile, handle, elsewhere);
    retire(profile, elsewhere);
}

/* Publish a copy of the value, away from the member's own place, which is left; NULL: nothing is there. */
static int replace_member(struct macs_profile *profile, uint32_t handle, const void *value) {
    struct macs_profile_writer *writer = profile->writer;
    uint32_t slot = 0;
    int status = macs_qsbr_reserve(profile->qsbr, 1);
    if (!status && value)
        status = macs_values_take(&writer->values, handle, value, &slot);
    if (status)
        return status;
    const struct macs_entry *old = macs_profile_member(profile, handle); /* which may have come home meanwhile */
    publish(profile, handle, value ? macs_values_at(&writer->values, slot) : NULL);
    if (old && old != home_of(profile, handle)) {
        retire(profile, old);
    } else if (!writer->leaving[handle]) {
        writer->leaving[handle] = true;
        macs_qsbr_defer(profile->qsbr, come_home, profile, (void *)(uintptr_t)handle);
    }
    return 0;
}

/* Publish a copy of the value at the handle. */
static int set_member(struct macs_profile *profile, uint32_t handle, const void *value) {
    if (profile->writer->leaving[handle] || macs_profile_member(profile, handle))
        return replace_member(profile, handle, value);
    publish_home(profile, handle, value);
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
    return macs_profile_member(profile, handle) ? replace_member(profile, handle, value) : -ENOENT;
}

int macs_profile_member_delete(struct macs_profile *profile, uint32_t handle) {
    if (!macs_profile_member(profile, handle))
        return -ENOENT;
    if (profile->writer->uses[handle])
        return -EBUSY;
    int status = replace_member(profile, handle, NULL);
    if (status)
        return status;
    macs_ids_clear(&profile->writer->member_ids, handle);
    macs_handles_give_back(&profile->writer->members, handle);
    return 0;
}
