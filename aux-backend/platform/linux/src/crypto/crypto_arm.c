/* AES-CBC by ARM's AES instructions, in eight lanes of one block.
 *
 * ARM's instruction for a round adds the round key at its beginning, FIPS 197 at its end. So each round key is passed
 * to the instruction of the next round.
 */
#include "crypto/crypto_lanes.h"

#if defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN)

#include <arm_neon.h>
#include <sys/auxv.h>

#define AES __attribute__((target("+crypto")))
#define INLINE __attribute__((always_inline)) static inline
#define LANES 8u
#define AHEAD 8u           /* blocks that are decrypted together */
#define HAS_AES (1ul << 3) /* of AT_HWCAP, by Linux's ABI */

/* Four equal columns: shifting their rows changes nothing. */
AES static uint32_t substitute(uint32_t word) {
    return vgetq_lane_u32(vreinterpretq_u32_u8(vaeseq_u8(vreinterpretq_u8_u32(vdupq_n_u32(word)), vdupq_n_u8(0))), 0);
}

AES static void unmix(uint8_t key[MACS_ODP_BLOCK]) {
    vst1q_u8(key, vaesimcq_u8(vld1q_u8(key)));
}

AES static void encrypt(const struct macs_odp_aes *aes, const uint8_t *iv, uint8_t *data, uint32_t len) {
    uint8x16_t chain = vld1q_u8(iv);
    for (uint8_t *block = data; block < data + len; block += MACS_ODP_BLOCK) {
        chain = veorq_u8(chain, vld1q_u8(block));
        for (uint32_t round = 0; round + 1 < aes->rounds; round++)
            chain = vaesmcq_u8(vaeseq_u8(chain, vld1q_u8(aes->keys[round])));
        chain = vaeseq_u8(chain, vld1q_u8(aes->keys[aes->rounds - 1]));
        chain = veorq_u8(chain, vld1q_u8(aes->keys[aes->rounds]));
        vst1q_u8(block, chain);
    }
}

AES INLINE void step_rounds(struct macs_odp_lanes *lanes, uint32_t blocks, uint32_t rounds) {
    uint8x16_t state[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        state[lane] = vld1q_u8(lanes->chain[lane]);
    for (size_t at = 0; at < (size_t)blocks * MACS_ODP_BLOCK; at += MACS_ODP_BLOCK) {
        for (unsigned lane = 0; lane < LANES; lane++)
            state[lane] = veorq_u8(state[lane], vld1q_u8(lanes->data[lane] + at));
        for (uint32_t round = 0; round + 1 < rounds; round++)
            for (unsigned lane = 0; lane < LANES; lane++)
                state[lane] = vaesmcq_u8(vaeseq_u8(state[lane], vld1q_u8(lanes->keys[round][lane])));
        for (unsigned lane = 0; lane < LANES; lane++) {
            state[lane] = vaeseq_u8(state[lane], vld1q_u8(lanes->keys[rounds - 1][lane]));
            state[lane] = veorq_u8(state[lane], vld1q_u8(lanes->keys[rounds][lane]));
            vst1q_u8(lanes->data[lane] + at, state[lane]);
        }
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        vst1q_u8(lanes->chain[lane], state[lane]);
}

/* Rounds that are a constant unroll. */
AES static void step(struct macs_odp_lanes *lanes, uint32_t blocks) {
    if (lanes->rounds == 10)
        step_rounds(lanes, blocks, 10);
    else
        step_rounds(lanes, blocks, lanes->rounds);
}

/* `count` blocks, AHEAD at most, whose last one becomes the chain. */
AES INLINE uint8x16_t decrypt_some(const struct macs_odp_aes *aes, uint8x16_t chain, uint8_t *data, unsigned count) {
    uint8x16_t state[AHEAD], key;
    for (unsigned i = 0; i < count; i++)
        state[i] = vld1q_u8(data + i * MACS_ODP_BLOCK);
    for (uint32_t round = 0; round + 1 < aes->rounds; round++) {
        key = vld1q_u8(aes->keys[round]);
        for (unsigned i = 0; i < count; i++)
            state[i] = vaesimcq_u8(vaesdq_u8(state[i], key));
    }
    key = vld1q_u8(aes->keys[aes->rounds - 1]);
    for (unsigned i = 0; i < count; i++) {
        uint8x16_t before = veorq_u8(chain, vld1q_u8(aes->keys[aes->rounds]));
        chain = vld1q_u8(data + i * MACS_ODP_BLOCK);
        vst1q_u8(data + i * MACS_ODP_BLOCK, veorq_u8(vaesdq_u8(state[i], key), before));
    }
    return chain;
}

/* So many blocks of the last ones, if there are. */
AES INLINE uint8x16_t decrypt_rest(const struct macs_odp_aes *aes, uint8x16_t chain, uint8_t **data, uint32_t *len,
                                   unsigned count) {
    if (*len < count * MACS_ODP_BLOCK)
        return chain;
    chain = decrypt_some(aes, chain, *data, count);
    *data += count * MACS_ODP_BLOCK;
    *len -= count * MACS_ODP_BLOCK;
    return chain;
}

AES static void decrypt(const struct macs_odp_aes *aes, const uint8_t *iv, uint8_t *data, uint32_t len) {
    uint8x16_t chain = vld1q_u8(iv);
    for (; len >= AHEAD * MACS_ODP_BLOCK; data += AHEAD * MACS_ODP_BLOCK, len -= AHEAD * MACS_ODP_BLOCK)
        chain = decrypt_some(aes, chain, data, AHEAD);
    chain = decrypt_rest(aes, chain, &data, &len, AHEAD / 2);
    chain = decrypt_rest(aes, chain, &data, &len, AHEAD / 4);
    decrypt_rest(aes, chain, &data, &len, 1);
}

static bool usable(void) {
    return getauxval(AT_HWCAP) & HAS_AES;
}

static const struct macs_odp_aes_unit unit = {LANES, substitute, unmix, step, encrypt, decrypt};

static void *create(const uint8_t *key, uint32_t key_len, bool encode) {
    return macs_odp_aes_create(&unit, key, key_len, encode);
}

static void run(struct macs_odp_job jobs[], unsigned count) {
    macs_odp_aes_run(&unit, jobs, count);
}

const struct macs_odp_ciphers macs_odp_ciphers_arm = {
    "AES-CBC by AES instructions, 8 packets at once", usable, create, macs_odp_aes_destroy, run,
};

#endif
