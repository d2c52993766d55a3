/* Cells of registers of each width, of one worker's and of several workers', alone and in a bundle: what each access
 * gives and leaves, at the first and the last index, and that none beyond these has any effect. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <macs/register.h>

enum { SIZE = 5, STRIDE = 24, AT = 8 };

static uint64_t memory[SIZE * STRIDE / 8 + 4], before[SIZE * STRIDE / 8 + 4];
static struct macs_register reg;

/* A register whose cells are alone, or begin at that byte of each index of a bundle. */
static void begin(uint32_t cell_bytes, bool shared, bool bundled) {
    reg = (struct macs_register){.shape = {SIZE, bundled ? STRIDE : cell_bytes},
                                 .cell_bytes = cell_bytes,
                                 .cells = (uint8_t *)memory + (bundled ? AT : 0),
                                 .shared = shared};
    memset(memory, 0xa5, sizeof(memory));
    memcpy(before, memory, sizeof(before));
}

/* Whether nothing but the cell of that index has changed, to this value; SIZE: nothing at all. */
static bool changes(uint32_t index, uint64_t value) {
    if (index < SIZE)
        memcpy((uint8_t *)before + (reg.cells - (uint8_t *)memory) + index * reg.shape.stride, &value, reg.cell_bytes);
    return !memcmp(before, memory, sizeof(before));
}

