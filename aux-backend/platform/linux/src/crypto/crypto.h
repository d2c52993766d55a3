/* The ciphers of crypto sessions. There are several kinds, which give the same: by the CPU's instructions for AES
 * (crypto_x86.c, crypto_arm.c), by OpenSSL's libcrypto if the build has it (crypto_openssl.c), by portable C
 * (crypto_aes.c). */
#ifndef MACS_ODP_CRYPTO_H
#define MACS_ODP_CRYPTO_H

#include "core/internal.h"

/* The build found libcrypto and says so by the macro; a compiler for another machine may not see its headers. */
#if defined(MACS_ODP_OPENSSL) && __has_include(<openssl/evp.h>)
#define MACS_ODP_USES_OPENSSL 1
#else
#define MACS_ODP_USES_OPENSSL 0
#endif

#define MACS_ODP_BLOCK 16u      /* bytes of an AES block */
#define MACS_ODP_ROUNDS_MAX 14u /* of AES-256 */

/* What is ciphered in place: `len` bytes, whole blocks, at least one. `cipher`: AES-CBC with one key in one direction,
 * of the kind that runs the job. */
struct macs_odp_job {
    void *cipher;
    const uint8_t *iv;
    uint8_t *data;
    uint32_t len;
    bool failed; /* set by run() */
};

/* The functions may be called by any threads at the same time, and with the same cipher. */
struct macs_odp_ciphers {
    const char *name;
    bool (*usable)(void); /* here */
    /* `key_len`: 16, 24 or 32. NULL: no memory, or the library refuses. */
    void *(*create)(const uint8_t *key, uint32_t key_len, bool encode);
    void (*destroy)(void *cipher);
    void (*run)(struct macs_odp_job jobs[], unsigned count);
};

extern const struct macs_odp_ciphers macs_odp_ciphers_vaes, macs_odp_ciphers_x86, macs_odp_ciphers_arm;
extern const struct macs_odp_ciphers macs_odp_ciphers_openssl, macs_odp_ciphers_portable;

/* All that the build has, the fastest first, up to a NULL. -DMACS_ODP_NO_AES leaves out those by the CPU's
 * instructions. */
extern const struct macs_odp_ciphers *const macs_odp_ciphers[];

#endif
