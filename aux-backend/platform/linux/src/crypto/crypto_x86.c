/* AES-CBC by x86's AES instructions, in eight lanes of one block; with VAES in sixteen, four to a register. */
#include "crypto/crypto_lanes.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define AES __attribute__((target("aes,sse4.1")))
#define VAES __attribute__((target("aes,avx512f,vaes")))
#define INLINE __attribute__((always_inline)) static inline

static inline __m128i load(const uint8_t *from) {
    return _mm_loadu_si128((const __m128i *)from);
}

static inline void store(uint8_t *to, __m128i block) {
    _mm_storeu_si128((__m128i *)to, block);
}

/* Four equal columns: shifting their rows changes nothing. */
AES static uint32_t substitute(uint32_t word) {
    return (uint32_t)_mm_cvtsi128_si32(_mm_aesenclast_si128(_mm_set1_epi32((int)word), _mm_setzero_si128()));
}

AES static void unmix(uint8_t key[MACS_ODP_BLOCK]) {
    store(key, _mm_aesimc_si128(load(key)));
}

/* --- one chain --- */

AES INLINE void encrypt_one(const struct macs_odp_aes *aes, const uint8_t *iv, uint8_t *data, uint32_t len,
                            uint32_t rounds) {
    __m128i keys[MACS_ODP_ROUNDS_MAX + 1], chain = load(iv);
    for (uint32_t round = 0; round <= rounds; round++)
        keys[round] = load(aes->keys[round]);
    for (uint8_t *block = data; block < data + len; block += MACS_ODP_BLOCK) {
        chain = _mm_xor_si128(chain, _mm_xor_si128(load(block), keys[0]));
        for (uint32_t round = 1; round < rounds; round++)
            chain = _mm_aesenc_si128(chain, keys[round]);
        chain = _mm_aesenclast_si128(chain, keys[rounds]);
        store(block, chain);
    }
}

/* Rounds that are a constant unroll. */
AES static void encrypt(const struct macs_odp_aes *aes, const uint8_t *iv, uint8_t *data, uint32_t len) {
    if (aes->rounds == 10)
        encrypt_one(aes, iv, data, len, 10);
    else
        encrypt_one(aes, iv, data, len, aes->rounds);
}

/* --- AES: a block in a register --- */

#define LANES 8u
#define AHEAD 8u /* blocks that are decrypted together */

