/* The flow hash of a frame, for software RSS over input queues. */
#ifndef MACS_ODP_FLOW_H
#define MACS_ODP_FLOW_H

#include "core/internal.h"

/* Of the MAC addresses for a frame that none of the selected protocols describes; 0 for one too short to have them. Any
 * bytes may come. */
uint32_t macs_odp_flow_hash(const uint8_t *frame, uint32_t len, odp_pktin_hash_proto_t select);

#endif
