/* What the deparser does to a frame whose headers no longer lie where they were received. */
#ifndef MACS_LAYOUT_H
#define MACS_LAYOUT_H

#include <macs/packet.h>
#include <string.h>

/* `at` of a header that was never extracted: it has no bytes in the frame yet. */
#define MACS_NOWHERE UINT16_MAX

/* Append a header to `out` at offset `*used`: its `bytes` as they are in the frame at `at`, or zeros. Returns where it
 * lies now. */
static inline uint16_t macs_layout_append(const struct macs_packet *packet, uint8_t *out, uint32_t *used, uint16_t at,
                                          uint32_t bytes) {
    uint32_t place = *used;
    if (at == MACS_NOWHERE)
        memset(out + place, 0, bytes);
    else
        memcpy(out + place, packet->data + at, bytes);
    *used = place + bytes;
    return (uint16_t)place;
}

/* Up to where the gathered head must be copied, after `upto` bytes in any case, when a header of `bytes` bytes that is
 * in the frame at `at` is appended at `used`: not at all where it lies already, seen from the payload. `head`: the
 * bytes of all headers that go out. */
static inline uint32_t macs_layout_upto(const struct macs_packet *packet, uint32_t upto, uint32_t used, uint16_t at,
                                        uint32_t bytes, uint32_t head) {
    bool stays = at != MACS_NOWHERE && at + head == used + packet->payload_offset;
    return stays ? upto : used + bytes;
}

/* Replace everything before the payload by the `bytes` bytes of `headers`, of which those behind the first `upto` are
 * in the frame already. Returns 0, or -1 without room for it. */
static inline int macs_layout_replace(struct macs_packet *packet, const uint8_t *headers, uint32_t bytes,
                                      uint32_t upto) {
    uint32_t old = packet->payload_offset;
    uint8_t *data = packet->data;
    if (bytes > old)
        data = odp_packet_push_head(packet->handle, bytes - old);
    else if (bytes < old)
        data = odp_packet_pull_head(packet->handle, old - bytes);
    if (!data && (bytes || packet->length > old))
        return -1;
    if (upto)
        memcpy(data, headers, upto);
    packet->data = data;
    packet->length = packet->length - old + bytes;
    packet->contiguous = packet->contiguous - old + bytes;
    packet->payload_offset = bytes;
    return 0;
}

/* Cut the frame, as it will be sent, to what the program asked for. Returns 0, or -1 if that cannot be done. */
static inline int macs_layout_truncate(struct macs_packet *packet) {
    uint32_t wanted = packet->requests.truncate_bytes;
    if (wanted >= packet->length)
        return 0;
    if (wanted && odp_packet_trunc_tail(&packet->handle, packet->length - wanted, NULL, NULL) < 0)
        return -1;
    packet->length = wanted; /* a frame of which nothing is left is not sent */
    packet->data = odp_packet_data(packet->handle);
    packet->contiguous = odp_packet_seg_len(packet->handle);
    return 0;
}

#endif