AES INLINE void step_rounds(struct macs_odp_lanes *lanes, uint32_t blocks, uint32_t rounds) {
    __m128i state[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        state[lane] = load(lanes->chain[lane]);
    for (size_t at = 0; at < (size_t)blocks * MACS_ODP_BLOCK; at += MACS_ODP_BLOCK) {
        for (unsigned lane = 0; lane < LANES; lane++)
            state[lane] =
                _mm_xor_si128(state[lane], _mm_xor_si128(load(lanes->data[lane] + at), load(lanes->keys[0][lane])));
        for (uint32_t round = 1; round < rounds; round++)
            for (unsigned lane = 0; lane < LANES; lane++)
                state[lane] = _mm_aesenc_si128(state[lane], load(lanes->keys[round][lane]));
        for (unsigned lane = 0; lane < LANES; lane++) {
            state[lane] = _mm_aesenclast_si128(state[lane], load(lanes->keys[rounds][lane]));
            store(lanes->data[lane] + at, state[lane]);
        }
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        store(lanes->chain[lane], state[lane]);
}

AES static void step(struct macs_odp_lanes *lanes, uint32_t blocks) {
    if (lanes->rounds == 10)
        step_rounds(lanes, blocks, 10);
    else
        step_rounds(lanes, blocks, lanes->rounds);
}

/* `count` blocks, AHEAD at most, whose last one becomes the chain. */
AES INLINE __m128i decrypt_some(const struct macs_odp_aes *aes, __m128i chain, uint8_t *data, unsigned count) {
    __m128i state[AHEAD], key = load(aes->keys[0]);
    for (unsigned i = 0; i < count; i++)
        state[i] = _mm_xor_si128(load(data + i * MACS_ODP_BLOCK), key);
    for (uint32_t round = 1; round < aes->rounds; round++) {
        key = load(aes->keys[round]);
        for (unsigned i = 0; i < count; i++)
            state[i] = _mm_aesdec_si128(state[i], key);
    }
    key = load(aes->keys[aes->rounds]);
    for (unsigned i = 0; i < count; i++) {
        __m128i before = chain;
        chain = load(data + i * MACS_ODP_BLOCK);
        store(data + i * MACS_ODP_BLOCK, _mm_xor_si128(_mm_aesdeclast_si128(state[i], key), before));
    }
    return chain;
}

/* So many blocks of the last ones, if there are. */
AES INLINE __m128i decrypt_rest(const struct macs_odp_aes *aes, __m128i chain, uint8_t **data, uint32_t *len,
                                unsigned count) {
    if (*len < count * MACS_ODP_BLOCK)
        return chain;
    chain = decrypt_some(aes, chain, *data, count);
    *data += count * MACS_ODP_BLOCK;
    *len -= count * MACS_ODP_BLOCK;
    return chain;
}

AES static void decrypt(const struct macs_odp_aes *aes, const uint8_t *iv, uint8_t *data, uint32_t len) {
    __m128i chain = load(iv);
    for (; len >= AHEAD * MACS_ODP_BLOCK; data += AHEAD * MACS_ODP_BLOCK, len -= AHEAD * MACS_ODP_BLOCK)
        chain = decrypt_some(aes, chain, data, AHEAD);
    chain = decrypt_rest(aes, chain, &data, &len, AHEAD / 2);
    chain = decrypt_rest(aes, chain, &data, &len, AHEAD / 4);
    decrypt_rest(aes, chain, &data, &len, 1);
}

static bool usable(void) {
    return __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1");
}

static const struct macs_odp_aes_unit unit = {LANES, substitute, unmix, step, encrypt, decrypt};

static void *create(const uint8_t *key, uint32_t key_len, bool encode) {
    return macs_odp_aes_create(&unit, key, key_len, encode);
}

static void run(struct macs_odp_job jobs[], unsigned count) {
    macs_odp_aes_run(&unit, jobs, count);
}

const struct macs_odp_ciphers macs_odp_ciphers_x86 = {
    "AES-CBC by AES instructions, 8 packets at once", usable, create, macs_odp_aes_destroy, run,
};

/* --- VAES: four blocks in a register --- */

#define WIDE 4u       /* registers, and blocks in one */
#ifndef __has_feature /* clang's */
#define __has_feature(name) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
#define UNROLL /* the checks would unroll, too, which takes compilers three to six times as long */
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#ifdef __clang__ /* warns where a sanitizer keeps it from that */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* Rows of blocks become columns. */
VAES INLINE void transpose(__m512i row[4]) {
    const __m512i a = _mm512_shuffle_i64x2(row[0], row[1], 0x44), b = _mm512_shuffle_i64x2(row[0], row[1], 0xee);
    const __m512i c = _mm512_shuffle_i64x2(row[2], row[3], 0x44), d = _mm512_shuffle_i64x2(row[2], row[3], 0xee);
    row[0] = _mm512_shuffle_i64x2(a, c, 0x88), row[1] = _mm512_shuffle_i64x2(a, c, 0xdd);
    row[2] = _mm512_shuffle_i64x2(b, d, 0x88), row[3] = _mm512_shuffle_i64x2(b, d, 0xdd);
}

/* One block of each lane. */
VAES INLINE void wide_round_trip(const struct macs_odp_lanes *lanes, __m512i state[WIDE], const __m512i plain[WIDE],
                                 uint32_t rounds) {
    for (unsigned i = 0; i < WIDE; i++)
        state[i] = _mm512_ternarylogic_epi64(state[i], plain[i], _mm512_load_si512(lanes->keys[0][4 * i]), 0x96);
    UNROLL
    for (uint32_t round = 1; round < rounds; round++)
        for (unsigned i = 0; i < WIDE; i++)
            state[i] = _mm512_aesenc_epi128(state[i], _mm512_load_si512(lanes->keys[round][4 * i]));
    for (unsigned i = 0; i < WIDE; i++)
        state[i] = _mm512_aesenclast_epi128(state[i], _mm512_load_si512(lanes->keys[rounds][4 * i]));
}

/* The next `blocks` of each lane, 4 at most, which are loaded and stored together. */
VAES INLINE void wide_step_some(struct macs_odp_lanes *lanes, __m512i state[WIDE], size_t at, uint32_t blocks,
                                uint32_t rounds) {
    const __mmask8 there = (__mmask8)((1u << 2 * blocks) - 1);
    __m512i text[WIDE][4];
    UNROLL
    for (unsigned i = 0; i < WIDE; i++) {
        for (unsigned j = 0; j < 4; j++)
            text[i][j] = blocks == 4 ? _mm512_loadu_si512(lanes->data[4 * i + j] + at)
                                     : _mm512_maskz_loadu_epi64(there, lanes->data[4 * i + j] + at);
        transpose(text[i]);
    }
    UNROLL
    for (unsigned j = 0; j < 4; j++) {
        if (j >= blocks)
            break;
        wide_round_trip(lanes, state, (const __m512i[]){text[0][j], text[1][j], text[2][j], text[3][j]}, rounds);
        text[0][j] = state[0], text[1][j] = state[1], text[2][j] = state[2], text[3][j] = state[3];
    }
    UNROLL
    for (unsigned i = 0; i < WIDE; i++) {
        transpose(text[i]);
        for (unsigned j = 0; j < 4; j++)
            if (blocks == 4)
                _mm512_storeu_si512(lanes->data[4 * i + j] + at, text[i][j]);
            else
                _mm512_mask_storeu_epi64(lanes->data[4 * i + j] + at, there, text[i][j]);
    }
}

VAES INLINE void wide_step_rounds(struct macs_odp_lanes *lanes, uint32_t blocks, uint32_t rounds) {
    __m512i state[WIDE];
    size_t at = 0;
    for (unsigned i = 0; i < WIDE; i++)
        state[i] = _mm512_loadu_si512(lanes->chain[4 * i]);
    for (; blocks >= 4; blocks -= 4, at += 64)
        wide_step_some(lanes, state, at, 4, rounds);
    if (blocks)
        wide_step_some(lanes, state, at, blocks, rounds);
    for (unsigned i = 0; i < WIDE; i++)
        _mm512_storeu_si512(lanes->chain[4 * i], state[i]);
}

VAES static void wide_step(struct macs_odp_lanes *lanes, uint32_t blocks) {
    if (lanes->rounds == 10)
        wide_step_rounds(lanes, blocks, 10);
    else
        wide_step_rounds(lanes, blocks, lanes->rounds);
}

/* WIDE registers of blocks; `len` bytes of them are there. The block before each is the lower neighbour in the
 * register, the first one's the last of the register before. */
VAES INLINE __m512i wide_decrypt_some(const struct macs_odp_aes *aes, __m512i before, uint8_t *data, uint32_t len) {
    __m512i state[WIDE], cipher[WIDE], key;
    __mmask8 there[WIDE];
    for (unsigned i = 0; i < WIDE; i++) {
        uint32_t words = len > 64 * i ? (len - 64 * i) / 8 : 0;
        there[i] = words >= 8 ? 0xff : (__mmask8)((1u << words) - 1);
        cipher[i] = _mm512_maskz_loadu_epi64(there[i], data + 64 * i);
        state[i] = _mm512_xor_si512(cipher[i], _mm512_broadcast_i32x4(load(aes->keys[0])));
    }
    for (uint32_t round = 1; round < aes->rounds; round++) {
        key = _mm512_broadcast_i32x4(load(aes->keys[round]));
        for (unsigned i = 0; i < WIDE; i++)
            state[i] = _mm512_aesdec_epi128(state[i], key);
    }
    key = _mm512_broadcast_i32x4(load(aes->keys[aes->rounds]));
    for (unsigned i = 0; i < WIDE; i++) {
        __m512i chain = _mm512_alignr_epi64(cipher[i], before, 6);
        __m512i plain = _mm512_xor_si512(_mm512_aesdeclast_epi128(state[i], key), chain);
        _mm512_mask_storeu_epi64(data + 64 * i, there[i], plain);
        before = cipher[i];
    }
    return before;
}

VAES static void wide_decrypt(const struct macs_odp_aes *aes, const uint8_t *iv, uint8_t *data, uint32_t len) {
    __m512i before = _mm512_broadcast_i32x4(load(iv));
    for (; len > 64 * WIDE; data += 64 * WIDE, len -= 64 * WIDE)
        before = wide_decrypt_some(aes, before, data, 64 * WIDE);
    wide_decrypt_some(aes, before, data, len);
}

/* Not every compiler knows VAES by name. */
static bool wide_usable(void) {
    unsigned a, b, c, d;
    return usable() && __builtin_cpu_supports("avx512f") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & bit_VAES;
}

static const struct macs_odp_aes_unit wide = {4 * WIDE, substitute, unmix, wide_step, encrypt, wide_decrypt};

static void *wide_create(const uint8_t *key, uint32_t key_len, bool encode) {
    return macs_odp_aes_create(&wide, key, key_len, encode);
}

static void wide_run(struct macs_odp_job jobs[], unsigned count) {
    macs_odp_aes_run(&wide, jobs, count);
}

const struct macs_odp_ciphers macs_odp_ciphers_vaes = {
    "AES-CBC by VAES instructions, 16 packets at once", wide_usable, wide_create, macs_odp_aes_destroy, wide_run,
};

#endif
