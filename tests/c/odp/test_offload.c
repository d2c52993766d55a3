/* Completing checksums and cutting super-frames: every result is verified the way a receiver would, and no bytes at
 * all may break it (run under sanitizers). */
#include "check.h"
#include "packet/offload.h"
#include "super_frames.h"

/* Sums of any length, from any address, and of as many ones as there can be. */
static void test_sums(void) {
    static uint8_t bytes[(5 << 20) + 3];
    for (uint32_t i = 0; i < 400; i++)
        bytes[i] = (uint8_t)(next_random() >> 24);
    for (uint32_t len = 0; len < 300; len++) {
        const uint8_t *from = bytes + len % 67;
        uint16_t sum = macs_odp_checksum(from, len, 0), expected;
        uint8_t in_order[2];
        put16(in_order, plain_sum(from, len, 0));
        memcpy(&expected, in_order, sizeof(expected));
        CHECK(sum == expected);
    }
    memset(bytes, 0xff, sizeof(bytes));
    CHECK(macs_odp_checksum(bytes, sizeof(bytes) - 3, 0) == 0xffff);
    bytes[0] = 0; /* 00ff instead of ffff: less by ff00, in memory's order */
    uint16_t less;
    memcpy(&less, bytes, sizeof(less));
    CHECK(macs_odp_checksum(bytes, sizeof(bytes) - 3, 0) == less);
}

static void test_checksums(bool ipv6, bool tcp, bool vlan) {
    static uint8_t frame[2048], copy[2048];
    struct shape shape;
    for (uint32_t payload = 0; payload < 1400; payload += 1 + payload / 7) {
        uint32_t len = build(frame, &shape, ipv6, tcp, vlan, payload);
        memcpy(copy, frame, len);
        macs_odp_checksum_complete(frame, len, shape.l4, tcp ? 16 : 6);
        CHECK(good(frame, &shape, len));
        memset(copy + len, 0xee, 10); /* padding behind the datagram does not count */
        macs_odp_checksum_guess(copy, len + 10);
        CHECK(memcmp(copy, frame, len) == 0 && copy[len] == 0xee);
        macs_odp_checksum_guess(copy, len); /* a whole one stays */
        CHECK(memcmp(copy, frame, len) == 0);
        copy[shape.l4] ^= 1; /* a wrong one too: that is for the receiver to find */
        macs_odp_checksum_guess(copy, len);
        copy[shape.l4] ^= 1;
        CHECK(memcmp(copy, frame, len) == 0);
    }
}

/* Behind an IPv6 routing header that is not at its end nothing is guessed, whatever other headers stand around it: the
 * checksum is that of another destination. */
static void test_routed(void) {
    static const uint8_t rows[][3] = {{43}, {43, 60}, {60, 43}, {43, 60, 60}, {60, 43, 60}, {43, 43}, {60, 60, 60}};
    static uint8_t plain[256], frame[256], expected[256];
    struct shape shape;
    for (uint32_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        for (uint8_t left = 0; left < 2; left++) {
            uint32_t len = build(plain, &shape, true, true, false, 100), next = shape.l3 + 6, at = shape.l4;
            bool routed = false;
            memcpy(frame, plain, at);
            for (uint32_t i = 0; i < 3 && rows[row][i] != 0; i++, at += 8) {
                static const uint8_t options[8] = {0, 0, 1, 4}; /* PadN of six bytes */
                memcpy(frame + at, options, sizeof(options));
                frame[next] = rows[row][i];
                next = at;
                if (rows[row][i] == 43) { /* of two the first one */
                    frame[at + 3] = routed ? 0 : left;
                    routed = true;
                }
            }
            frame[next] = 6;
            memcpy(frame + at, plain + shape.l4, len - shape.l4);
            put16(frame + shape.l3 + 4, get16(plain + shape.l3 + 4) + at - shape.l4);
            len += at - shape.l4;
            memcpy(expected, frame, len);
            if (!routed || left == 0)
                macs_odp_checksum_complete(expected, len, at, 16);
            macs_odp_checksum_guess(frame, len);
            CHECK(memcmp(frame, expected, len) == 0);
        }
    }
}

static void check_segment(const struct macs_odp_super *super, const struct shape *shape, const uint8_t *out,
                          uint32_t len, uint32_t done, uint32_t index) {
    bool last = done + len - shape->headers == shape->payload;
    const uint8_t *ip = out + shape->l3, *l4 = out + shape->l4;
    CHECK(good(out, shape, len) &&
          memcmp(out + shape->headers, super->frame + shape->headers + done, len - shape->headers) == 0);
    CHECK(get16(ip + (shape->ipv6 ? 4 : 2)) == len - (shape->ipv6 ? shape->l4 : shape->l3));
    if (!shape->ipv6)
        CHECK(get16(ip + 4) == ((get16(super->frame + shape->l3 + 4) + index) & 0xffff));
    if (shape->tcp) {
        uint32_t first = get16(super->frame + shape->l4 + 4) << 16 | get16(super->frame + shape->l4 + 6);
        CHECK((get16(l4 + 4) << 16 | get16(l4 + 6)) == first + done);
        CHECK(l4[13] == (0x10 | (last ? 0x09 : 0) | (done == 0 ? 0x80 : 0)));
    } else {
        CHECK(get16(l4 + 4) == len - shape->l4);
    }
}

