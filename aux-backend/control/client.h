/* One client of the control server: what it has sent and not been answered, what it has not taken yet. */
#ifndef MACS_CONTROL_CLIENT_H
#define MACS_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that may wait for a client that does not read: digests beyond the first are lost to it, beyond the second it is
 * cut off. */
#define MACS_CLIENT_DIGESTS_MAX (1u << 20)
#define MACS_CLIENT_WAITING_MAX (64u << 20)

struct macs_bytes {
    uint8_t *data;
    size_t length, capacity;
};

struct macs_client {
    int socket;
    bool subscribed;
    bool collecting; /* its COLLECT waits; what it sends meanwhile waits too */
    bool closing;    /* once `out` is empty, whatever it sends */
    bool ended;      /* it sends no more, but may still read */
    bool gone;
    uint16_t tag; /* of the message at hand, or of the COLLECT */
    struct macs_bytes in;
    struct macs_bytes out;
    size_t out_sent; /* of `out` */
};

/* Takes over the socket. NULL: no memory. */
struct macs_client *macs_client_create(int socket);
void macs_client_destroy(struct macs_client *client);

/* Room for `more` bytes at the end; false: no memory. */
bool macs_bytes_reserve(struct macs_bytes *bytes, size_t more);

/* Take what has come, and send what waits; set `gone` when the other side is. Neither waits. */
void macs_client_receive(struct macs_client *client);
void macs_client_flush(struct macs_client *client);

/* Queue a message; a client for which too much waits is cut off. */
void macs_client_send(struct macs_client *client, uint8_t type, uint8_t status, uint16_t tag, const void *payload,
                      size_t length);

static inline size_t macs_client_waiting(const struct macs_client *client) {
    return client->out.length - client->out_sent;
}

#endif
