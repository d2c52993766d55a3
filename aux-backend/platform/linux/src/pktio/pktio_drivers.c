/* The drivers of plain Linux. */
#include "pktio/pktio.h"

const struct macs_odp_driver *const macs_odp_drivers[] = {
    &macs_odp_driver_null,      &macs_odp_driver_mem,
    &macs_odp_driver_loop,      &macs_odp_driver_pcap,
    &macs_odp_driver_af_packet, &macs_odp_driver_af_xdp,
    &macs_odp_driver_netmap,    &macs_odp_driver_tap,
    &macs_odp_driver_paced,     NULL,
};