static void test_cut(bool ipv6, bool tcp, bool vlan, uint32_t payload, uint32_t size) {
    static struct macs_odp_super super;
    static uint8_t out[MACS_ODP_SUPER_MAX];
    struct shape shape;
    super.len = build(super.frame, &shape, ipv6, tcp, vlan, payload);
    struct virtio_net_hdr header = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                                    .gso_size = (uint16_t)size,
                                    .gso_type = tcp ? (ipv6 ? VIRTIO_NET_HDR_GSO_TCPV6 : VIRTIO_NET_HDR_GSO_TCPV4) : 5,
                                    .csum_start = (uint16_t)shape.l4,
                                    .csum_offset = tcp ? 16 : 6};
    uint32_t done = 0, index = 0;
    CHECK(macs_odp_super_start(&super, &header) == 0);
    while (macs_odp_super_pending(&super)) {
        uint32_t len = macs_odp_super_next_len(&super);
        CHECK(len > shape.headers && len <= shape.headers + size);
        memset(out, 0xdd, len + 1);
        macs_odp_super_next(&super, out);
        CHECK(out[len] == 0xdd);
        check_segment(&super, &shape, out, len, done, index++);
        done += len - shape.headers;
    }
    CHECK(done == payload && index == (payload + size - 1) / size);
}

static void test_garbage(void) {
    static struct macs_odp_super super;
    static uint8_t out[MACS_ODP_SUPER_MAX];
    for (int round = 0; round < 200000; round++) {
        uint32_t len = next_random() >> 24;
        uint8_t *frame = malloc(len + 1); /* of its own, so that a sanitizer sees the end */
        struct virtio_net_hdr header;
        struct shape shape;
        CHECK(frame != NULL);
        super.len = build(super.frame, &shape, round & 1, round & 2, round & 4, 100);
        for (uint32_t i = 0; i < 6; i++)
            super.frame[next_random() % super.len] = (uint8_t)(next_random() >> 24);
        super.len = len < super.len ? len : super.len;
        memcpy(frame, super.frame, super.len);
        macs_odp_checksum_guess(frame, super.len);
        macs_odp_checksum_complete(frame, super.len, next_random() >> 24, next_random() >> 26);
        for (size_t i = 0; i < sizeof(header); i++)
            ((uint8_t *)&header)[i] = (uint8_t)(next_random() >> 27);
        header.csum_start = (uint16_t)(next_random() >> 25);
        if (macs_odp_super_start(&super, &header) == 0)
            while (macs_odp_super_pending(&super))
                macs_odp_super_next(&super, out);
        free(frame);
    }
}

/* SCTP's checksum is open where all four bytes of it are zero: one of which two are stays, right or wrong. */
static void test_sctp(void) {
    uint8_t frame[14 + 20 + 32], copy[sizeof(frame)];
    uint8_t *ip = frame + 14, *sctp = ip + 20;
    memset(frame, 0, sizeof(frame));
    put16(frame + 12, 0x0800);
    ip[0] = 0x45;
    put16(ip + 2, sizeof(frame) - 14);
    ip[9] = 132;
    for (int byte = 0; byte < 4; byte++) {
        sctp[8 + byte] = 1;
        memcpy(copy, frame, sizeof(frame));
        macs_odp_checksum_guess(frame, sizeof(frame));
        CHECK(memcmp(copy, frame, sizeof(frame)) == 0);
        sctp[8 + byte] = 0;
    }
    macs_odp_checksum_guess(frame, sizeof(frame));
    memcpy(copy, sctp, 32);
    memset(copy + 8, 0, 4);
    const uint32_t crc = ~odp_hash_crc32c(copy, 32, ~0u);
    CHECK(sctp[8] == (uint8_t)crc && sctp[9] == (uint8_t)(crc >> 8));
    CHECK(sctp[10] == (uint8_t)(crc >> 16) && sctp[11] == (uint8_t)(crc >> 24));
}

int main(void) {
    test_routed();
    test_sums();
    test_sctp();
    for (int mode = 0; mode < 8; mode++) {
        test_checksums(mode & 1, mode & 2, mode & 4);
        test_cut(mode & 1, mode & 2, mode & 4, 60000, 1448);
        test_cut(mode & 1, mode & 2, mode & 4, 2000, 1000);
        test_cut(mode & 1, mode & 2, mode & 4, 1001, 1000);
        test_cut(mode & 1, mode & 2, mode & 4, 5, 1);
    }
    test_garbage();
    return 0;
}
