/* CRCs: by machine instruction if the CPU has one for the polynomial, else by table; bit by bit for other polynomials.
 */
#include "core/internal.h"

#include <string.h>

/* Tables of the reflected polynomials, a byte at a time; made once, before main(). */
static uint32_t table_crc32[256];
static uint32_t table_crc32c[256];

static void table_fill(uint32_t table[256], uint32_t reflected_poly) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? reflected_poly : 0);
        table[byte] = crc;
    }
}

__attribute__((constructor)) static void tables_init(void) {
    table_fill(table_crc32, 0xedb88320u);
    table_fill(table_crc32c, 0x82f63b78u);
}

static uint32_t by_table(const uint32_t table[256], const uint8_t *data, uint32_t len, uint32_t crc) {
    for (uint32_t i = 0; i < len; i++)
        crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
    return crc;
}

uint32_t odp_hash_crc32(const void *data, uint32_t data_len, uint32_t init_val) {
    return by_table(table_crc32, data, data_len, init_val);
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(const uint8_t *data, uint32_t len, uint32_t crc) {
    uint64_t wide = crc;
    for (; len >= 8; data += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, data, sizeof(word));
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; len > 0; data++, len--)
        crc = __builtin_ia32_crc32qi(crc, *data);
    return crc;
}
#endif

uint32_t odp_hash_crc32c(const void *data, uint32_t data_len, uint32_t init_val) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2"))
        return crc32c_sse42(data, data_len, init_val);
#endif
    return by_table(table_crc32c, data, data_len, init_val);
}

static uint64_t reflect(uint64_t value, uint32_t width) {
    uint64_t mirrored = 0;
    for (uint32_t bit = 0; bit < width; bit++)
        mirrored |= (value >> bit & 1) << (width - 1 - bit);
    return mirrored;
}

int odp_hash_crc_gen64(const void *data, uint32_t data_len, uint64_t init_val, odp_hash_crc_param_t *crc_param,
                       uint64_t *crc) {
    uint32_t width = crc_param->width;
    if (width == 0 || width > 64)
        return macs_odp_fail(EINVAL);
    uint64_t mask = UINT64_MAX >> (64 - width);
    uint64_t poly = crc_param->poly & mask, value = init_val & mask;
    for (uint32_t i = 0; i < data_len; i++) {
        uint8_t byte = ((const uint8_t *)data)[i];
        if (crc_param->reflect_in)
            byte = (uint8_t)reflect(byte, 8);
        for (int bit = 7; bit >= 0; bit--) {
            bool carry = (value >> (width - 1) & 1) ^ (byte >> bit & 1);
            value = (value << 1 ^ (carry ? poly : 0)) & mask;
        }
    }
    if (crc_param->reflect_out)
        value = reflect(value, width);
    *crc = (value ^ crc_param->xor_out) & mask;
    return 0;
}
