/* The hash algorithms of macs/checksum.h against their definitions, bit by bit: on random values of every width from 1
 * to 2048 bits, whole and in two parts, with lengths that the compiler knows and that it does not.
 *
 * Usage: hashes SEED. Prints by what the CRCs are computed. What is hashed lies in memory of just its size. */
#include <macs/checksum.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BITS_MAX 2048u
#define BYTES_MAX (BITS_MAX / 8)
#define ROUNDS 3

#ifdef MACS_CRC_MULTIPLIES
#define CRC16_BY "multiplication"
#else
#define CRC16_BY "tables"
#endif
#ifdef MACS_CRC_INSTRUCTIONS
#define CRC32_BY "instructions"
#else
#define CRC32_BY CRC16_BY
#endif

static uint64_t state;

static uint64_t next(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 32;
}

/* --- definitions --- */

static unsigned bit_of(const uint8_t *data, uint32_t at) {
    return data[at / 8] >> (7 - at % 8) & 1;
}

/* A CRC whose bytes come with their lowest bit first, and whose rest is reflected in the end. */
static uint64_t slow_crc(unsigned width, uint32_t polynomial, uint32_t start, const uint8_t *data, uint32_t length) {
    uint64_t rest = start, reflected = 0;
    for (uint32_t i = 0; i < 8 * length; i++) {
        unsigned out = rest >> (width - 1) & 1;
        rest = (rest << 1 & macs_mask(width)) ^ (out ^ bit_of(data, i / 8 * 8 + 7 - i % 8) ? polynomial : 0);
    }
    for (unsigned i = 0; i < width; i++)
        reflected |= (rest >> i & 1) << (width - 1 - i);
    return reflected;
}

static uint64_t slow_crc16(const uint8_t *data, uint32_t length) {
    return slow_crc(16, 0x8005, 0, data, length);
}

static uint64_t slow_crc32(const uint8_t *data, uint32_t length) {
    return slow_crc(32, 0x04c11db7, 0xffffffff, data, length) ^ 0xffffffff;
}

static uint32_t word_of(const uint8_t *data, uint32_t length, uint32_t at) {
    return (uint32_t)data[at] << 8 | (at + 1 < length ? data[at + 1] : 0);
}

static uint64_t slow_csum16(const uint8_t *data, uint32_t length) {
    uint32_t sum = 0;
    for (uint32_t at = 0; at < length; at += 2) {
        sum += word_of(data, length, at);
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum & 0xffff;
}

static uint64_t slow_xor16(const uint8_t *data, uint32_t length) {
    uint32_t folded = 0;
    for (uint32_t at = 0; at < length; at += 2)
        folded ^= word_of(data, length, at);
    return folded;
}

static uint64_t slow_identity(const uint8_t *data, uint32_t length) {
    uint64_t value = 0;
    for (uint32_t at = 0; at < length && at < 8; at++)
        value = value << 8 | data[at];
    return value;
}

/* --- the same, as generated code calls it
 * ------------------------------------------------------------------------------ */

typedef uint64_t hash(struct macs_bytes bytes);
typedef uint64_t extended(uint64_t before, struct macs_bytes bytes);

static const struct algorithm {
    const char *name;
    uint64_t (*slow)(const uint8_t *data, uint32_t length);
    hash *fast;
    extended *extend; /* NULL: there is none */
} algorithms[] = {
    {"crc16", slow_crc16, macs_checksum_crc16, macs_extend_crc16},
    {"crc16_custom", slow_crc16, macs_checksum_crc16_custom, macs_extend_crc16_custom},
    {"crc32", slow_crc32, macs_checksum_crc32, macs_extend_crc32},
    {"crc32_custom", slow_crc32, macs_checksum_crc32_custom, macs_extend_crc32_custom},
    {"csum16", slow_csum16, macs_checksum_csum16, macs_extend_csum16},
    {"xor16", slow_xor16, macs_checksum_xor16, macs_extend_xor16},
    {"identity", slow_identity, macs_checksum_identity, NULL},
};
#define ALGORITHMS (sizeof(algorithms) / sizeof(algorithms[0]))

/* A case for each length up to KNOWN bytes, 64 or 256, which is a constant in it. Each 16 of them are a function of
 * their own, as compilers take far longer for one with all. */
#define CASE(n, name)                                                                                                  \
    case (n) + 1:                                                                                                      \
        return macs_checksum_##name((struct macs_bytes){data, (n) + 1, NULL, 0});
#define CASES_4(n, name) CASE(n, name) CASE((n) + 1, name) CASE((n) + 2, name) CASE((n) + 3, name)
#define CASES_16(n, name) CASES_4(n, name) CASES_4((n) + 4, name) CASES_4((n) + 8, name) CASES_4((n) + 12, name)
#define FROM(n, name)                                                                                                  \
    static __attribute__((noinline)) uint64_t known_##name##_from_##n(const uint8_t *data, uint32_t length) {          \
        switch (length) { CASES_16(n, name) }                                                                          \
        abort();                                                                                                       \
    }
