/* Registers: arrays of cells that the program and the control plane read and write.
 *
 * A cell is the smallest C integer that holds its width; above 64 bits it is several words of 64, the least significant
 * first. The compiler knows the width, so each width has functions of its own. Registers that packets access together
 * may be a bundle: their cells of one index lie together. Generated code names the shape of a register in each access,
 * so that its numbers are constants there. Out of range a read gives zero, and a write does nothing.
 * Threads: any. A cell of at most 64 bits, and each word of a wider one, is read and written atomically. What a region
 * of the program does to one cell of at most 64 bits is an update: one atomic instruction, or a compare and swap that
 * is tried until nobody came in between. Locks make larger regions atomic (macs/hold.h). Order between different cells
 * is not kept: regions whose cells belong together have locks.
 */
#ifndef MACS_REGISTER_H
#define MACS_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

#include <macs/prefetch.h>

struct macs_register_shape {
    uint32_t size;
    uint32_t stride; /* bytes from cell to cell: as many as a cell has, or as all have that lie together */
};

/* State of MACS_REGISTER. */
struct macs_register {
    struct macs_register_shape shape;
    uint32_t cell_bytes; /* 1, 2, 4, or a multiple of 8 */
    uint8_t *cells;
    bool shared; /* several workers update the same cells */
};

/* A copy, for a burst: no store to a cell can change it. */
static inline struct macs_register macs_register_of(const void *state) {
    return *(const struct macs_register *)state;
}

#define MACS_REGISTER_OF(bits)                                                                                         \
    static inline uint##bits##_t *macs_register_cell##bits(const struct macs_register *reg,                            \
                                                           struct macs_register_shape shape, uint64_t index) {         \
        return (uint##bits##_t *)(void *)(reg->cells + index * shape.stride);                                          \
    }                                                                                                                  \
    static inline uint##bits##_t macs_register_read##bits(const struct macs_register *reg,                             \
                                                          struct macs_register_shape shape, uint64_t index) {          \
        return index < shape.size ? __atomic_load_n(macs_register_cell##bits(reg, shape, index), __ATOMIC_RELAXED)     \
                                  : 0;                                                                                 \
    }                                                                                                                  \
    static inline void macs_register_write##bits(const struct macs_register *reg, struct macs_register_shape shape,    \
                                                 uint64_t index, uint##bits##_t value) {                               \
        if (index < shape.size)                                                                                        \
            __atomic_store_n(macs_register_cell##bits(reg, shape, index), value, __ATOMIC_RELAXED);                    \
    }                                                                                                                  \
    static inline void macs_register_prefetch##bits(const struct macs_register *reg, struct macs_register_shape shape, \
                                                    uint64_t index) {                                                  \
        macs_prefetch_far_to_write(macs_register_cell##bits(reg, shape, index < shape.size ? index : 0));              \
    }
MACS_REGISTER_OF(8)
MACS_REGISTER_OF(16)
MACS_REGISTER_OF(32)
MACS_REGISTER_OF(64)
#undef MACS_REGISTER_OF

/* Compare and swap a cell. True: it held `held` and now holds `value`. */
#define MACS_REGISTER_SWAP_OF(bits)                                                                                    \
    static inline bool macs_register_swap_if##bits(uint##bits##_t *cell, uint##bits##_t held, uint##bits##_t value) {  \
        return __atomic_compare_exchange_n(cell, &held, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);             \
    }
MACS_REGISTER_SWAP_OF(32)
MACS_REGISTER_SWAP_OF(64)
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_2
MACS_REGISTER_SWAP_OF(8)
MACS_REGISTER_SWAP_OF(16)
#else /* of processors whose instructions for it are for words only, as RISC-V's: by the word that the cell is in */
static inline bool macs_register_swap_part(void *cell, uint32_t bits, uint32_t held, uint32_t value) {
    const uint32_t ones = (1u << bits) - 1, at = (uint32_t)((uintptr_t)cell & 3) * 8;
    uint32_t *const word = (uint32_t *)((uintptr_t)cell & ~(uintptr_t)3);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const uint32_t shift = 32 - bits - at;
#else
    const uint32_t shift = at;
#endif
    const uint32_t whole = __atomic_load_n(word, __ATOMIC_RELAXED);
    return (whole >> shift & ones) == held &&
           macs_register_swap_if32(word, whole, (whole & ~(ones << shift)) | value << shift);
}
static inline bool macs_register_swap_if8(uint8_t *cell, uint8_t held, uint8_t value) {
    return macs_register_swap_part(cell, 8, held, value);
}
static inline bool macs_register_swap_if16(uint16_t *cell, uint16_t held, uint16_t value) {
    return macs_register_swap_part(cell, 16, held, value);
}
#endif
#undef MACS_REGISTER_SWAP_OF

