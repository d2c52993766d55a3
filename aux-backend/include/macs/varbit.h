/* Values of variable width (varbit).
 *
 * A program can only extract, copy, compare and emit a varbit. So its value is a position and a length in the frame as
 * received, which does not change before the deparser runs.
 */
#ifndef MACS_VARBIT_H
#define MACS_VARBIT_H

#include <macs/bits.h>
#include <macs/layout.h>
#include <stdbool.h>

/* Offset in the frame << 16 | bytes. Zero: the empty value. */
typedef uint32_t macs_varbit;

static inline macs_varbit macs_varbit_of(uint32_t at, uint32_t bytes) {
    return bytes ? at << 16 | bytes : 0;
}

static inline uint32_t macs_varbit_at(macs_varbit value) {
    return value >> 16;
}

static inline uint32_t macs_varbit_bytes(macs_varbit value) {
    return value & 0xffff;
}

static inline bool macs_varbit_equal(const struct macs_packet *packet, macs_varbit a, macs_varbit b) {
    uint32_t bytes = macs_varbit_bytes(a);
    return bytes == macs_varbit_bytes(b) &&
           !memcmp(packet->data + macs_varbit_at(a), packet->data + macs_varbit_at(b), bytes);
}

/* Append the value to `out` at offset `*used`. */
static inline void macs_varbit_append(const struct macs_packet *packet, uint8_t *out, uint32_t *used,
                                      macs_varbit value) {
    memcpy(out + *used, packet->data + macs_varbit_at(value), macs_varbit_bytes(value));
    *used += macs_varbit_bytes(value);
}

/* Append the value to the `*bits` that `out` has. */
static inline void macs_varbit_append_bits(const struct macs_packet *packet, uint8_t *out, uint32_t *bits,
                                           macs_varbit value) {
    macs_append_bits(out, bits, packet->data + macs_varbit_at(value), 8 * macs_varbit_bytes(value));
}

/* Like macs_layout_take, for a header with a varbit that the program assigns: the bytes before it, the value, and the
 * bytes behind it, which in the frame lie behind `old_bytes` of another value. */
static inline void macs_layout_take_varbit(const struct macs_packet *packet, uint8_t *out, uint16_t at, uint32_t before,
                                           uint32_t old_bytes, macs_varbit value, uint32_t behind) {
    uint32_t used = before;
    macs_layout_take(packet, out, at, before);
    macs_varbit_append(packet, out, &used, value);
    uint16_t rest = at == MACS_NOWHERE ? MACS_NOWHERE : (uint16_t)(at + before + old_bytes);
    macs_layout_take(packet, out + used, rest, behind);
}

#endif
