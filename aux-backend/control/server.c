#include "control/server.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/client.h"
#include "control/learned.h"
#include "control/messages.h"
#include "control/protocol.h"
#include "control/pushes.h"

/* How often to look for what workers do while a COLLECT waits. */
#define COLLECT_WAIT_NS 100000l
#define AGES_WAIT_NS 1000000l /* between parts of what is to be told of entries */

/* How long new clients wait when there is no descriptor or memory for them. */
#define ACCEPT_AGAIN_NS 100000000u

static int failed(struct macs_server *server, const char *path, const char *what) {
    int error = errno;
    macs_log_write(&server->console->sw->log, "error: cannot listen at '%s': %s", path, what ? what : strerror(error));
    return error ? -error : -EADDRINUSE;
}

/* Remove an old socket at which nobody listens. */
static int take_over(struct macs_server *server, const struct sockaddr_un *address) {
    struct stat status;
    if (lstat(address->sun_path, &status))
        return errno == ENOENT ? 0 : failed(server, address->sun_path, NULL);
    errno = EADDRINUSE;
    if (!S_ISSOCK(status.st_mode))
        return failed(server, address->sun_path, "there is a file that is no socket");
    if (status.st_uid != geteuid())
        return failed(server, address->sun_path, "there is a socket of another user");
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0)
        return failed(server, address->sun_path, NULL);
    bool stale = connect(probe, (const struct sockaddr *)address, sizeof(*address)) && errno == ECONNREFUSED;
    close(probe);
    errno = EADDRINUSE;
    if (!stale)
        return failed(server, address->sun_path, "another switch listens there");
    return unlink(address->sun_path) ? failed(server, address->sun_path, NULL) : 0;
}

int macs_server_prepare(struct macs_server *server, struct macs_console *console, const char *path) {
    *server = (struct macs_server){.console = console, .listener = -1, .address.sun_family = AF_UNIX};
    if (!path)
        return 0;
    errno = ENAMETOOLONG;
    if (strlen(path) >= sizeof(server->address.sun_path))
        return failed(server, path, NULL);
    strcpy(server->address.sun_path, path);
    return take_over(server, &server->address);
}

int macs_server_listen(struct macs_server *server) {
    const char *path = server->address.sun_path;
    if (!path[0])
        return 0;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return failed(server, path, NULL);
    /* Accessible to its owner only from the start: Linux gives the file the mode of the socket. */
    if (fchmod(listener, 0600) || bind(listener, (const struct sockaddr *)&server->address, sizeof(server->address))) {
        int status = failed(server, path, errno == EADDRINUSE ? "another switch has begun to listen there" : NULL);
        close(listener);
        return status;
    }
    server->listener = listener;
    return listen(listener, (int)MACS_CLIENTS_MAX) ? failed(server, path, NULL) : 0;
}

void macs_server_close(struct macs_server *server) {
    for (unsigned i = 0; i < MACS_CLIENTS_MAX; i++) {
        if (server->clients[i]) {
            macs_client_flush(server->clients[i]);
            macs_client_destroy(server->clients[i]);
        }
        server->clients[i] = NULL;
    }
    if (server->listener >= 0) {
        close(server->listener);
        unlink(server->address.sun_path);
    }
    server->listener = -1;
}

/* Who has connected stays in the listener's queue, which is then always readable: it is not looked at for a while. */
static void accept_later(struct macs_server *server) {
    struct macs_switch *sw = server->console->sw;
    if (!server->accept_ns)
        macs_log_write(&sw->log, "error: control clients wait: %s", strerror(errno));
    server->accept_ns = macs_switch_now(sw) + ACCEPT_AGAIN_NS;
}

/* Whether the other side is this user or root. The socket's mode says so already, as long as nobody changes it. */
static bool may_command(int descriptor) {
    struct ucred peer;
    socklen_t length = sizeof(peer);
    return !getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) && (!peer.uid || peer.uid == geteuid());
}

static void accept_client(struct macs_server *server) {
    int descriptor = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            accept_later(server);
        return;
    }
    for (unsigned i = 0; i < MACS_CLIENTS_MAX && may_command(descriptor); i++) {
        if (server->clients[i])
            continue;
        server->clients[i] = macs_client_create(descriptor);
        if (server->clients[i])
            return;
    }
    close(descriptor);
}

/* The next whole message that a client has sent becomes its request; false: there is none. */
static bool take_request(struct macs_client *client) {
    struct macs_bytes *in = &client->in;
    struct macs_client_request *request = &client->request;
    if (in->length - client->in_done < MACS_MESSAGE_HEAD)
        return false;
    uint8_t *head = in->data + client->in_done;
    uint32_t length = macs_get_u32(head);
    request->type = head[4];
    client->tag = macs_get_u16(head + 6);
    if (length > MACS_MESSAGE_MAX) {
        static const char why[] = "the message is too long";
        macs_client_send(client, request->type, MACS_STATUS_WRONG, client->tag, why, sizeof(why) - 1);
        client->closing = true;
        return false;
    }
    if (in->length - client->in_done < MACS_MESSAGE_HEAD + (size_t)length)
        return false;
    request->payload = head + MACS_MESSAGE_HEAD;
    request->length = length;
    request->behind = request->payload[length];
    request->active = true;
    macs_message_begin(client);
    return true;
}

