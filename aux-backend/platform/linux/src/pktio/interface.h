/* The kernel interface of a port: sets promiscuous mode, and watches the interface. It may go down and up, or be
 * removed and come back under its name with another index. Each change is logged once, and the port's sockets are bound
 * again.
 */
#ifndef MACS_ODP_INTERFACE_H
#define MACS_ODP_INTERFACE_H

#include "pktio/pktio.h"

struct macs_odp_interface {
    struct macs_odp_pktio *pktio;
    char name[16];
    int ifindex;
    int membership_fd; /* holds promiscuous mode, which ends with the process */
    bool promisc;
    bool promisc_flag; /* by the interface's flag, as emulators refuse memberships: taken back at the end */
    bool gone;         /* logged, as is down */
    bool down;
    uint64_t checked_ns;
    uint32_t maxlen; /* of frames: MTU, Ethernet header, a VLAN tag */
    pthread_mutex_t lock;
    /* Bind the sockets to the interface, which is back with a new ifindex. Called under the lock. */
    void (*rebind)(struct macs_odp_pktio *pktio);
    /* The interface is gone; under the lock. NULL: nothing to do. */
    void (*lost)(struct macs_odp_pktio *pktio);
};

/* 0, or -1: there is no such interface, or packet sockets are refused (logged). */
int macs_odp_interface_open(struct macs_odp_interface *interface, struct macs_odp_pktio *pktio, const char *name,
                            void (*rebind)(struct macs_odp_pktio *pktio));
void macs_odp_interface_close(struct macs_odp_interface *interface);

int macs_odp_interface_promisc_set(struct macs_odp_interface *interface, bool enable);

/* Is it there, and still the same one? The caller holds no lock that rebind takes. */
void macs_odp_interface_check(struct macs_odp_interface *interface);

/* The same for a receiver that is going to wait: looks if that was long ago. */
void macs_odp_interface_due(struct macs_odp_interface *interface);

/* The same for a receiver that has just got nothing: looks from time to time. `idle` counts its calls. */
void macs_odp_interface_idle(struct macs_odp_interface *interface, uint32_t *idle);

/* False: it is known to be down or away. */
static inline bool macs_odp_interface_usable(const struct macs_odp_interface *interface) {
    return !__atomic_load_n(&interface->down, __ATOMIC_RELAXED) && !__atomic_load_n(&interface->gone, __ATOMIC_RELAXED);
}

static inline uint32_t macs_odp_interface_maxlen(const struct macs_odp_interface *interface) {
    return __atomic_load_n(&interface->maxlen, __ATOMIC_RELAXED);
}

#endif
