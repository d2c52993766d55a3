/* See packet_tx.h. */
#include "packet/packet_tx.h"

#include "packet/coalesce.h"
#include "packet/packet_rx.h"
#include "packet/whole.h"

#include <linux/if_packet.h>
#include <sys/socket.h>
#include <unistd.h>

enum { AT_ONCE = 64 };

/* A message to the kernel: a frame, or a super-frame that several are coalesced to. */
struct message {
    uint32_t frames;
    struct macs_odp_coalesced super;
};

/* What is sent in one call. */
struct outgoing {
    struct mmsghdr headers[AT_ONCE];
    struct message messages[AT_ONCE];
    struct iovec parts[3 * AT_ONCE];
    uint32_t count; /* messages */
    uint32_t num_parts;
    uint32_t frames;
};

static const struct virtio_net_hdr plain; /* of a frame that is complete */

int macs_odp_tx_open(struct macs_odp_tx *tx, int ifindex, bool coalesce, bool whole) {
    const int on = 1;
    tx->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); /* protocol 0: receives nothing */
    if (tx->fd < 0)
        return macs_odp_fail(errno);
    tx->vnet = coalesce && setsockopt(tx->fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) == 0;
    tx->coalesce = tx->vnet;
    tx->whole = whole && tx->vnet;
    if (macs_odp_packet_bind(tx->fd, ifindex, 0) == 0)
        return 0;
    macs_odp_error = errno;
    macs_odp_tx_close(tx);
    return -1;
}

void macs_odp_tx_close(struct macs_odp_tx *tx) {
    close(tx->fd);
}

static void part_add(struct outgoing *out, const void *data, size_t len) {
    out->parts[out->num_parts++] = (struct iovec){(void *)(uintptr_t)data, len};
    out->headers[out->count].msg_hdr.msg_iovlen++;
}

/* One more message, of frames from the first one on. */
static void message_add(struct outgoing *out, const struct macs_odp_tx *tx, const struct macs_odp_frame frames[],
                        uint32_t num) {
    struct message *message = &out->messages[out->count];
    uint32_t without = 0; /* bytes of headers that stand once for all frames */
    uint32_t apart = 0;   /* how many are no super-frames */
    while (apart < num && !frames[apart].segment)
        apart++;
    message->frames = tx->coalesce && apart ? macs_odp_coalesce(frames, apart, &message->super) : 1;
    const bool super = message->frames > 1 || (!apart && macs_odp_whole_describe(&frames[0], &message->super));
    out->headers[out->count].msg_hdr = (struct msghdr){.msg_iov = &out->parts[out->num_parts]};
    if (tx->vnet)
        part_add(out, super ? &message->super.vnet : &plain, sizeof(plain));
    if (super) {
        without = message->super.headers_len;
        part_add(out, message->super.headers, without);
    }
    for (uint32_t i = 0; i < message->frames; i++)
        part_add(out, frames[i].data + without, frames[i].len - without);
    out->frames += message->frames;
    out->count++;
}

static bool is_sendable(const struct macs_odp_frame *frame, uint32_t maxlen) {
    uint32_t l4, payload;
    return frame->len <= maxlen || (frame->segment && macs_odp_whole_read(frame->data, frame->len, &l4, &payload) &&
                                    payload + frame->segment <= maxlen);
}

/* As many of the packets as are sent in one call and are not too long. */
static void gather(struct outgoing *out, const struct macs_odp_tx *tx, const odp_packet_t packets[], uint32_t num,
                   uint32_t maxlen) {
    struct macs_odp_frame frames[AT_ONCE];
    uint32_t count = 0;
    for (; count < num && count < AT_ONCE; count++) {
        frames[count] = (struct macs_odp_frame){macs_odp_data(packets[count]), macs_odp_len(packets[count]),
                                                tx->whole ? macs_odp_segment(packets[count]) : 0};
        if (odp_unlikely(!is_sendable(&frames[count], maxlen)))
            break;
    }
    out->count = out->num_parts = out->frames = 0;
    while (out->frames < count)
        message_add(out, tx, frames + out->frames, count - out->frames);
}

/* Bytes of a message, without what describes it. */
static uint64_t length_of(const struct macs_odp_tx *tx, const struct msghdr *header) {
    uint64_t length = 0;
    for (size_t i = tx->vnet; i < header->msg_iovlen; i++)
        length += header->msg_iov[i].iov_len;
    return length;
}

/* How many of the frames the kernel takes. A frame that it calls bad counts as taken. A super-frame that it calls bad
 * is not taken; from then on frames are sent one by one. */
static uint32_t send_once(struct macs_odp_tx *tx, struct outgoing *out, struct macs_odp_tx_bad *bad) {
    uint32_t sent = 0, frames = 0;
    while (sent < out->count) {
        int more = sendmmsg(tx->fd, out->headers + sent, out->count - sent, MSG_DONTWAIT);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0 && errno == EINVAL &&
            out->messages[sent].frames == 1) { /* as one shorter than Ethernet's header */
            bad->frames++;
            bad->octets += length_of(tx, &out->headers[sent].msg_hdr);
            more = 1;
        } else if (more < 0 && errno == EINVAL) {
            tx->coalesce = false;
            errno = EAGAIN;
        }
        if (more <= 0)
            break;
        for (int i = 0; i < more; i++)
            frames += out->messages[sent++].frames;
    }
    return frames;
}

uint32_t macs_odp_tx_send(struct macs_odp_tx *tx, const odp_packet_t packets[], uint32_t num, uint32_t maxlen,
                          struct macs_odp_tx_bad *bad) {
    struct outgoing out;
    uint32_t done = 0, sent;
    do {
        gather(&out, tx, packets + done, num - done, maxlen);
        sent = out.count > 0 ? send_once(tx, &out, bad) : 0;
        done += sent;
    } while (done < num && sent == AT_ONCE);
    return done;
}
