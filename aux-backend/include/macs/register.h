/* Registers: arrays of cells that the program and the control plane read and write.
 *
 * A cell is the smallest C integer that holds its width; above 64 bits it is several words of 64, the least significant
 * first. The compiler knows the width, so each width has functions of its own. Out of range a read gives zero, and a
 * write does nothing.
 * Threads: any. A cell of at most 64 bits, and each word of a wider one, is read and written atomically. Locks make
 * whole regions of the program atomic (macs/hold.h).
 */
#ifndef MACS_REGISTER_H
#define MACS_REGISTER_H

#include <stdint.h>

#include <macs/prefetch.h>

/* State of MACS_REGISTER. */
struct macs_register {
    uint32_t size;
    uint32_t cell_bytes; /* 1, 2, 4, or a multiple of 8 */
    void *cells;
};

#define MACS_REGISTER_OF(bits)                                                                                         \
    static inline uint##bits##_t macs_register_read##bits(const struct macs_register *reg, uint64_t index) {           \
        const uint##bits##_t *const cells = reg->cells;                                                                \
        return index < reg->size ? __atomic_load_n(&cells[index], __ATOMIC_RELAXED) : 0;                               \
    }                                                                                                                  \
    static inline void macs_register_write##bits(struct macs_register *reg, uint64_t index, uint##bits##_t value) {    \
        uint##bits##_t *const cells = reg->cells;                                                                      \
        if (index < reg->size)                                                                                         \
            __atomic_store_n(&cells[index], value, __ATOMIC_RELAXED);                                                  \
    }                                                                                                                  \
    static inline void macs_register_prefetch##bits(const struct macs_register *reg, uint64_t index) {                 \
        const uint##bits##_t *const cells = reg->cells;                                                                \
        macs_prefetch_to_write(&cells[index < reg->size ? index : 0]);                                                 \
    }
MACS_REGISTER_OF(8)
MACS_REGISTER_OF(16)
MACS_REGISTER_OF(32)
MACS_REGISTER_OF(64)
#undef MACS_REGISTER_OF

static inline uint32_t macs_register_words(const struct macs_register *reg) {
    return reg->cell_bytes > 8 ? reg->cell_bytes / 8 : 1;
}

/* Of any width: `value` has macs_register_words() words, of which a narrow cell takes the lowest bits. */
static inline void macs_register_read(const struct macs_register *reg, uint64_t index, uint64_t *value) {
    const uint32_t words = macs_register_words(reg);
    switch (reg->cell_bytes) {
    case 1:
        value[0] = macs_register_read8(reg, index);
        break;
    case 2:
        value[0] = macs_register_read16(reg, index);
        break;
    case 4:
        value[0] = macs_register_read32(reg, index);
        break;
    default:
        for (uint32_t word = 0; word < words; word++)
            value[word] = index < reg->size
                              ? __atomic_load_n((const uint64_t *)reg->cells + index * words + word, __ATOMIC_RELAXED)
                              : 0;
    }
}

static inline void macs_register_write(struct macs_register *reg, uint64_t index, const uint64_t *value) {
    const uint32_t words = macs_register_words(reg);
    switch (reg->cell_bytes) {
    case 1:
        macs_register_write8(reg, index, (uint8_t)value[0]);
        break;
    case 2:
        macs_register_write16(reg, index, (uint16_t)value[0]);
        break;
    case 4:
        macs_register_write32(reg, index, (uint32_t)value[0]);
        break;
    default:
        for (uint32_t word = 0; index < reg->size && word < words; word++)
            __atomic_store_n((uint64_t *)reg->cells + index * words + word, value[word], __ATOMIC_RELAXED);
    }
}

static inline void macs_register_prefetch(const struct macs_register *reg, uint64_t index) {
    macs_prefetch_to_write((const char *)reg->cells + (index < reg->size ? index : 0) * reg->cell_bytes);
}

#endif
