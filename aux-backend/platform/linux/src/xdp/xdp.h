/* The XDP program that passes the frames of an interface to AF_XDP sockets, one for each queue.
 *
 * It is a few instructions (xdp_code.h), loaded by bpf(2): no compiler for BPF, library or file is needed. It is
 * attached by a link that ends with its file descriptor: when the process ends, even if killed, nothing is left. Needs
 * Linux 5.9; from 6.8 on it passes VLAN tags that are beside the frame.
 * Source: Documentation/bpf/map_xskmap.rst, bpf(2), include/uapi/linux/bpf.h.
 */
#ifndef MACS_ODP_XDP_H
#define MACS_ODP_XDP_H

#include "core/internal.h"

struct macs_odp_xdp {
    int map; /* queue to socket */
    int program;
    int link;
    bool native; /* by the driver, else by the kernel's generic code, after a copy */
};

/* Make the map for an interface of `queues` queues. 0, or -1. */
int macs_odp_xdp_open(struct macs_odp_xdp *xdp, uint32_t queues);

/* Frames of a queue go to this socket; those of a queue without one go to the kernel, as without the program. */
int macs_odp_xdp_socket(struct macs_odp_xdp *xdp, uint32_t queue, int fd);

/* Load the program and attach it, in the best way that kernel and driver have. 0, or -1: EBUSY if another is there. */
int macs_odp_xdp_attach(struct macs_odp_xdp *xdp, int ifindex);

/* Detach and unload; also what never was loaded. */
void macs_odp_xdp_close(struct macs_odp_xdp *xdp);

#define MACS_ODP_XDP_NONE ((struct macs_odp_xdp){.map = -1, .program = -1, .link = -1})

#endif