/* End an update that has read `held` and found that the cell is to hold `value`. False: it has changed meanwhile, and
 * the update begins again. */
#define MACS_REGISTER_REPLACE_OF(bits)                                                                                 \
    static inline bool macs_register_replace##bits(const struct macs_register *reg, struct macs_register_shape shape,  \
                                                   uint64_t index, uint##bits##_t held, uint##bits##_t value) {        \
        if (index >= shape.size || held == value)                                                                      \
            return true;                                                                                               \
        if (reg->shared)                                                                                               \
            return macs_register_swap_if##bits(macs_register_cell##bits(reg, shape, index), held, value);              \
        __atomic_store_n(macs_register_cell##bits(reg, shape, index), value, __ATOMIC_RELAXED);                        \
        return true;                                                                                                   \
    }
MACS_REGISTER_REPLACE_OF(8)
MACS_REGISTER_REPLACE_OF(16)
MACS_REGISTER_REPLACE_OF(32)
MACS_REGISTER_REPLACE_OF(64)
#undef MACS_REGISTER_REPLACE_OF

/* Updates that are one instruction where the processor has it; each returns what the cell held. Sums wrap at the width
 * of the C integer. */
#define MACS_REGISTER_UPDATE_OF(bits, name, value, instruction)                                                        \
    static inline uint##bits##_t macs_register_##name##bits(                                                           \
        const struct macs_register *reg, struct macs_register_shape shape, uint64_t index, uint##bits##_t operand) {   \
        uint##bits##_t *const cell = macs_register_cell##bits(reg, shape, index);                                      \
        uint##bits##_t held = macs_register_read##bits(reg, shape, index);                                             \
        if (reg->shared && index < shape.size)                                                                         \
            return instruction(cell, operand, __ATOMIC_RELAXED);                                                       \
        macs_register_write##bits(reg, shape, index, (uint##bits##_t)(value));                                         \
        return held;                                                                                                   \
    }
#define MACS_REGISTER_UPDATES_OF(bits)                                                                                 \
    MACS_REGISTER_UPDATE_OF(bits, add, held + operand, __atomic_fetch_add)                                             \
    MACS_REGISTER_UPDATE_OF(bits, and, held &operand, __atomic_fetch_and)                                              \
    MACS_REGISTER_UPDATE_OF(bits, or, held | operand, __atomic_fetch_or)                                               \
    MACS_REGISTER_UPDATE_OF(bits, xor, held ^ operand, __atomic_fetch_xor)                                             \
    MACS_REGISTER_UPDATE_OF(bits, swap, operand, __atomic_exchange_n)
MACS_REGISTER_UPDATES_OF(32)
MACS_REGISTER_UPDATES_OF(64)
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_2
MACS_REGISTER_UPDATES_OF(8)
MACS_REGISTER_UPDATES_OF(16)
#else
#define MACS_REGISTER_LOOP_OF(bits, name, value)                                                                       \
    static inline uint##bits##_t macs_register_##name##bits(                                                           \
        const struct macs_register *reg, struct macs_register_shape shape, uint64_t index, uint##bits##_t operand) {   \
        uint##bits##_t held;                                                                                           \
        do                                                                                                             \
            held = macs_register_read##bits(reg, shape, index);                                                        \
        while (!macs_register_replace##bits(reg, shape, index, held, (uint##bits##_t)(value)));                        \
        return held;                                                                                                   \
    }
#define MACS_REGISTER_LOOPS_OF(bits)                                                                                   \
    MACS_REGISTER_LOOP_OF(bits, add, held + operand)                                                                   \
    MACS_REGISTER_LOOP_OF(bits, and, held &operand)                                                                    \
    MACS_REGISTER_LOOP_OF(bits, or, held | operand)                                                                    \
    MACS_REGISTER_LOOP_OF(bits, xor, held ^ operand)                                                                   \
    MACS_REGISTER_LOOP_OF(bits, swap, operand)
