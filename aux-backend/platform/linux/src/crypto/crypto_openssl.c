/* AES-CBC by OpenSSL's libcrypto, one packet after the other.
 *
 * Each thread that uses a session has a context of its own, made at its first packet. To set a context's initialization
 * vector costs as much as to cipher a small packet. So the chain continues from packet to packet: the first block of a
 * packet is XORed with the context's last cipher block and with the packet's own vector, which cancels the former.
 */
#include "crypto/crypto.h"

#if MACS_ODP_USES_OPENSSL

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX 32u

/* `chain`: the last cipher block that went through the context. */
struct context {
    EVP_CIPHER_CTX *evp;
    uint8_t chain[MACS_ODP_BLOCK];
} ODP_ALIGNED_CACHE;

struct cipher {
    struct context *of[ODP_THREAD_COUNT_MAX]; /* each written by its thread alone */
    const EVP_CIPHER *algorithm;
    bool encode;
    uint8_t key[KEY_MAX];
};

static void close_context(struct context *context) {
    if (context == NULL)
        return;
    EVP_CIPHER_CTX_free(context->evp);
    free(context);
}

static struct context *open_context(const struct cipher *cipher) {
    struct context *context = aligned_alloc(ODP_CACHE_LINE_SIZE, sizeof(*context));
    if (context == NULL)
        return NULL;
    memset(context, 0, sizeof(*context));
    context->evp = EVP_CIPHER_CTX_new();
    if (context->evp == NULL || EVP_CipherInit_ex(context->evp, cipher->algorithm, NULL, cipher->key, context->chain,
                                                  cipher->encode ? 1 : 0) != 1) {
        close_context(context);
        return NULL;
    }
    EVP_CIPHER_CTX_set_padding(context->evp, 0);
    return context;
}

static void destroy(void *made) {
    struct cipher *cipher = made;
    for (int thread = 0; thread < ODP_THREAD_COUNT_MAX; thread++)
        close_context(cipher->of[thread]);
    OPENSSL_cleanse(cipher->key, sizeof(cipher->key));
    free(cipher);
}

static void *create(const uint8_t *key, uint32_t key_len, bool encode) {
    struct cipher *cipher = calloc(1, sizeof(*cipher));
    if (cipher == NULL)
        return NULL;
    cipher->algorithm = key_len == 16 ? EVP_aes_128_cbc() : key_len == 24 ? EVP_aes_192_cbc() : EVP_aes_256_cbc();
    cipher->encode = encode;
    memcpy(cipher->key, key, key_len);
    int thread = odp_thread_id();
    cipher->of[thread] = open_context(cipher);
    if (cipher->of[thread] == NULL) {
        destroy(cipher);
        return NULL;
    }
    return cipher;
}

/* block ^= a ^ b */
static void correct(uint8_t *block, const uint8_t *a, const uint8_t *b) {
    for (unsigned i = 0; i < MACS_ODP_BLOCK; i++)
        block[i] ^= a[i] ^ b[i];
}

/* After an error the context begins anew. */
static bool fail(struct cipher *cipher, int thread) {
    close_context(cipher->of[thread]);
    cipher->of[thread] = NULL;
    return false;
}

static bool run_one(struct cipher *cipher, const uint8_t iv[MACS_ODP_BLOCK], uint8_t *data, uint32_t len) {
    int thread = odp_thread_id(), written = 0;
    struct context *context = cipher->of[thread];
    if (odp_unlikely(context == NULL)) {
        context = cipher->of[thread] = open_context(cipher);
        if (context == NULL)
            return false;
    }
    uint8_t last[MACS_ODP_BLOCK]; /* cipher block of these data, before or after the call */
    const uint8_t *tail = data + len - MACS_ODP_BLOCK;
    memcpy(last, tail, MACS_ODP_BLOCK);
    if (cipher->encode)
        correct(data, iv, context->chain);
    if (odp_unlikely(EVP_CipherUpdate(context->evp, data, &written, data, (int)len) != 1 || written != (int)len))
        return fail(cipher, thread);
    if (cipher->encode)
        memcpy(last, tail, MACS_ODP_BLOCK);
    else
        correct(data, iv, context->chain);
    memcpy(context->chain, last, MACS_ODP_BLOCK);
    return true;
}

static void run(struct macs_odp_job jobs[], unsigned count) {
    for (unsigned i = 0; i < count; i++)
        jobs[i].failed = !run_one(jobs[i].cipher, jobs[i].iv, jobs[i].data, jobs[i].len);
}

static bool usable(void) {
    return true;
}

const struct macs_odp_ciphers macs_odp_ciphers_openssl = {"AES-CBC by OpenSSL", usable, create, destroy, run};

#endif
