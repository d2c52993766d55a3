/* The control protocol: messages over a Unix stream socket. docs/control.md describes it for users.
 *
 * A message is a header of 8 bytes, and `length` bytes. Numbers are big-endian. A reply has the type and the tag of its
 * request.
 *
 *   header      u32 length, u8 type, u8 status (0 in requests), u16 tag
 *
 *   type        request                              reply (status OK; else a text that says what was wrong)
 *   COMMAND     a line                               what it printed
 *   BULK        u8 flags, lines                      u32 done, u32 failed, text (also with status FAILED)
 *   INJECT      u16 port, (u32 length, bytes)…       u32 accepted: there was no room for the others
 *   COLLECT     -                                    (u16 port, u32 length, bytes)…; MORE: ask again for the others
 *   SUBSCRIBE   u8 flags, u16 ports…; none: digests  -
 *   DIGEST      (from the switch, to subscribers)    u16 length of the name, name, u32 bytes a record, records
 *   IDLE        (likewise)                           u16 table, u32 count, (u64 handle, u64 timeout,
 *                                                    u64 since the last hit)…, entries as READ has them
 *   FRAMES      (likewise)                           (u16 port, u32 length, bytes)…
 *   HOLD        u8 1: workers rest; 0: they go on    -
 *   STATS       -                                    JSON
 *   DESCRIBE    flags, or -                          JSON
 *   SET         u16 burst, u16 sub-batch; 0: as is   u16 burst, u16 sub-batch, as they are now
 *   SHUTDOWN    -                                    -
 *   UPDATE      u8 flags, (u32 length, u8 change,    for each change u8 status, u32 number
 *               bytes)…
 *   READ        u8 kind, what it needs               what it is; MORE: a part of it
 *   TRACE       u32 port, u32 every, u32 a second,   -
 *               u64 count, (u16 offset, u8 value,
 *               u8 mask)…; nothing: no more
 *   TRACED      (from the switch, to who traces)     u64 changes, u64 lost, (u16 port, u64 time,
 *                                                    u32 length, bytes)…
 *   NEXT        u8 1: what this client asks for is   -
 *               of the program that is loaded, while
 *               one is; 0: of the one that runs
 *
 * COLLECT is answered when all frames that were injected before have left the pipelines.
 */
#ifndef MACS_CONTROL_PROTOCOL_H
#define MACS_CONTROL_PROTOCOL_H

#include <stdint.h>

#define MACS_MESSAGE_HEAD 8u
#define MACS_MESSAGE_MAX (16u << 20) /* bytes behind the head, either way */

enum macs_message_type {
    MACS_MESSAGE_COMMAND = 1,
    MACS_MESSAGE_BULK,
    MACS_MESSAGE_INJECT,
    MACS_MESSAGE_COLLECT,
    MACS_MESSAGE_SUBSCRIBE,
    MACS_MESSAGE_DIGEST,
    MACS_MESSAGE_STATS,
    MACS_MESSAGE_DESCRIBE,
    MACS_MESSAGE_SET,
    MACS_MESSAGE_SHUTDOWN,
    MACS_MESSAGE_UPDATE,
    MACS_MESSAGE_READ,
    MACS_MESSAGE_IDLE,
    MACS_MESSAGE_FRAMES,
    MACS_MESSAGE_HOLD,
    MACS_MESSAGE_NEXT,
    MACS_MESSAGE_TRACE,
    MACS_MESSAGE_TRACED,
};

enum macs_message_status {
    MACS_STATUS_OK,
    MACS_STATUS_FAILED, /* done as far as the reply says */
    MACS_STATUS_WRONG,  /* not a message of this protocol; the switch closes the connection if it cannot go on */
    MACS_STATUS_MORE,
};

/* Flags of BULK; UPDATE has the first one. */
enum macs_bulk_flags {
    MACS_BULK_CONTINUE = 1, /* go on behind a line that failed */
    MACS_BULK_ANSWERS = 2,  /* the text has what the lines printed, too */
};

