/* The cipher of a crypto session: OpenSSL's libcrypto if the build has it (crypto_openssl.c), else portable C
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

#define MACS_ODP_BLOCK 16u /* bytes of an AES block */

/* AES-CBC with one key in one direction. Any threads may run it at the same time. */
struct macs_odp_cipher;

extern const char macs_odp_cipher_name[];

/* `key_len`: 16, 24 or 32. NULL: no memory, or the library refuses. */
struct macs_odp_cipher *macs_odp_cipher_create(const uint8_t *key, uint32_t key_len, bool encode);
void macs_odp_cipher_destroy(struct macs_odp_cipher *cipher);

/* `len` bytes in place, whole blocks, at least one. 0, or -1. */
int macs_odp_cipher_run(struct macs_odp_cipher *cipher, const uint8_t iv[MACS_ODP_BLOCK], uint8_t *data, uint32_t len);

#endif
