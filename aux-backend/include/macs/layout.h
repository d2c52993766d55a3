/* Changes of a frame by the deparser, where headers have moved: it grows or shrinks at its front, and may be truncated.
 */
#ifndef MACS_LAYOUT_H
#define MACS_LAYOUT_H

#include <macs/packet.h>
#include <string.h>

/* `at` of a header that was never extracted: it has no bytes in the frame yet. */
#define MACS_NOWHERE UINT16_MAX

/* Take a header out of the frame: its `bytes` as they are there at `at`; zeros, where it never was in the frame. */
static inline void macs_layout_take(const struct macs_packet *packet, uint8_t *out, uint16_t at, uint32_t bytes) {
    if (at != MACS_NOWHERE)
        memcpy(out, packet->data + at, bytes);
    else
        memset(out, 0, bytes);
}

/* Have the frame begin with room for `bytes` bytes in place of its first `old`. Returns 0, or -1 without room for it.
 */
static inline int macs_layout_resize(struct macs_packet *packet, uint32_t old, uint32_t bytes) {
    uint8_t *data = packet->data;
    if (bytes > old)
        data = odp_packet_push_head(packet->handle, bytes - old);
    else if (bytes < old)
        data = odp_packet_pull_head(packet->handle, old - bytes);
    if (!data && (bytes || packet->length > old))
        return -1;
    packet->data = data;
    packet->length = packet->length - old + bytes;
    packet->contiguous = packet->contiguous - old + bytes;
    packet->payload_offset = packet->payload_offset - old + bytes;
    return 0;
}

/* Cut the frame to that many bytes. Returns 0, or -1 if that cannot be done. */
static inline int macs_layout_cut(struct macs_packet *packet, uint32_t wanted) {
    if (wanted >= packet->length)
        return 0;
    if (wanted && odp_packet_trunc_tail(&packet->handle, packet->length - wanted, NULL, NULL) < 0)
        return -1;
    packet->length = wanted; /* a frame of which nothing is left is not sent */
    packet->data = odp_packet_data(packet->handle);
    packet->contiguous = odp_packet_seg_len(packet->handle);
    return 0;
}

/* Cut the frame, as it will be sent, to what the program asked for, or the clone session. Likewise. */
static inline int macs_layout_truncate(struct macs_packet *packet) {
    return macs_layout_cut(packet, packet->requests.truncate_bytes);
}

#endif
