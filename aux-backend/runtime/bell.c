#include "runtime/bell.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int macs_bell_open(struct macs_bell *bell) {
    int pipe[2];
    *bell = (struct macs_bell){.heard = -1, .ringing = -1};
    if (pipe2(pipe, O_CLOEXEC | O_NONBLOCK))
        return -errno;
    bell->heard = pipe[0];
    bell->ringing = pipe[1];
    return 0;
}

void macs_bell_close(struct macs_bell *bell) {
    if (bell->heard < 0)
        return;
    close(bell->heard);
    close(bell->ringing);
    bell->heard = bell->ringing = -1;
}

void macs_bell_strike(struct macs_bell *bell) {
    /* A pipe that is full has been rung. */
    while (write(bell->ringing, "", 1) < 0 && errno == EINTR)
        ;
}

void macs_bell_hear(struct macs_bell *bell) {
    char rings[16];
    if (!atomic_exchange(&bell->rung, false))
        return;
    while (read(bell->heard, rings, sizeof(rings)) > 0)
        ;
}