/* What SUBSCRIBE is for. */
enum macs_subscribe_flags {
    MACS_SUBSCRIBE_DIGESTS = 1,
    MACS_SUBSCRIBE_IDLE = 2,
};
/* A flag of UPDATE, and DESCRIBE's only one: of the program that is loaded, and does not run yet. */
#define MACS_UPDATE_NEXT 4u

/* Changes of UPDATE. */
enum macs_update {
    MACS_UPDATE_ADD = 1,       /* u16 table, key, action, u64 idle timeout or nothing; the number is the
                                  entry's index */
    MACS_UPDATE_MODIFY,        /* likewise */
    MACS_UPDATE_REMOVE,        /* u16 table, key */
    MACS_UPDATE_SET_DEFAULT,   /* u16 table, action */
    MACS_UPDATE_RESET_DEFAULT, /* u16 table */
    MACS_UPDATE_ELEMENT,       /* u16 extern, u32 index, element */
    MACS_UPDATE_ADD_MEMBER,    /* u16 extern, u64 id, action */
    MACS_UPDATE_MODIFY_MEMBER, /* likewise */
    MACS_UPDATE_REMOVE_MEMBER, /* u16 extern, u64 id */
    MACS_UPDATE_ADD_GROUP,     /* u16 extern, u64 id, (u64 member's id, u32 weight)… */
    MACS_UPDATE_MODIFY_GROUP,  /* likewise */
    MACS_UPDATE_REMOVE_GROUP,  /* u16 extern, u64 id */
    MACS_UPDATE_NOTE,          /* u16 bytes of the name, name, note; no bytes: there is none any more.
                                * It is not tried where the change before it failed */
};

enum macs_update_status {
    MACS_UPDATE_DONE,
    MACS_UPDATE_NOT_TRIED, /* one before it failed */
    MACS_UPDATE_WRONG,     /* not a change of this protocol or program */
    MACS_UPDATE_EXISTS,
    MACS_UPDATE_NONE,
    MACS_UPDATE_FULL,
    MACS_UPDATE_CONSTANT,
    MACS_UPDATE_BUSY, /* a worker hangs */
    MACS_UPDATE_NO_MEMORY,
    MACS_UPDATE_USED, /* an entry or a group names it */
};

/* What READ reads. */
enum macs_read {
    MACS_READ_ENTRIES = 1, /* u16 table, u64 cursor → u64 cursor, (key, u32 index, action)… */
    MACS_READ_ENTRY,       /* u16 table, key → key, u32 index, action; FAILED: there is none */
    MACS_READ_DEFAULT,     /* u16 table → u32 index, action */
    MACS_READ_ELEMENTS,    /* u16 extern, u32 first, u32 count → elements */
    MACS_READ_MEMBERS,     /* u16 extern, u32 cursor → u32 cursor, (u64 id, action)… */
    MACS_READ_GROUPS,      /* likewise → u32 cursor, (u64 id, u32 count, (u64 member's id, u32 weight)…)… */
    MACS_READ_NOTES,       /* u16 bytes, how names begin, last name that was read or nothing
                              → (u16 bytes, name, u32 bytes, note)…; MORE: not all of them */
    MACS_READ_AGES,        /* u16 table, u32 first, u32 count → (u64 timeout, u64 since the last hit)… */
    MACS_READ_RULES,       /* as ENTRIES, with the handle of each (u64) before its key */
    MACS_READ_RULE,        /* u16 table, u64 handle → handle, key, u32 index, action; FAILED: there is none */
    MACS_READ_RULE_OF_KEY, /* u16 table, key → likewise */
};

static inline void macs_put_u16(uint8_t *bytes, uint16_t value) {
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static inline void macs_put_u32(uint8_t *bytes, uint32_t value) {
    macs_put_u16(bytes, (uint16_t)(value >> 16));
    macs_put_u16(bytes + 2, (uint16_t)value);
}

static inline uint16_t macs_get_u16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline uint32_t macs_get_u32(const uint8_t *bytes) {
    return (uint32_t)macs_get_u16(bytes) << 16 | macs_get_u16(bytes + 2);
}

#endif
