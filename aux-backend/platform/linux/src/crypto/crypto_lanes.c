/* Key schedules and lanes of AES-CBC by AES instructions; see crypto_lanes.h. */
#include "crypto/crypto_lanes.h"

#include <stdlib.h>
#include <string.h>

#define SPARE 64u /* blocks that lanes without a packet work on */

/* Key expansion (FIPS 197, section 5.2), words with their first byte lowest. */
static void expand(const struct macs_odp_aes_unit *unit, struct macs_odp_aes *aes, const uint8_t *key,
                   uint32_t key_len) {
    uint32_t words = key_len / 4, all = 4 * (aes->rounds + 1), w[4 * (MACS_ODP_ROUNDS_MAX + 1)], constant = 1;
    memcpy(w, key, key_len);
    for (uint32_t i = words; i < all; i++) {
        uint32_t t = w[i - 1];
        if (i % words == 0) {
            t = unit->substitute(t >> 8 | t << 24) ^ constant;
            constant = (constant << 1 ^ (constant & 0x80 ? 0x1b : 0)) & 0xff;
        } else if (words > 6 && i % words == 4) {
            t = unit->substitute(t);
        }
        w[i] = w[i - words] ^ t;
    }
    for (uint32_t round = 0; round <= aes->rounds; round++)
        memcpy(aes->keys[aes->encode ? round : aes->rounds - round], w + 4 * round, MACS_ODP_BLOCK);
    for (uint32_t round = 1; round < aes->rounds && !aes->encode; round++)
        unit->unmix(aes->keys[round]);
    explicit_bzero(w, sizeof(w));
}

void *macs_odp_aes_create(const struct macs_odp_aes_unit *unit, const uint8_t *key, uint32_t key_len, bool encode) {
    struct macs_odp_aes *aes = NULL;
    if (posix_memalign((void **)&aes, ODP_CACHE_LINE_SIZE, sizeof(*aes)))
        return NULL;
    memset(aes, 0, sizeof(*aes));
    aes->rounds = key_len / 4 + 6;
    aes->encode = encode;
    expand(unit, aes, key, key_len);
    return aes;
}

void macs_odp_aes_destroy(void *cipher) {
    explicit_bzero(cipher, sizeof(struct macs_odp_aes));
    free(cipher);
}

/* Jobs to encrypt with keys of one length: those that no lane has had yet begin at `next`. */
struct chains {
    const struct macs_odp_aes_unit *unit;
    struct macs_odp_job *jobs;
    unsigned next, count, busy;        /* `busy`: lanes that have a packet */
    uint32_t left[MACS_ODP_LANES_MAX]; /* blocks of each lane; 0: it has none */
    uint8_t *spare;
    struct macs_odp_lanes lanes;
};

static const struct macs_odp_aes *aes_of(const struct macs_odp_job *job) {
    return job->cipher;
}

static bool belongs(const struct macs_odp_job *job, uint32_t rounds) {
    return aes_of(job)->encode && aes_of(job)->rounds == rounds;
}

static inline void copy_keys(struct macs_odp_lanes *lanes, unsigned lane, const struct macs_odp_aes *aes,
                             uint32_t rounds) {
    for (uint32_t round = 0; round <= rounds; round++)
        memcpy(lanes->keys[round][lane], aes->keys[round], MACS_ODP_BLOCK);
}

/* Give a lane the next packet, or none. Rounds that are a constant unroll. */
static void fill(struct chains *chains, unsigned lane) {
    struct macs_odp_lanes *lanes = &chains->lanes;
    while (chains->next < chains->count && !belongs(&chains->jobs[chains->next], lanes->rounds))
        chains->next++;
    lanes->data[lane] = chains->spare;
    chains->left[lane] = 0;
    if (chains->next == chains->count)
        return;
    const struct macs_odp_job *job = &chains->jobs[chains->next++];
    if (lanes->rounds == 10)
        copy_keys(lanes, lane, aes_of(job), 10);
    else
        copy_keys(lanes, lane, aes_of(job), lanes->rounds);
    memcpy(lanes->chain[lane], job->iv, MACS_ODP_BLOCK);
    lanes->data[lane] = job->data;
    chains->left[lane] = job->len / MACS_ODP_BLOCK;
    chains->busy++;
}

/* Go on until the first packet ends, and fill its lane. */
static void advance(struct chains *chains) {
    struct macs_odp_lanes *lanes = &chains->lanes;
    uint32_t blocks = chains->busy < chains->unit->lanes ? SPARE : UINT32_MAX;
    for (unsigned lane = 0; lane < chains->unit->lanes; lane++)
        if (chains->left[lane] && chains->left[lane] < blocks)
            blocks = chains->left[lane];
    chains->unit->step(lanes, blocks);
    for (unsigned lane = 0; lane < chains->unit->lanes; lane++) {
        if (!chains->left[lane])
            continue;
        lanes->data[lane] += (size_t)blocks * MACS_ODP_BLOCK;
        chains->left[lane] -= blocks;
        if (chains->left[lane])
            continue;
        chains->busy--;
        fill(chains, lane);
    }
}

static void encrypt(const struct macs_odp_aes_unit *unit, struct macs_odp_job jobs[], unsigned count, uint32_t rounds) {
    uint8_t spare[SPARE * MACS_ODP_BLOCK];
    struct chains chains;

    chains.unit = unit;
    chains.jobs = jobs;
    chains.next = chains.busy = 0;
    chains.count = count;
    chains.spare = spare;
    chains.lanes.rounds = rounds;
    for (unsigned lane = 0; lane < unit->lanes; lane++)
        fill(&chains, lane);
    while (chains.busy)
        advance(&chains);
}

/* One chain needs no lanes. */
void macs_odp_aes_run(const struct macs_odp_aes_unit *unit, struct macs_odp_job jobs[], unsigned count) {
    unsigned chains[MACS_ODP_ROUNDS_MAX + 1] = {0}, last[MACS_ODP_ROUNDS_MAX + 1] = {0};
    for (unsigned i = 0; i < count; i++) {
        const struct macs_odp_aes *aes = aes_of(&jobs[i]);
        jobs[i].failed = false;
        if (aes->encode) {
            chains[aes->rounds]++;
            last[aes->rounds] = i;
        } else {
            unit->decrypt(aes, jobs[i].iv, jobs[i].data, jobs[i].len);
        }
    }
    for (uint32_t rounds = 10; rounds <= MACS_ODP_ROUNDS_MAX; rounds += 2) {
        const struct macs_odp_job *job = &jobs[last[rounds]];
        if (chains[rounds] == 1)
            unit->encrypt(aes_of(job), job->iv, job->data, job->len);
        else if (chains[rounds])
            encrypt(unit, jobs, count, rounds);
    }
}
