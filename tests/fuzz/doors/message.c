/* A door: the control socket. Input: the bytes that a client sends before it leaves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control/server.h"
#include "switch.h"

#define ROUNDS_MAX 10000u /* of the server, for one client: more, and it does not come to an end */

static struct macs_server server;
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void remove_socket(void) {
    unlink(address.sun_path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    const char *folder = getenv("TMPDIR");
    snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/door-%d", folder ? folder : "/tmp", (int)getpid());
    if (macs_server_prepare(&server, &door()->console, address.sun_path) || macs_server_listen(&server))
        abort();
    atexit(remove_socket);
    return 0;
}

static int connect_client(void) {
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (client < 0 || connect(client, (const struct sockaddr *)&address, sizeof(address)))
        abort();
    return client;
}

/* True: the switch has closed the connection. What it has answered is thrown away. */
static bool drain(int client) {
    static char answers[1 << 16];
    ssize_t got;
    do
        got = recv(client, answers, sizeof(answers), 0);
    while (got > 0);
    return got == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct door *here = door();
    if (door_changes_ports(data, size))
        return 0;
    int client = connect_client();
    size_t sent = 0;
    bool closed = false;
    for (unsigned round = 0; !closed; round++) {
        if (round == ROUNDS_MAX)
            abort();
        if (sent < size) {
            ssize_t some = send(client, data + sent, size - sent, MSG_NOSIGNAL);
            sent = some > 0 ? sent + (size_t)some : some < 0 && round > ROUNDS_MAX / 2 ? size : sent;
        }
        if (sent == size)
            shutdown(client, SHUT_WR);
        macs_server_poll(&server, -1, 0);
        door_work(here, 8, 4);
        closed = drain(client);
    }
    close(client);
    door_clear(here);
    return 0;
}
