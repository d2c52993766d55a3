/* Ciphers for payloads: AES-128-CBC, by ODP's crypto API. Only programs with the extern `macs_cipher` link it.
 *
 * The program writes key, initialization vector and direction behind the packet's record (struct macs_cipher_request).
 * When the deparser has run, the runtime ciphers the payloads of a burst together.
 * Ownership: a worker makes a session for each key and direction when its first packet comes, and keeps it.
 */
#ifndef MACS_CIPHER_H
#define MACS_CIPHER_H

#include <macs/packet.h>

#define MACS_CIPHER_BLOCK 16u /* bytes: of a block, a key, a vector */

/* Stands right behind struct macs_packet in the state of programs that cipher. */
struct macs_cipher_request {
    uint8_t key[MACS_CIPHER_BLOCK];
    uint8_t iv[MACS_CIPHER_BLOCK];
};

static inline struct macs_cipher_request *macs_cipher_request_of(struct macs_packet *packet) {
    return (struct macs_cipher_request *)(packet + 1);
}

/* The last request counts. `way`: MACS_ENCRYPT or MACS_DECRYPT. */
static inline void macs_request_cipher(struct macs_packet *packet, enum macs_request way) {
    packet->requests.flags = (uint8_t)((packet->requests.flags & ~(MACS_ENCRYPT | MACS_DECRYPT)) | way);
}

struct macs_worker;
struct macs_sessions; /* a worker's */

struct macs_cipher {
    /* For one of so many workers. 0 or -errno: -ENOTSUP where ODP has no such cipher. */
    int (*create)(struct macs_sessions **created, unsigned workers);
    void (*destroy)(struct macs_sessions *sessions); /* may be NULL */
    /* Cipher what asks for it among those that go on (MACS_FORWARD); what cannot be is dropped for MACS_CAUSE_CIPHER.
     * Another packet may come to stand in the place of one that was given. */
    void (*run)(struct macs_worker *worker, struct macs_packet *packets[], unsigned count);
};

extern const struct macs_cipher macs_cipher;

#endif
