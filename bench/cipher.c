/* The bare cipher: AES-128-CBC of OpenSSL on one payload after the other, in place, and nothing else.
 *
 * The floor of a program that encrypts or decrypts each packet once. The key stays, as a session's does; each payload
 * has an initialization vector of its own. The payloads take turns in 256 KiB, as packets do in their pool.
 * Usage: cipher. Contests "encrypt" and "decrypt", NUMBER: bytes of a payload, whole blocks of 16.
 */
#include <openssl/evp.h>

#include "probe.h"

enum { PAYLOADS = 256, BLOCK = 16, PLACE = 2048, ROUNDS = 4 };

static uint8_t memory[PAYLOADS][PLACE];
static EVP_CIPHER_CTX *encrypting, *decrypting;

static EVP_CIPHER_CTX *session(int encrypt) {
    static const uint8_t key[BLOCK] = {1, 2, 3};
    EVP_CIPHER_CTX *made = EVP_CIPHER_CTX_new();
    if (!made || !EVP_CipherInit_ex(made, EVP_aes_128_cbc(), NULL, key, key, encrypt) ||
        !EVP_CIPHER_CTX_set_padding(made, 0))
        return NULL;
    return made;
}

static uint64_t run(EVP_CIPHER_CTX *with, uint64_t bytes) {
    int length, whole = (int)(bytes < PLACE - BLOCK ? bytes : PLACE - BLOCK) / BLOCK * BLOCK;
    for (unsigned i = 0; i < PAYLOADS * ROUNDS; i++) {
        uint8_t *payload = memory[i % PAYLOADS];
        if (!EVP_CipherInit_ex(with, NULL, NULL, NULL, payload, -1) ||
            !EVP_CipherUpdate(with, payload + BLOCK, &length, payload + BLOCK, whole))
            exit(1);
    }
    return PAYLOADS * ROUNDS;
}

static uint64_t encrypt(uint64_t bytes) {
    return run(encrypting, bytes);
}

static uint64_t decrypt(uint64_t bytes) {
    return run(decrypting, bytes);
}

int main(void) {
    static const struct probe probes[] = {{"encrypt", encrypt}, {"decrypt", decrypt}};
    encrypting = session(1);
    decrypting = session(0);
    if (!encrypting || !decrypting) {
        fprintf(stderr, "OpenSSL has no AES-128-CBC\n");
        return 1;
    }
    return probe_serve(probes, 2);
}
