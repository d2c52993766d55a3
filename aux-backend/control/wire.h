/* Numbers and bytes of binary messages, read one after the other from a part of a message, and written behind a buffer.
 * Numbers are big-endian. What is read beyond the end is zero, and `cut` tells of it.
 */
#ifndef MACS_CONTROL_WIRE_H
#define MACS_CONTROL_WIRE_H

#include <stdbool.h>
#include <string.h>

#include "control/client.h"
#include "control/protocol.h"

struct macs_wire {
    const uint8_t *at;
    size_t left;
    bool cut;
};

/* The next `count` bytes, or NULL. */
static inline const uint8_t *macs_wire_bytes(struct macs_wire *wire, size_t count) {
    if (wire->cut || count > wire->left) {
        wire->cut = true;
        return NULL;
    }
    const uint8_t *bytes = wire->at;
    wire->at += count;
    wire->left -= count;
    return bytes;
}

static inline uint8_t macs_wire_u8(struct macs_wire *wire) {
    const uint8_t *bytes = macs_wire_bytes(wire, 1);
    return bytes ? bytes[0] : 0;
}

static inline uint16_t macs_wire_u16(struct macs_wire *wire) {
    const uint8_t *bytes = macs_wire_bytes(wire, 2);
    return bytes ? macs_get_u16(bytes) : 0;
}

static inline uint32_t macs_wire_u32(struct macs_wire *wire) {
    const uint8_t *bytes = macs_wire_bytes(wire, 4);
    return bytes ? macs_get_u32(bytes) : 0;
}

static inline uint64_t macs_wire_u64(struct macs_wire *wire) {
    uint64_t high = macs_wire_u32(wire);
    return high << 32 | macs_wire_u32(wire);
}

static inline double macs_wire_double(struct macs_wire *wire) {
    uint64_t bits = macs_wire_u64(wire);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Whether exactly the whole part was read. */
static inline bool macs_wire_whole(const struct macs_wire *wire) {
    return !wire->cut && !wire->left;
}

/* Append; false: no memory. */
static inline bool macs_wire_put(struct macs_bytes *bytes, const void *data, size_t count) {
    if (!macs_bytes_reserve(bytes, count))
        return false;
    if (count)
        memcpy(bytes->data + bytes->length, data, count);
    bytes->length += count;
    return true;
}

static inline bool macs_wire_put_u32(struct macs_bytes *bytes, uint32_t value) {
    uint8_t number[4];
    macs_put_u32(number, value);
    return macs_wire_put(bytes, number, sizeof(number));
}

static inline bool macs_wire_put_u64(struct macs_bytes *bytes, uint64_t value) {
    return macs_wire_put_u32(bytes, (uint32_t)(value >> 32)) && macs_wire_put_u32(bytes, (uint32_t)value);
}

static inline bool macs_wire_put_double(struct macs_bytes *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return macs_wire_put_u64(bytes, bits);
}

#endif
