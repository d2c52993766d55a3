#include "control/profile_wire.h"

#include <stdlib.h>

#include "control/match_wire.h"
#include "control/update_status.h"
#include "runtime/profile.h"

#define WEIGHTS_MAX 65536u /* of the members of a group together: each is a place in memory */
#define MEMBER_BYTES 12u   /* u64 id, u32 weight */

struct macs_profile_at macs_profile_take(const struct macs_program *program, struct macs_wire *wire) {
    struct macs_profile_at at = {0};
    const uint16_t number = macs_wire_u16(wire);
    if (wire->cut || number >= program->extern_count)
        return at;
    at.desc = &program->extern_descs[number];
    if (at.desc->kind != MACS_ACTION_PROFILE && at.desc->kind != MACS_ACTION_SELECTOR)
        return at;
    for (uint16_t i = 0; i < program->table_count && !at.table; i++)
        if (program->table_descs[i].profile == number + 1)
            at.table = &program->table_descs[i];
    at.profile = at.table ? program->externs[number] : NULL;
    return at;
}

/* --- members --------------------------------------------------------------------------------------------------------
 */

/* An action that a member may have, into console->value. */
static bool take_action(struct macs_console *console, const struct macs_profile_at *at, struct macs_wire *wire) {
    const struct macs_entry *entry = console->value;
    return !macs_action_take(console->program, at->table, wire, console->value) && macs_wire_whole(wire) &&
           entry->action < at->table->action_count && at->table->actions[entry->action].scope != MACS_DEFAULT_ONLY;
}

enum macs_update_status macs_member_change(struct macs_console *console, struct macs_wire *wire, uint8_t kind) {
    const struct macs_profile_at at = macs_profile_take(console->program, wire);
    const uint64_t id = macs_wire_u64(wire);
    uint32_t handle;
    if (!at.profile || !id || wire->cut)
        return MACS_UPDATE_WRONG;
    if (kind == MACS_UPDATE_REMOVE_MEMBER ? !macs_wire_whole(wire) : !take_action(console, &at, wire))
        return MACS_UPDATE_WRONG;
    const bool there = !macs_profile_member_find(at.profile, id, &handle);
    if (kind == MACS_UPDATE_ADD_MEMBER && (there || id >= MACS_PROFILE_UNNAMED))
        return there ? MACS_UPDATE_EXISTS : MACS_UPDATE_WRONG;
    if (kind == MACS_UPDATE_ADD_MEMBER)
        return macs_update_status_of(macs_profile_member_create(at.profile, id, console->value, &handle));
    if (!there)
        return MACS_UPDATE_NONE;
    if (kind == MACS_UPDATE_MODIFY_MEMBER)
        return macs_update_status_of(macs_profile_member_modify(at.profile, handle, console->value));
    return macs_profile_member_used(at.profile, handle)
               ? MACS_UPDATE_USED
               : macs_update_status_of(macs_profile_member_delete(at.profile, handle));
}

bool macs_members_read(const struct macs_program *program, const struct macs_profile_at *at, uint32_t handle,
                       struct macs_bytes *answer) {
    const struct macs_entry *member = macs_profile_member(at->profile, handle);
    return !member || (macs_wire_put_u64(answer, macs_profile_member_id(at->profile, handle)) &&
                       macs_action_put(program, at->table, member, answer));
}

/* --- groups ---------------------------------------------------------------------------------------------------------
 */

/* The members of a group: handles, each as often as it weighs. */
struct members {
    uint32_t *handles;
    uint32_t count;
};

