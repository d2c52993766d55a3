/* Waiting for frames: macs_odp_wait(). */
#include "pktio/pktio.h"

#include <poll.h>

enum { DESCRIPTORS = 64 };

#define PAUSE_MAX (500 * ODP_TIME_USEC_IN_NS)

/* The descriptors of all queues; 0: one has none, or there are too many. */
static int gather(const odp_pktin_queue_t queues[], uint32_t num_q, struct pollfd polled[]) {
    int count = 0, fds[DESCRIPTORS];
    for (uint32_t i = 0; i < num_q; i++) {
        struct macs_odp_pktin *queue = queues[i];
        const struct macs_odp_driver *driver = queue->pktio->driver;
        int more = driver->descriptors != NULL ? driver->descriptors(queue, fds, DESCRIPTORS - count) : 0;
        if (more <= 0)
            return 0;
        for (int at = 0; at < more; at++)
            polled[count++] = (struct pollfd){.fd = fds[at], .events = POLLIN};
    }
    return count;
}

/* Whether a descriptor says that something is wrong with it, which it goes on saying: nothing is to be waited for then.
 */
static bool any_broken(const struct pollfd polled[], int count) {
    for (int i = 0; i < count; i++)
        if (polled[i].revents & (POLLERR | POLLHUP | POLLNVAL))
            return true;
    return false;
}

void macs_odp_wait(const odp_pktin_queue_t queues[], uint32_t num_q, uint64_t ns, uint64_t *pause) {
    struct pollfd polled[DESCRIPTORS];
    int count = gather(queues, num_q, polled);
    if (count > 0) {
        struct timespec limit = {(time_t)(ns / ODP_TIME_SEC_IN_NS), (long)(ns % ODP_TIME_SEC_IN_NS)};
        if (ppoll(polled, (nfds_t)count, &limit, NULL) <= 0 || !any_broken(polled, count))
            return;
    }
    odp_time_wait_ns(ns < *pause ? ns : *pause);
    *pause = *pause * 2 < PAUSE_MAX ? *pause * 2 : PAUSE_MAX;
}
