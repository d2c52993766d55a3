/* Members and groups of action profiles in binary messages, by the ids that clients give them. protocol.h has the
 * bytes.
 */
#ifndef MACS_CONTROL_PROFILE_WIRE_H
#define MACS_CONTROL_PROFILE_WIRE_H

#include "control/console.h"
#include "control/wire.h"

/* An action profile, and the table whose actions its members have. */
struct macs_profile_at {
    const struct macs_extern_desc *desc;
    struct macs_profile *profile; /* NULL: there is none of that number */
    const struct macs_table_desc *table;
};

struct macs_profile_at macs_profile_take(const struct macs_program *program, struct macs_wire *wire);

/* Do a change of a member or a group. */
enum macs_update_status macs_member_change(struct macs_console *console, struct macs_wire *wire, uint8_t kind);
enum macs_update_status macs_group_change(struct macs_console *console, struct macs_wire *wire, uint8_t kind);

/* Append the member or the group of a handle, if there is one; false: no memory. */
typedef bool macs_profile_read_fn(const struct macs_program *program, const struct macs_profile_at *at, uint32_t handle,
                                  struct macs_bytes *answer);
macs_profile_read_fn macs_members_read, macs_groups_read;

#endif
