/* AES-CBC of many packets at once, by instructions for rounds of AES.
 *
 * The blocks of a packet must be encrypted one after the other, and each round depends on the one before, while the CPU
 * could execute several rounds at once. So the packets of a burst are encrypted in lanes: a step encrypts the next
 * block of each lane's packet. When a packet ends, the next packet takes its lane. Decryption needs no lanes, as all
 * cipher blocks of a packet are known.
 */
#ifndef MACS_ODP_CRYPTO_LANES_H
#define MACS_ODP_CRYPTO_LANES_H

#include "crypto/crypto.h"

#define MACS_ODP_LANES_MAX 16u

/* A key's rounds, in the order of their use: of the inverse cipher (FIPS 197, section 5.3.5) where it decrypts. Those
 * of AES-128 end with the third cache line. */
struct macs_odp_aes {
    uint32_t rounds;
    bool encode;
    _Alignas(MACS_ODP_BLOCK) uint8_t keys[MACS_ODP_ROUNDS_MAX + 1][MACS_ODP_BLOCK];
} ODP_ALIGNED_CACHE;

/* The chains of several packets with equally long keys. `chain`: the last cipher block of each; `data`: the next block.
 */
struct macs_odp_lanes {
    uint8_t keys[MACS_ODP_ROUNDS_MAX + 1][MACS_ODP_LANES_MAX][MACS_ODP_BLOCK];
    uint8_t chain[MACS_ODP_LANES_MAX][MACS_ODP_BLOCK];
    uint8_t *data[MACS_ODP_LANES_MAX];
    uint32_t rounds;
} ODP_ALIGNED_CACHE;

/* What a CPU has. `lanes`: how many it needs to be busy. */
struct macs_odp_aes_unit {
    unsigned lanes;
    uint32_t (*substitute)(uint32_t word);                       /* its bytes, by the S-box */
    void (*unmix)(uint8_t key[MACS_ODP_BLOCK]);                  /* InvMixColumns */
    void (*step)(struct macs_odp_lanes *lanes, uint32_t blocks); /* encrypt the next blocks of each; `data` stays */
    void (*encrypt)(const struct macs_odp_aes *aes, const uint8_t *iv, uint8_t *data, uint32_t len);
    void (*decrypt)(const struct macs_odp_aes *aes, const uint8_t *iv, uint8_t *data, uint32_t len);
};

void *macs_odp_aes_create(const struct macs_odp_aes_unit *unit, const uint8_t *key, uint32_t key_len, bool encode);
void macs_odp_aes_destroy(void *cipher);
void macs_odp_aes_run(const struct macs_odp_aes_unit *unit, struct macs_odp_job jobs[], unsigned count);

#endif
