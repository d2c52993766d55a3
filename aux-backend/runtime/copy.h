/* Copies of packets: for replication, clones, and where a frame needs room in front. */
#ifndef MACS_RUNTIME_COPY_H
#define MACS_RUNTIME_COPY_H

#include "runtime/worker.h"

/* A copy of the frame and of the program's state, or NULL. Not counted. */
struct macs_packet *macs_copy_packet(const struct macs_thread *thread, const struct macs_packet *packet);

/* Whether the bytes that the parser may read are contiguous. */
static inline bool macs_copy_parsable(const struct macs_thread *thread, const struct macs_packet *packet) {
    uint32_t parse_bytes = thread->sw->program->parse_bytes;
    return packet->contiguous >= (packet->length < parse_bytes ? packet->length : parse_bytes);
}

#endif
