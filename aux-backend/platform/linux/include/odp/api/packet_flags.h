/* Flags of packets. Nothing is parsed on input, so that only errors that a driver saw are known. */
#ifndef ODP_API_PACKET_FLAGS_H_
#define ODP_API_PACKET_FLAGS_H_

#include <odp/api/packet.h>

static inline int odp_packet_has_error(odp_packet_t pkt) {
    return (macs_odp_flags(&pkt->event) & MACS_ODP_ERROR) != 0;
}

static inline int odp_packet_has_ts(odp_packet_t pkt) {
    return (macs_odp_flags(&pkt->event) & MACS_ODP_HAS_TS) != 0;
}

static inline void odp_packet_has_ts_clr(odp_packet_t pkt) {
    macs_odp_flags_change(&pkt->event, MACS_ODP_HAS_TS, 0);
}

#endif
