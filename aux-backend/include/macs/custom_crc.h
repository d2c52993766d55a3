/* CRCs of 16 and 32 bits whose parameters the control plane can set, as BMv2's crc16_custom and crc32_custom.
 *
 * Threads: one writer (the control thread), any number of lock-free readers. Parameters that were replaced are freed
 * once every reader has reported a quiescent state (macs/qsbr.h).
 */
#ifndef MACS_CUSTOM_CRC_H
#define MACS_CUSTOM_CRC_H

#include <macs/checksum.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct macs_qsbr;

struct macs_crc_parameters {
    uint32_t polynomial, initial, final; /* final: the remainder is combined with it by exclusive or */
    bool reflect_data, reflect_remainder;
};

/* Parameters with what is computed of them. */
struct macs_crc_form {
    struct macs_crc_parameters parameters;
    uint32_t width;      /* bits: 16 or 32 */
    uint32_t table[256]; /* the remainder of each byte */
};

/* State of MACS_CUSTOM_CRC. */
struct macs_custom_crc {
    const struct macs_crc_form *_Atomic form; /* NULL: the plain CRC */
    struct macs_qsbr *qsbr;
    uint32_t width;
};

uint64_t macs_crc_by(const struct macs_crc_form *form, struct macs_bytes bytes);

static inline uint64_t macs_extend_crc16_as_set(const struct macs_custom_crc *crc, struct macs_bytes bytes) {
    const struct macs_crc_form *form = atomic_load_explicit(&crc->form, memory_order_acquire);
    return form ? macs_crc_by(form, bytes) : macs_checksum_crc16(bytes);
}

static inline uint64_t macs_extend_crc32_as_set(const struct macs_custom_crc *crc, struct macs_bytes bytes) {
    const struct macs_crc_form *form = atomic_load_explicit(&crc->form, memory_order_acquire);
    return form ? macs_crc_by(form, bytes) : macs_checksum_crc32(bytes);
}

#endif
