/* The instructions of the XDP program of xdp.h. */
#ifndef MACS_ODP_XDP_CODE_H
#define MACS_ODP_XDP_CODE_H

#include "core/internal.h"

#include <linux/bpf.h>

enum { MACS_ODP_XDP_CODE_MAX = 40 };

/* Write the program for a map of sockets: a frame goes to the socket of its queue, and on to the kernel where the map
 * has none. With the number of the kernel's bpf_xdp_metadata_rx_vlan_tag() (btf.h), not 0, a VLAN tag that the driver
 * or a neighbour has taken out of the frame is put back first. Returns how many instructions that takes. */
uint32_t macs_odp_xdp_code(struct bpf_insn code[], int map, uint32_t tag_function);

#endif
