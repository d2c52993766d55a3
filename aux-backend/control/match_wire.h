/* Match keys and actions in binary messages (docs/control.md, "Entries in messages").
 *
 *   key       for each field, in the order of the program: exact: value. lpm: value, u16 prefix length. ternary and
 *             optional: value, mask. range: low, high. A value has whole bytes; unused high bits are zero.
 *             Behind them i32 priority, in tables that have priorities: none below 0; the larger wins.
 *   action    u32 number, then its parameters, each in whole bytes; or MACS_INDIRECT_MEMBER or MACS_INDIRECT_GROUP, and
 *             u64 id of it. Entries of value sets have none.
 */
#ifndef MACS_CONTROL_MATCH_WIRE_H
#define MACS_CONTROL_MATCH_WIRE_H

#include "control/match.h"
#include "control/wire.h"

/* Read a key into the buffer, and set the match up. False: it is cut off, or a value does not fit. */
bool macs_match_take(const struct macs_table_desc *desc, struct macs_wire *wire, struct macs_match_buffer *buffer,
                     struct macs_match *match);

/* Read an action into a whole value of the table. 0, -EINVAL: it is cut off, does not fit, or there is none of the
 * number; -ENOENT: the member or group that it names is not there. */
int macs_action_take(const struct macs_program *program, const struct macs_table_desc *desc, struct macs_wire *wire,
                     void *value);

/* Append; false: no memory. */
bool macs_match_put(const struct macs_table_desc *desc, const struct macs_match *match, struct macs_bytes *bytes);
/* The same of a whole entry: key, u32 index, action. */
bool macs_entry_put(const struct macs_program *program, const struct macs_table_desc *desc,
                    const struct macs_match *match, const struct macs_entry *entry, struct macs_bytes *bytes);
bool macs_action_put(const struct macs_program *program, const struct macs_table_desc *desc,
                     const struct macs_entry *entry, struct macs_bytes *bytes);

#endif
