#include "runtime/copy.h"

#include <string.h>

struct macs_packet *macs_copy_packet(const struct macs_thread *thread, const struct macs_packet *packet) {
    odp_packet_t handle = odp_packet_copy(packet->handle, thread->sw->pool);
    if (handle == ODP_PACKET_INVALID)
        return NULL;
    struct macs_packet *copy = macs_packet_of(handle);
    memcpy(copy, packet, thread->sw->program->state_bytes);
    copy->handle = handle;
    copy->data = odp_packet_data(handle);
    copy->contiguous = odp_packet_seg_len(handle);
    return copy;
}