/* What a client has sent, for the time of a slice and until something must wait: others are waiting, too. */
static void serve(struct macs_server *server, struct macs_client *client) {
    struct macs_client_request *request = &client->request;
    macs_console_begin_slice(server->console);
    client->pending = false;
    for (;;) {
        client->held = macs_client_waiting(client) >= MACS_CLIENT_UNREAD_MAX;
        if (client->held || client->collecting || client->closing || !(request->active || take_request(client)))
            return;
        if (macs_message_handle(server, client)) {
            request->active = false;
            request->payload[request->length] = request->behind;
            client->in_done += MACS_MESSAGE_HEAD + request->length;
        }
        if (macs_console_slice_over(server->console)) {
            client->pending = true;
            return;
        }
    }
}

#define FIXED 3u /* descriptors that are no client's */

/* Descriptors to wait for; returns how many. `owners[i]` is the client of fds[i], NULL for the first FIXED. */
static unsigned gather(struct macs_server *server, int wake, struct pollfd fds[], struct macs_client *owners[]) {
    fds[0] = (struct pollfd){.fd = wake, .events = POLLIN};
    bool accepts = !server->accept_ns || macs_switch_now(server->console->sw) >= server->accept_ns;
    fds[1] = (struct pollfd){.fd = accepts ? server->listener : -1, .events = POLLIN};
    fds[2] = (struct pollfd){.fd = server->console->sw->bell.heard, .events = POLLIN};
    owners[0] = owners[1] = owners[2] = NULL;
    unsigned count = FIXED;
    for (unsigned i = 0; i < MACS_CLIENTS_MAX; i++) {
        struct macs_client *client = server->clients[i];
        if (!client)
            continue;
        bool busy = client->request.active || !macs_client_has_room(client);
        short events = (short)((client->closing || client->ended || busy ? 0 : POLLIN) |
                               (macs_client_waiting(client) ? POLLOUT : 0));
        fds[count] = (struct pollfd){.fd = client->socket, .events = events};
        owners[count++] = client;
    }
    return count;
}

static struct timespec wait_time(const struct macs_server *server, int timeout_ms) {
    long wait_ns = macs_pushes_wait(server) ? 0 : server->ages_more ? AGES_WAIT_NS : timeout_ms * 1000000l;
    if (server->console->learns && server->learned_wait_ns < (uint64_t)wait_ns)
        wait_ns = (long)server->learned_wait_ns;
    for (unsigned i = 0; i < MACS_CLIENTS_MAX; i++) {
        const struct macs_client *client = server->clients[i];
        if (!client)
            continue;
        long most = client->pending ? 0 : client->collecting ? COLLECT_WAIT_NS : wait_ns;
        wait_ns = most < wait_ns ? most : wait_ns;
    }
    return (struct timespec){.tv_sec = wait_ns / 1000000000l, .tv_nsec = wait_ns % 1000000000l};
}

static void attend(struct macs_server *server, struct macs_client *client) {
    if (client->collecting)
        macs_message_collect(server, client);
    serve(server, client);
    macs_client_flush(client);
    client->pending |= client->held && macs_client_waiting(client) < MACS_CLIENT_UNREAD_MAX;
    if (!macs_client_waiting(client))
        client->gone |= client->closing || (client->ended && !client->collecting && !client->pending);
}

/* What packets have added to tables, and what has lived its time. */
static void learn(struct macs_server *server) {
    struct macs_console *console = server->console;
    server->learned_wait_ns = macs_learned_serve(console);
    if (console->learned != server->learned)
        server->changes++;
    server->learned = console->learned;
}

void macs_server_poll(struct macs_server *server, int wake, int timeout_ms) {
    struct pollfd fds[FIXED + MACS_CLIENTS_MAX];
    struct macs_client *owners[FIXED + MACS_CLIENTS_MAX];
    unsigned count = gather(server, wake, fds, owners);
    struct timespec time = wait_time(server, timeout_ms);
    int ready = ppoll(fds, count, &time, NULL);
    if (ready >= 0 && fds[1].fd >= 0 && !(fds[1].revents & POLLIN))
        server->accept_ns = 0; /* nobody waits any more */
    if (ready > 0) {
        if (fds[1].revents & POLLIN)
            accept_client(server);
        for (unsigned i = FIXED; i < count; i++)
            if (fds[i].revents & (POLLIN | POLLHUP | POLLERR))
                macs_client_receive(owners[i]);
    }
    macs_pushes_send(server);
    learn(server);
    macs_message_end_hold(server, NULL);
    for (unsigned i = 0; i < MACS_CLIENTS_MAX; i++) {
        struct macs_client *client = server->clients[i];
        if (!client)
            continue;
        attend(server, client);
        if (!client->gone)
            continue;
        server->clients[i] = NULL;
        macs_pushes_forget(server, client);
        macs_message_end_hold(server, client);
        macs_client_destroy(client);
    }
}
