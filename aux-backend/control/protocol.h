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
 *   SUBSCRIBE   -                                    -
 *   DIGEST      (from the switch, to subscribers)    u16 length of the name, name, u32 bytes a record, records
 *   STATS       -                                    JSON
 *   DESCRIBE    -                                    JSON
 *   SET         u16 burst, u16 sub-batch; 0: as is   u16 burst, u16 sub-batch, as they are now
 *   SHUTDOWN    -                                    -
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
};

enum macs_message_status {
    MACS_STATUS_OK,
    MACS_STATUS_FAILED, /* done as far as the reply says */
    MACS_STATUS_WRONG,  /* not a message of this protocol; the switch closes the connection if it cannot go on */
    MACS_STATUS_MORE,
};

/* Flags of BULK. */
enum macs_bulk_flags {
    MACS_BULK_CONTINUE = 1, /* go on behind a line that failed */
    MACS_BULK_ANSWERS = 2,  /* the text has what the lines printed, too */
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