MACS_REGISTER_LOOPS_OF(8)
MACS_REGISTER_LOOPS_OF(16)
#undef MACS_REGISTER_LOOPS_OF
#undef MACS_REGISTER_LOOP_OF
#endif
#undef MACS_REGISTER_UPDATES_OF
#undef MACS_REGISTER_UPDATE_OF

/* What packets of a stage have added to one cell of a register that the register has not got yet. It has one addition
 * in place of several: where workers contend for a cell's cache line, each moves it. */
struct macs_tally {
    uint64_t index; /* beyond the register: nothing */
    uint64_t sum;
};

#define MACS_NO_TALLY                                                                                                  \
    { UINT64_MAX, 0 }

/* When the stage is done with its packets, or comes to another cell. */
#define MACS_REGISTER_TALLY_OF(bits)                                                                                   \
    static inline void macs_register_settle##bits(const struct macs_tally *tally, const struct macs_register *reg,     \
                                                  struct macs_register_shape shape) {                                  \
        if (tally->index < shape.size)                                                                                 \
            macs_register_add##bits(reg, shape, tally->index, (uint##bits##_t)tally->sum);                             \
    }                                                                                                                  \
    static inline void macs_register_tally##bits(struct macs_tally *tally, const struct macs_register *reg,            \
                                                 struct macs_register_shape shape, uint64_t index,                     \
                                                 uint##bits##_t operand) {                                             \
        if (!reg->shared) {                                                                                            \
            macs_register_write##bits(reg, shape, index,                                                               \
                                      (uint##bits##_t)(macs_register_read##bits(reg, shape, index) + operand));        \
        } else if (tally->index == index) {                                                                            \
            tally->sum += operand;                                                                                     \
        } else {                                                                                                       \
            macs_register_settle##bits(tally, reg, shape);                                                             \
            *tally = (struct macs_tally){index, operand};                                                              \
        }                                                                                                              \
    }
MACS_REGISTER_TALLY_OF(8)
MACS_REGISTER_TALLY_OF(16)
MACS_REGISTER_TALLY_OF(32)
MACS_REGISTER_TALLY_OF(64)
#undef MACS_REGISTER_TALLY_OF

static inline uint32_t macs_register_words(const struct macs_register *reg) {
    return reg->cell_bytes > 8 ? reg->cell_bytes / 8 : 1;
}

/* Of more than 64 bits: so many words. */
static inline void macs_register_read_words(const struct macs_register *reg, struct macs_register_shape shape,
                                            uint64_t index, uint64_t value[], uint32_t words) {
    for (uint32_t word = 0; word < words; word++)
        value[word] =
            index < shape.size ? __atomic_load_n(macs_register_cell64(reg, shape, index) + word, __ATOMIC_RELAXED) : 0;
}

static inline void macs_register_write_words(const struct macs_register *reg, struct macs_register_shape shape,
                                             uint64_t index, const uint64_t value[], uint32_t words) {
    for (uint32_t word = 0; index < shape.size && word < words; word++)
        __atomic_store_n(macs_register_cell64(reg, shape, index) + word, value[word], __ATOMIC_RELAXED);
}

/* Of any width and shape: `value` has macs_register_words() words, of which a narrow cell takes the lowest bits. */
static inline void macs_register_read(const struct macs_register *reg, uint64_t index, uint64_t *value) {
    switch (reg->cell_bytes) {
    case 1:
        value[0] = macs_register_read8(reg, reg->shape, index);
        break;
    case 2:
        value[0] = macs_register_read16(reg, reg->shape, index);
        break;
    case 4:
        value[0] = macs_register_read32(reg, reg->shape, index);
        break;
    default:
        macs_register_read_words(reg, reg->shape, index, value, macs_register_words(reg));
    }
}

static inline void macs_register_write(const struct macs_register *reg, uint64_t index, const uint64_t *value) {
    switch (reg->cell_bytes) {
    case 1:
        macs_register_write8(reg, reg->shape, index, (uint8_t)value[0]);
        break;
    case 2:
        macs_register_write16(reg, reg->shape, index, (uint16_t)value[0]);
        break;
    case 4:
        macs_register_write32(reg, reg->shape, index, (uint32_t)value[0]);
        break;
    default:
        macs_register_write_words(reg, reg->shape, index, value, macs_register_words(reg));
    }
}

static inline void macs_register_prefetch(const struct macs_register *reg, struct macs_register_shape shape,
                                          uint64_t index) {
    macs_prefetch_far_to_write(reg->cells + (index < shape.size ? index : 0) * (uint64_t)shape.stride);
}

#endif
