#include "control/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/protocol.h"

#define RECEIVE_STEP (64u << 10)
#define RECEIVE_STEPS 16u /* at once: others wait */

struct macs_client *macs_client_create(int descriptor) {
    struct macs_client *client = calloc(1, sizeof(*client));
    if (client)
        client->socket = descriptor;
    return client;
}

void macs_client_destroy(struct macs_client *client) {
    close(client->socket);
    macs_text_free(&client->request.answer);
    macs_text_free(&client->request.script.answer);
    free(client->in.data);
    free(client->out.data);
    free(client);
}

bool macs_bytes_reserve(struct macs_bytes *bytes, size_t more) {
    size_t wanted = bytes->length + more;
    if (wanted <= bytes->capacity)
        return true;
    size_t capacity = bytes->capacity ? bytes->capacity : 4096;
    while (capacity < wanted)
        capacity *= 2;
    uint8_t *data = realloc(bytes->data, capacity);
    if (!data)
        return false;
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

/* Make room at the front; rarely, as it is slow. */
static void compact(struct macs_client *client) {
    if (!client->in_done || client->in_done < client->in.length / 2)
        return;
    client->in.length -= client->in_done;
    memmove(client->in.data, client->in.data + client->in_done, client->in.length);
    client->in_done = 0;
}

void macs_client_receive(struct macs_client *client) {
    if (client->request.active)
        return; /* its bytes must not move */
    compact(client);
    /* The buffer grows with received bytes, not with the length that a header announces. */
    for (unsigned step = 0; step < RECEIVE_STEPS && macs_client_has_room(client); step++) {
        if (!macs_bytes_reserve(&client->in, RECEIVE_STEP + 1)) { /* a message can be ended by a zero in place */
            client->gone = true;
            return;
        }
        ssize_t got = recv(client->socket, client->in.data + client->in.length, RECEIVE_STEP, MSG_DONTWAIT);
        if (got <= 0) {
            client->ended |= got == 0;
            client->gone |= got < 0 && errno != EAGAIN && errno != EINTR;
            return;
        }
        client->in.length += (size_t)got;
    }
}

void macs_client_flush(struct macs_client *client) {
    while (macs_client_waiting(client)) {
        ssize_t sent = send(client->socket, client->out.data + client->out_sent, macs_client_waiting(client),
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent <= 0) {
            client->gone |= errno != EAGAIN && errno != EINTR;
            return;
        }
        client->out_sent += (size_t)sent;
    }
    client->out.length = client->out_sent = 0;
}

void macs_client_send(struct macs_client *client, uint8_t type, uint8_t status, uint16_t tag, const void *payload,
                      size_t length) {
    if (client->gone)
        return;
    if (length > MACS_MESSAGE_MAX || !macs_bytes_reserve(&client->out, MACS_MESSAGE_HEAD + length)) {
        client->gone = true;
        return;
    }
    uint8_t *head = client->out.data + client->out.length;
    macs_put_u32(head, (uint32_t)length);
    head[4] = type;
    head[5] = status;
    macs_put_u16(head + 6, tag);
    if (length)
        memcpy(head + MACS_MESSAGE_HEAD, payload, length);
    client->out.length += MACS_MESSAGE_HEAD + length;
}
