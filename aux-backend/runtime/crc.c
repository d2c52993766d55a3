/* The tables of reflected CRCs. The remainder of a byte is the exclusive or of the remainders of its bits. */
#include <macs/crc.h>

#define MACS_CRC_1(i, a, b, c, d, e, f, g, h)                                                                          \
    (((i) >> 0 & 1) * (a) ^ ((i) >> 1 & 1) * (b) ^ ((i) >> 2 & 1) * (c) ^ ((i) >> 3 & 1) * (d) ^                       \
     ((i) >> 4 & 1) * (e) ^ ((i) >> 5 & 1) * (f) ^ ((i) >> 6 & 1) * (g) ^ ((i) >> 7 & 1) * (h))
#define MACS_CRC_4(i, ...)                                                                                             \
    MACS_CRC_1(i, __VA_ARGS__), MACS_CRC_1((i) + 1u, __VA_ARGS__), MACS_CRC_1((i) + 2u, __VA_ARGS__),                  \
        MACS_CRC_1((i) + 3u, __VA_ARGS__)
#define MACS_CRC_16(i, ...)                                                                                            \
    MACS_CRC_4(i, __VA_ARGS__), MACS_CRC_4((i) + 4u, __VA_ARGS__), MACS_CRC_4((i) + 8u, __VA_ARGS__),                  \
        MACS_CRC_4((i) + 12u, __VA_ARGS__)
#define MACS_CRC_64(i, ...)                                                                                            \
    MACS_CRC_16(i, __VA_ARGS__), MACS_CRC_16((i) + 16u, __VA_ARGS__), MACS_CRC_16((i) + 32u, __VA_ARGS__),             \
        MACS_CRC_16((i) + 48u, __VA_ARGS__)
/* A table, from the remainders of a byte's bits, the lowest first. */
#define MACS_CRC_ROW(...)                                                                                              \
    MACS_CRC_64(0u, __VA_ARGS__), MACS_CRC_64(64u, __VA_ARGS__), MACS_CRC_64(128u, __VA_ARGS__),                       \
        MACS_CRC_64(192u, __VA_ARGS__)

const uint16_t macs_crc16_tables[MACS_CRC_TABLES][256] = {
    {MACS_CRC_ROW(0xc0c1, 0xc181, 0xc301, 0xc601, 0xcc01, 0xd801, 0xf001, 0xa001)},
    {MACS_CRC_ROW(0x9001, 0x6001, 0xc002, 0xc007, 0xc00d, 0xc019, 0xc031, 0xc061)},
    {MACS_CRC_ROW(0xc051, 0xc0a1, 0xc141, 0xc281, 0xc501, 0xca01, 0xd401, 0xe801)},
    {MACS_CRC_ROW(0xfc01, 0xb801, 0x3001, 0x6002, 0xc004, 0xc00b, 0xc015, 0xc029)},
    {MACS_CRC_ROW(0xc03d, 0xc079, 0xc0f1, 0xc1e1, 0xc3c1, 0xc781, 0xcf01, 0xde01)},
    {MACS_CRC_ROW(0xd101, 0xe201, 0x8401, 0x4801, 0x9002, 0x6007, 0xc00e, 0xc01f)},
    {MACS_CRC_ROW(0xc010, 0xc023, 0xc045, 0xc089, 0xc111, 0xc221, 0xc441, 0xc881)},
    {MACS_CRC_ROW(0xccc1, 0xd981, 0xf301, 0xa601, 0x0c01, 0x1802, 0x3004, 0x6008)},
};

const uint32_t macs_crc32_tables[MACS_CRC_TABLES][256] = {
    {MACS_CRC_ROW(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320)},
    {MACS_CRC_ROW(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b)},
    {MACS_CRC_ROW(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80)},
    {MACS_CRC_ROW(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b)},
    {MACS_CRC_ROW(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092)},
    {MACS_CRC_ROW(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8)},
    {MACS_CRC_ROW(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2)},
    {MACS_CRC_ROW(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da)},
};
