/* A client of the control server: its input that is not processed yet, and its output that is not sent yet. */
#ifndef MACS_CONTROL_CLIENT_H
#define MACS_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#include "control/console.h"
#include "control/protocol.h"
#include "control/script.h"

/* Bytes that may wait for a client that does not read: beyond them digests are lost to it, and what it asks for next is
 * not looked at. */
#define MACS_CLIENT_UNREAD_MAX (1u << 20)

struct macs_bytes {
    uint8_t *data;
    size_t length, capacity;
};

/* A request that is being done, slice by slice. Its payload lies in the client's `in`, which stays as it is meanwhile.
 */
struct macs_client_request {
    bool active;
    uint8_t type;
    uint8_t *payload;
    size_t length;
    uint8_t behind; /* the byte behind the payload, which may be made its end mark */
    struct macs_text answer;
    bool one_line;  /* a command is */
    int word_count; /* of a command */
    char *words[MACS_WORDS_MAX];
    struct macs_progress progress;
    bool failed;               /* the change before the one at hand did */
    bool stopped;              /* a change of many failed, and those behind it are not tried */
    struct macs_script script; /* of many commands */
};

struct macs_client {
    int socket;
    uint8_t subscribed; /* enum macs_subscribe_flags */
    bool of_next;       /* it asks for the program that is loaded, while one is */
    bool collecting;    /* its COLLECT waits; what it sends meanwhile waits too */
    bool closing;       /* once `out` is empty, whatever it sends */
    bool ended;         /* it sends no more, but may still read */
    bool gone;
    uint16_t tag; /* of the message at hand, or of the COLLECT */
    bool pending; /* there is something to do for it without waiting */
    bool held;    /* its requests are not looked at until it reads */
    struct macs_client_request request;
    struct macs_bytes in;
    size_t in_done; /* of `in`: requests that are done */
    struct macs_bytes out;
    size_t out_sent; /* of `out` */
};

#define MACS_CLIENTS_MAX 32u

/* The server: server.h. */
struct macs_server {
    struct macs_console *console;
    int listener;               /* or -1 */
    struct sockaddr_un address; /* its path is empty: nowhere */
    uint64_t accept_ns;         /* 0; or when to accept those that wait for a descriptor or memory */
    uint64_t ages_ns;           /* when entries were looked at last for those that nothing hits */
    uint64_t learned_wait_ns;   /* until tables that learn are to be looked at again, at most */
    uint64_t learned;           /* of the console, when the tracer was told last */
    bool ages_more;             /* and there were more than were told of */
    struct macs_client *clients[MACS_CLIENTS_MAX];
    struct macs_client *tracer;                 /* who traces; NULL: nobody */
    uint64_t changes;                           /* requests that may have changed what the switch holds */
    struct macs_client *holder;                 /* for whom workers rest; NULL: they do not */
    uint64_t hold_end_ns;                       /* when they go on, whatever he does */
    struct macs_client *takers[MACS_PORTS_MAX]; /* by slot: who gets that port's frames; NULL: who collects */
};

/* Takes over the socket. NULL: no memory. */
struct macs_client *macs_client_create(int socket);
void macs_client_destroy(struct macs_client *client);

/* Room for `more` bytes at the end; false: no memory. */
bool macs_bytes_reserve(struct macs_bytes *bytes, size_t more);

/* Take what has come, and send what waits; set `gone` when the other side is. Neither waits. */
void macs_client_receive(struct macs_client *client);
void macs_client_flush(struct macs_client *client);

/* Queue a message; without memory for it the client is cut off. */
void macs_client_send(struct macs_client *client, uint8_t type, uint8_t status, uint16_t tag, const void *payload,
                      size_t length);

/* True: there is room for more of what it sends. */
static inline bool macs_client_has_room(const struct macs_client *client) {
    return client->in.length - client->in_done < MACS_MESSAGE_HEAD + MACS_MESSAGE_MAX;
}

static inline size_t macs_client_waiting(const struct macs_client *client) {
    return client->out.length - client->out_sent;
}

#endif