#define CHECK_WIDTH(bits)                                                                                              \
    static void check##bits(void) {                                                                                    \
        const struct macs_register_shape shape = reg.shape;                                                            \
        const uint##bits##_t filled = (uint##bits##_t)UINT64_C(0xa5a5a5a5a5a5a5a5), top = (uint##bits##_t) ~0;         \
        static const uint64_t beyond[] = {SIZE, SIZE + 1, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};                  \
        for (unsigned i = 0; i < sizeof(beyond) / sizeof(*beyond); i++) {                                              \
            struct macs_tally tally = {beyond[i], 3};                                                                  \
            assert(macs_register_read##bits(&reg, shape, beyond[i]) == 0);                                             \
            macs_register_write##bits(&reg, shape, beyond[i], 1);                                                      \
            macs_register_prefetch##bits(&reg, shape, beyond[i]);                                                      \
            assert(macs_register_replace##bits(&reg, shape, beyond[i], 0, 1));                                         \
            assert(macs_register_add##bits(&reg, shape, beyond[i], 1) == 0);                                           \
            assert(macs_register_and##bits(&reg, shape, beyond[i], 1) == 0);                                           \
            assert(macs_register_or##bits(&reg, shape, beyond[i], 1) == 0);                                            \
            assert(macs_register_xor##bits(&reg, shape, beyond[i], 1) == 0);                                           \
            assert(macs_register_swap##bits(&reg, shape, beyond[i], 1) == 0);                                          \
            macs_register_settle##bits(&tally, &reg, shape);                                                           \
            macs_register_tally##bits(&tally, &reg, shape, beyond[i], 1);                                              \
            macs_register_tally##bits(&tally, &reg, shape, 0, 0);                                                      \
            macs_register_settle##bits(&tally, &reg, shape);                                                           \
            assert(changes(SIZE, 0));                                                                                  \
        }                                                                                                              \
        for (uint32_t at = 0; at < SIZE; at++) {                                                                       \
            const uint64_t index = at;                                                                                 \
            uint64_t value = 0;                                                                                        \
            assert(macs_register_read##bits(&reg, shape, index) == filled);                                            \
            macs_register_write##bits(&reg, shape, index, 7);                                                          \
            macs_register_prefetch##bits(&reg, shape, index);                                                          \
            assert(changes(at, 7) && macs_register_read##bits(&reg, shape, index) == 7);                               \
            assert(macs_register_add##bits(&reg, shape, index, top) == 7 && changes(at, 6));                           \
            assert(macs_register_or##bits(&reg, shape, index, 9) == 6 && changes(at, 15));                             \
            assert(macs_register_and##bits(&reg, shape, index, 0x1c) == 15 && changes(at, 12));                        \
            assert(macs_register_xor##bits(&reg, shape, index, 5) == 12 && changes(at, 9));                            \
            assert(macs_register_swap##bits(&reg, shape, index, top) == 9 && changes(at, top));                        \
            assert(macs_register_replace##bits(&reg, shape, index, top, 3) && changes(at, 3));                         \
            assert(macs_register_replace##bits(&reg, shape, index, 3, 3) && changes(at, 3));                           \
            if (reg.shared) /* somebody came in between */                                                             \
                assert(!macs_register_replace##bits(&reg, shape, index, 2, 4) && changes(at, 3));                      \
            macs_register_read(&reg, index, &value);                                                                   \
            assert(value == 3);                                                                                        \
            value = top;                                                                                               \
            macs_register_write(&reg, index, &value);                                                                  \
            assert(changes(at, top) && macs_register_words(&reg) == 1);                                                \
        }                                                                                                              \
        for (uint32_t at = 0; at < SIZE; at++)                                                                         \
            macs_register_write##bits(&reg, shape, at, (uint##bits##_t)(10 * at));                                     \
        memcpy(before, memory, sizeof(before));                                                                        \
        struct macs_tally tally = MACS_NO_TALLY;                                                                       \
        macs_register_settle##bits(&tally, &reg, shape);                                                               \
        assert(changes(SIZE, 0));                                                                                      \
        macs_register_tally##bits(&tally, &reg, shape, 0, 1);                                                          \
        macs_register_tally##bits(&tally, &reg, shape, 0, 2);                                                          \
        macs_register_tally##bits(&tally, &reg, shape, SIZE - 1, 5);                                                   \
        assert(macs_register_read##bits(&reg, shape, 0) == 3);                                                         \
        macs_register_tally##bits(&tally, &reg, shape, SIZE - 1, top);                                                 \
        macs_register_tally##bits(&tally, &reg, shape, 1, 1);                                                          \
        assert(macs_register_read##bits(&reg, shape, SIZE - 1) == 10 * (SIZE - 1) + 4);                                \
        macs_register_tally##bits(&tally, &reg, shape, SIZE, 1);                                                       \
        macs_register_tally##bits(&tally, &reg, shape, 1, 3);                                                          \
        macs_register_settle##bits(&tally, &reg, shape);                                                               \
        (void)changes(0, 3);                                                                                           \
        (void)changes(SIZE - 1, 10 * (SIZE - 1) + 4);                                                                  \
        assert(changes(1, 14));                                                                                        \
    }

CHECK_WIDTH(8)
CHECK_WIDTH(16)
CHECK_WIDTH(32)
CHECK_WIDTH(64)

/* Cells of two words. */
static void check_words(void) {
    uint64_t value[3] = {1, 2, 77};
    assert(macs_register_words(&reg) == 2);
    macs_register_write(&reg, SIZE, value);
    macs_register_write(&reg, UINT64_MAX, value);
    assert(changes(SIZE, 0));
    for (uint32_t at = 0; at < SIZE; at++) {
        uint64_t *cell = (uint64_t *)(void *)((uint8_t *)before + (reg.cells - (uint8_t *)memory)) +
                         at * (size_t)reg.shape.stride / 8;
        macs_register_write(&reg, at, value);
        cell[0] = value[0], cell[1] = value[1];
        assert(changes(SIZE, 0));
        macs_register_read(&reg, at, value);
        assert(value[0] == at + UINT64_C(1) && value[1] == at + UINT64_C(2) && value[2] == 77);
        value[0]++, value[1]++;
    }
    macs_register_prefetch(&reg, reg.shape, SIZE);
    macs_register_read(&reg, SIZE, value);
    assert(value[0] == 0 && value[1] == 0 && value[2] == 77);
    macs_register_read_words(&reg, reg.shape, SIZE - 1, value, 1);
    assert(value[0] == SIZE && value[1] == 0);
}

int main(void) {
    for (unsigned way = 0; way < 4; way++) {
        const bool shared = way % 2, bundled = way / 2;
        begin(1, shared, bundled);
        check8();
        begin(2, shared, bundled);
        check16();
        begin(4, shared, bundled);
        check32();
        begin(8, shared, bundled);
        check64();
        begin(16, shared, bundled);
        check_words();
    }
    puts("ok");
    return 0;
}
