/* Takes the place of platform/linux's file of this name: over DPDK, AF_XDP is a driver of its own (pktio_dpdk.c). */
#include "dpdk.h"