static int by_handle(const void *one, const void *other) {
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

static enum macs_update_status take_members(const struct macs_profile_at *at, struct macs_wire *wire,
                                            struct members *members) {
    if (wire->cut || wire->left % MEMBER_BYTES)
        return MACS_UPDATE_WRONG;
    uint64_t count = 0;
    for (size_t i = 0; i < wire->left; i += MEMBER_BYTES)
        count += macs_get_u32(wire->at + i + 8);
    if (count > WEIGHTS_MAX)
        return MACS_UPDATE_FULL;
    members->handles = malloc((count + 1) * sizeof(members->handles[0]));
    if (!members->handles)
        return MACS_UPDATE_NO_MEMORY;
    while (wire->left) {
        uint32_t handle;
        if (macs_profile_member_find(at->profile, macs_wire_u64(wire), &handle))
            return MACS_UPDATE_NONE;
        for (uint32_t weight = macs_wire_u32(wire); weight; weight--)
            members->handles[members->count++] = handle;
    }
    qsort(members->handles, members->count, sizeof(members->handles[0]), by_handle);
    return MACS_UPDATE_DONE;
}

static enum macs_update_status set_group(const struct macs_profile_at *at, struct macs_wire *wire, uint64_t id,
                                         uint32_t handle, bool there) {
    struct members members = {0};
    enum macs_update_status taken = take_members(at, wire, &members);
    if (taken == MACS_UPDATE_DONE) {
        int status = there ? 0 : macs_profile_group_create(at->profile, id, &handle);
        if (!status) {
            status = macs_profile_group_set(at->profile, handle, members.handles, members.count);
            if (status && !there)
                macs_profile_group_delete(at->profile, handle);
        }
        taken = macs_update_status_of(status);
    }
    free(members.handles);
    return taken;
}

enum macs_update_status macs_group_change(struct macs_console *console, struct macs_wire *wire, uint8_t kind) {
    const struct macs_profile_at at = macs_profile_take(console->program, wire);
    const uint64_t id = macs_wire_u64(wire);
    uint32_t handle = 0;
    if (!at.profile || at.desc->kind != MACS_ACTION_SELECTOR || !id || wire->cut)
        return MACS_UPDATE_WRONG;
    const bool there = !macs_profile_group_find(at.profile, id, &handle);
    if (kind == MACS_UPDATE_ADD_GROUP && (there || id >= MACS_PROFILE_UNNAMED))
        return there ? MACS_UPDATE_EXISTS : MACS_UPDATE_WRONG;
    if (kind != MACS_UPDATE_ADD_GROUP && !there)
        return MACS_UPDATE_NONE;
    if (kind != MACS_UPDATE_REMOVE_GROUP)
        return set_group(&at, wire, id, handle, there);
    if (!macs_wire_whole(wire))
        return MACS_UPDATE_WRONG;
    return macs_profile_group_used(at.profile, handle)
               ? MACS_UPDATE_USED
               : macs_update_status_of(macs_profile_group_delete(at.profile, handle));
}

static bool put_member(const struct macs_profile *profile, uint32_t handle, uint32_t weight,
                       struct macs_bytes *answer) {
    return macs_wire_put_u64(answer, macs_profile_member_id(profile, handle)) && macs_wire_put_u32(answer, weight);
}

bool macs_groups_read(const struct macs_program *program, const struct macs_profile_at *at, uint32_t handle,
                      struct macs_bytes *answer) {
    (void)program;
    if (!macs_profile_group_is_there(at->profile, handle))
        return true;
    const uint32_t count = macs_profile_group_count(at->profile, handle);
    if (!macs_wire_put_u64(answer, macs_profile_group_id(at->profile, handle)) || !macs_wire_put_u32(answer, 0))
        return false;
    const size_t counted = answer->length - 4;
    uint32_t members = 0, weight = 0, last = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t member = macs_profile_group_member(at->profile, handle, i);
        if (weight && member != last && (members++, !put_member(at->profile, last, weight, answer)))
            return false;
        weight = weight && member == last ? weight + 1 : 1;
        last = member;
    }
    if (weight && (members++, !put_member(at->profile, last, weight, answer)))
        return false;
    macs_put_u32(answer->data + counted, members);
    return true;
}
