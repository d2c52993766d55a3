/* AES-CBC in portable C, for machines without AES instructions and libcrypto.
 *
 * Its S-box is a table in memory, so its timing can reveal the key to a process that shares the processor's cache.
 * Source: FIPS 197; NIST SP 800-38A section 6.2.
 */
#include "crypto/crypto.h"

#include <stdlib.h>
#include <string.h>

/* Bytes in the order of the input: byte 4 * column + row is row, column of FIPS 197. */
struct cipher {
    uint32_t rounds;
    bool encode;
    uint8_t keys[MACS_ODP_ROUNDS_MAX + 1][MACS_ODP_BLOCK];
};

static uint8_t sbox[256], inverse_sbox[256];

/* Times x in GF(2^8) (FIPS 197, section 4.2.1). */
static inline uint8_t doubled(uint8_t a) {
    return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
}

/* The S-box (section 5.1.1): 3 generates the field, so its powers and those of its inverse meet each pair once. */
__attribute__((constructor)) static void sbox_init(void) {
    uint8_t power = 1, inverse = 1;
    do {
        power ^= doubled(power); /* times 3 */
        inverse ^= (uint8_t)(inverse << 1);
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        inverse ^= inverse & 0x80 ? 0x09 : 0; /* times 3^-1 */
        uint32_t twice = inverse * 0x101u;
        uint8_t mixed = (uint8_t)(twice ^ twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4);
        sbox[power] = mixed ^ 0x63;
    } while (power != 1);
    sbox[0] = 0x63;
    for (unsigned byte = 0; byte < 256; byte++)
        inverse_sbox[sbox[byte]] = (uint8_t)byte;
}

static void add(uint8_t *to, const uint8_t *from) {
    for (unsigned i = 0; i < MACS_ODP_BLOCK; i++)
        to[i] ^= from[i];
}

/* Key expansion (section 5.2). */
static void expand(struct cipher *cipher, const uint8_t *key, uint32_t key_len) {
    uint32_t words = key_len / 4, all = 4 * (cipher->rounds + 1);
    uint8_t *w = cipher->keys[0], constant = 1;
    memcpy(w, key, key_len);
    for (uint32_t i = words; i < all; i++) {
        const uint8_t *before = w + 4 * (i - 1);
        uint8_t t[4] = {before[0], before[1], before[2], before[3]};
        if (i % words == 0) {
            const uint8_t first = t[0];
            t[0] = sbox[t[1]] ^ constant, t[1] = sbox[t[2]], t[2] = sbox[t[3]], t[3] = sbox[first];
            constant = doubled(constant);
        } else if (words > 6 && i % words == 4) {
            for (unsigned n = 0; n < 4; n++)
                t[n] = sbox[t[n]];
        }
        for (unsigned n = 0; n < 4; n++)
            w[4 * i + n] = w[4 * (i - words) + n] ^ t[n];
    }
}

static void *create(const uint8_t *key, uint32_t key_len, bool encode) {
    struct cipher *cipher = calloc(1, sizeof(*cipher));
    if (cipher == NULL)
        return NULL;
    cipher->rounds = key_len / 4 + 6;
    cipher->encode = encode;
    expand(cipher, key, key_len);
    return cipher;
}

static void destroy(void *cipher) {
    explicit_bzero(cipher, sizeof(struct cipher));
    free(cipher);
}

/* A column times the matrix of MixColumns (section 5.1.3). */
static void mix(uint8_t *c) {
    const uint8_t all = c[0] ^ c[1] ^ c[2] ^ c[3], first = c[0];
    for (unsigned row = 0; row < 4; row++)
        c[row] ^= all ^ doubled(c[row] ^ (row < 3 ? c[row + 1] : first));
}

/* Times its inverse (section 5.3.3), which is the matrix itself after this one. */
static void unmix(uint8_t *c) {
    const uint8_t even = doubled(doubled(c[0] ^ c[2])), odd = doubled(doubled(c[1] ^ c[3]));
    c[0] ^= even, c[1] ^= odd, c[2] ^= even, c[3] ^= odd;
    mix(c);
}

static void encrypt(const struct cipher *cipher, uint8_t *block) {
    add(block, cipher->keys[0]);
    for (uint32_t round = 1; round <= cipher->rounds; round++) {
        uint8_t t[MACS_ODP_BLOCK];
        for (unsigned at = 0; at < MACS_ODP_BLOCK; at++)
            t[at] = sbox[block[(at + 4 * (at % 4)) % MACS_ODP_BLOCK]]; /* shifted rows */
        for (unsigned at = 0; at < MACS_ODP_BLOCK && round < cipher->rounds; at += 4)
            mix(t + at);
        add(t, cipher->keys[round]);
        memcpy(block, t, MACS_ODP_BLOCK);
    }
}

static void decrypt(const struct cipher *cipher, uint8_t *block) {
    for (uint32_t round = cipher->rounds; round > 0; round--) {
        uint8_t t[MACS_ODP_BLOCK];
        add(block, cipher->keys[round]);
        for (unsigned at = 0; at < MACS_ODP_BLOCK && round < cipher->rounds; at += 4)
            unmix(block + at);
        for (unsigned at = 0; at < MACS_ODP_BLOCK; at++)
            t[(at + 4 * (at % 4)) % MACS_ODP_BLOCK] = inverse_sbox[block[at]];
        memcpy(block, t, MACS_ODP_BLOCK);
    }
    add(block, cipher->keys[0]);
}

static void run_one(const struct cipher *cipher, const uint8_t iv[MACS_ODP_BLOCK], uint8_t *data, uint32_t len) {
    uint8_t chain[MACS_ODP_BLOCK], coming[MACS_ODP_BLOCK];
    memcpy(chain, iv, MACS_ODP_BLOCK);
    for (uint8_t *block = data; block < data + len; block += MACS_ODP_BLOCK) {
        if (cipher->encode) {
            add(block, chain);
            encrypt(cipher, block);
            memcpy(chain, block, MACS_ODP_BLOCK);
        } else {
            memcpy(coming, block, MACS_ODP_BLOCK);
            decrypt(cipher, block);
            add(block, chain);
            memcpy(chain, coming, MACS_ODP_BLOCK);
        }
    }
}

static void run(struct macs_odp_job jobs[], unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        run_one(jobs[i].cipher, jobs[i].iv, jobs[i].data, jobs[i].len);
        jobs[i].failed = false;
    }
}

static bool usable(void) {
    return true;
}

const struct macs_odp_ciphers macs_odp_ciphers_portable = {"AES-CBC in portable C", usable, create, destroy, run};
