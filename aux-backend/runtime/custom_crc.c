#include "runtime/custom_crc.h"

#include <errno.h>
#include <macs/qsbr.h>
#include <stdlib.h>

int macs_custom_crc_create(struct macs_custom_crc **created, uint32_t width, struct macs_qsbr *qsbr) {
    struct macs_custom_crc *crc = calloc(1, sizeof(*crc));
    if (!crc)
        return -ENOMEM;
    crc->width = width;
    crc->qsbr = qsbr;
    *created = crc;
    return 0;
}

void macs_custom_crc_destroy(struct macs_custom_crc *crc) {
    macs_qsbr_drop(crc->qsbr, crc);
    free((void *)(uintptr_t)atomic_load(&crc->form));
    free(crc);
}

static void release(void *owner, void *form) {
    (void)owner;
    free(form);
}

static uint32_t reflect(uint32_t value, uint32_t bits) {
    uint32_t reflected = 0;
    for (uint32_t bit = 0; bit < bits; bit++)
        reflected |= (value >> bit & 1) << (bits - 1 - bit);
    return reflected;
}

static uint32_t mask_of(uint32_t width) {
    return width < 32 ? (1u << width) - 1 : UINT32_MAX;
}

/* The remainder of each byte, one bit at a time. */
static void fill(struct macs_crc_form *form) {
    const uint32_t top = 1u << (form->width - 1);
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t remainder = byte << (form->width - 8);
        for (unsigned bit = 0; bit < 8; bit++)
            remainder = remainder << 1 ^ (remainder & top ? form->parameters.polynomial : 0);
        form->table[byte] = remainder & mask_of(form->width);
    }
}

int macs_custom_crc_set(struct macs_custom_crc *crc, const struct macs_crc_parameters *parameters) {
    int status = macs_qsbr_reserve(crc->qsbr, 1);
    if (status)
        return status;
    struct macs_crc_form *form = calloc(1, sizeof(*form));
    if (!form)
        return -ENOMEM;
    form->parameters = *parameters;
    form->width = crc->width;
    fill(form);
    const struct macs_crc_form *old = atomic_exchange_explicit(&crc->form, form, memory_order_acq_rel);
    if (old)
        macs_qsbr_defer(crc->qsbr, release, crc, (void *)(uintptr_t)old);
    return 0;
}

static uint32_t go_on(const struct macs_crc_form *form, uint32_t remainder, const uint8_t *data, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t byte = form->parameters.reflect_data ? reflect(data[i], 8) : data[i];
        remainder = form->table[(byte ^ remainder >> (form->width - 8)) & 0xff] ^ remainder << 8;
    }
    return remainder & mask_of(form->width);
}

uint64_t macs_crc_by(const struct macs_crc_form *form, struct macs_bytes bytes) {
    uint32_t remainder = go_on(form, form->parameters.initial, bytes.data, bytes.length);
    remainder = go_on(form, remainder, bytes.payload, bytes.payload_length);
    if (form->parameters.reflect_remainder)
        remainder = reflect(remainder, form->width);
    return (remainder ^ form->parameters.final) & mask_of(form->width);
}