#define GO_ON(n, name)                                                                                                 \
    case (n) / 16:                                                                                                     \
        return known_##name##_from_##n(data, length);
#define OF_64(of, a, b, c, d, name) of(a, name) of(b, name) of(c, name) of(d, name)
#if KNOWN > 64
#define ALL_FROM(of, name)                                                                                             \
    OF_64(of, 0, 16, 32, 48, name)                                                                                     \
    OF_64(of, 64, 80, 96, 112, name)                                                                                   \
    OF_64(of, 128, 144, 160, 176, name)                                                                                \
    OF_64(of, 192, 208, 224, 240, name)
#else
#define ALL_FROM(of, name) OF_64(of, 0, 16, 32, 48, name)
#endif
#define KNOWN_LENGTH(name)                                                                                             \
    ALL_FROM(FROM, name)                                                                                               \
    static uint64_t known_##name(const uint8_t *data, uint32_t length) {                                               \
        switch ((length - 1) / 16) { ALL_FROM(GO_ON, name) }                                                           \
        abort();                                                                                                       \
    }

KNOWN_LENGTH(crc16)
KNOWN_LENGTH(crc32)
KNOWN_LENGTH(csum16)
KNOWN_LENGTH(xor16)
KNOWN_LENGTH(identity)

static uint64_t (*const known[ALGORITHMS])(const uint8_t *data, uint32_t length) = {
    known_crc16, known_crc16, known_crc32, known_crc32, known_csum16, known_xor16, known_identity,
};

/* --- comparison --- */

static void check(const char *name, const char *how, uint32_t length, uint64_t got, uint64_t wanted) {
    if (got == wanted)
        return;
    printf("%s of %" PRIu32 " bytes, %s: %" PRIx64 " and not %" PRIx64 "\n", name, length, how, got, wanted);
    exit(1);
}

static uint8_t *part_of(const uint8_t *data, uint32_t length) {
    uint8_t *part = malloc(length ? length : 1);
    if (!part)
        abort();
    memcpy(part, data, length);
    return length ? part : (free(part), NULL);
}

static void compare(const uint8_t *value, uint32_t length) {
    uint32_t first = (uint32_t)(next() % (length + 1)), even = first & ~1u;
    uint8_t *whole = part_of(value, length), *head = part_of(value, first),
            *tail = part_of(value + first, length - first);
    for (unsigned i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *of = &algorithms[i];
        uint64_t wanted = of->slow(value, length);
        check(of->name, "whole", length, of->fast((struct macs_bytes){whole, length, NULL, 0}), wanted);
        if (length <= KNOWN)
            check(of->name, "its length known", length, known[i](whole, length), wanted);
        check(of->name, "in two parts", length, of->fast((struct macs_bytes){head, first, tail, length - first}),
              wanted);
        if (of->extend) {
            uint64_t before = of->fast((struct macs_bytes){whole, even, NULL, 0});
            struct macs_bytes behind = {whole + even, length - even, NULL, 0};
            check(of->name, "extended", length, of->extend(before, behind), wanted);
        }
    }
    free(whole), free(head), free(tail);
}

/* Check values of the catalogue of parametrised CRC algorithms; the example of RFC 1071, section 3. */
static void known_answers(void) {
    static const uint8_t digits[] = "123456789", example[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
    struct macs_bytes nine = {digits, 9, NULL, 0}, eight = {example, 8, NULL, 0};
    check("crc16", "check value", 9, macs_checksum_crc16(nine), 0xbb3d);
    check("crc32", "check value", 9, macs_checksum_crc32(nine), 0xcbf43926);
    check("csum16", "example", 8, macs_checksum_csum16(eight), ~UINT64_C(0xddf2) & 0xffff);
    check("xor16", "by hand", 8, macs_checksum_xor16(eight), 0x0001 ^ 0xf203 ^ 0xf4f5 ^ 0xf6f7);
    check("identity", "by hand", 9, macs_checksum_identity(nine), UINT64_C(0x3132333435363738));
}

int main(int argc, char **argv) {
    uint8_t value[BYTES_MAX];
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    known_answers();
    for (uint32_t bits = 1; bits <= BITS_MAX; bits++)
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint32_t length = (bits + 7) / 8;
            for (uint32_t i = 0; i < length; i++)
                value[i] = (uint8_t)next();
            if (round == 0) /* carries and ends of all ones */
                memset(value, 0xff, length);
            value[length - 1] &= (uint8_t)(0xff << (8 * length - bits));
            compare(value, length);
        }
    printf("crc16 by " CRC16_BY ", crc32 by " CRC32_BY "\n");
    return 0;
}
