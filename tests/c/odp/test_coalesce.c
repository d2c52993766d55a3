/* Coalescing segments: to cut what is coalesced gives the same frames, whatever they are; neighbours of a connection
 * are coalesced, and no bytes at all may break it (run under sanitizers). */
#include "check.h"
#include "packet/coalesce.h"
#include "packet/offload.h"
#include "packet/whole.h"
#include "super_frames.h"

enum { FRAMES = 64, ROOM = 2048 };

static struct macs_odp_frame frames[FRAMES];
static uint32_t count;

/* Each frame is memory of its own, so that a sanitizer sees its end. */
static void frame_add(const uint8_t *data, uint32_t len) {
    uint8_t *copy = malloc(len + 1);
    CHECK(copy != NULL && count < FRAMES);
    memcpy(copy, data, len);
    frames[count++] = (struct macs_odp_frame){.data = copy, .len = len};
}

static void frames_free(void) {
    for (uint32_t i = 0; i < count; i++)
        free((uint8_t *)(uintptr_t)frames[i].data);
    count = 0;
}

static uint8_t *bytes_of(uint32_t index) {
    return (uint8_t *)(uintptr_t)frames[index].data;
}

/* A super-frame, cut to frames; it stays in super->frame. */
static void cut(struct macs_odp_super *super, const struct shape *shape, uint32_t size) {
    static uint8_t out[MACS_ODP_SUPER_MAX];
    const struct virtio_net_hdr header = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                                          .gso_size = (uint16_t)size,
                                          .gso_type = shape->ipv6 ? VIRTIO_NET_HDR_GSO_TCPV6 : VIRTIO_NET_HDR_GSO_TCPV4,
                                          .csum_start = (uint16_t)shape->l4,
                                          .csum_offset = 16};
    CHECK(macs_odp_super_start(super, &header) == 0);
    while (macs_odp_super_pending(super)) {
        uint32_t len = macs_odp_super_next_len(super);
        macs_odp_super_next(super, out);
        frame_add(out, len);
    }
}

/* The super-frame of these frames, into `to`; its length. */
static uint32_t whole(uint8_t *to, const struct macs_odp_frame *first, uint32_t num,
                      const struct macs_odp_coalesced *super) {
    uint32_t len = super->headers_len;
    memcpy(to, super->headers, len);
    for (uint32_t i = 0; i < num; i++) {
        memcpy(to + len, first[i].data + super->headers_len, first[i].len - super->headers_len);
        len += first[i].len - super->headers_len;
    }
    return len;
}

/* Coalesce all, cut each super-frame again, and compare. Returns how many were sent. */
static uint32_t coalesce_and_compare(void) {
    static struct macs_odp_super again;
    static uint8_t out[MACS_ODP_SUPER_MAX];
    struct macs_odp_coalesced super;
    uint32_t sent = 0;
    for (uint32_t done = 0, num; done < count; done += num, sent++) {
        num = macs_odp_coalesce(frames + done, count - done, &super);
        CHECK(num >= 1 && num <= count - done);
        if (num == 1)
            continue;
        again.len = whole(again.frame, frames + done, num, &super);
        CHECK(macs_odp_super_start(&again, &super.vnet) == 0);
        for (uint32_t i = 0; i < num; i++) {
            CHECK(macs_odp_super_pending(&again) && macs_odp_super_next_len(&again) == frames[done + i].len);
            macs_odp_super_next(&again, out);
            CHECK(memcmp(out, frames[done + i].data, frames[done + i].len) == 0);
        }
        CHECK(!macs_odp_super_pending(&again));
    }
    return sent;
}

static void start(struct macs_odp_super *super, struct shape *shape, bool ipv6, bool vlan, uint32_t payload) {
    super->len = build(super->frame, shape, ipv6, true, vlan, payload);
    super->frame[shape->l4 + 13] = 0x19; /* ACK, PSH, FIN: no CWR */
}

/* What was one super-frame is the same one again. */
static void test_round_trip(bool ipv6, bool vlan, uint32_t payload, uint32_t size) {
    static struct macs_odp_super super;
    static uint8_t found[MACS_ODP_SUPER_MAX];
    struct macs_odp_coalesced coalesced;
    struct shape shape;
    start(&super, &shape, ipv6, vlan, payload);
    uint32_t len = super.len;
    cut(&super, &shape, size);
    CHECK(macs_odp_coalesce(frames, count, &coalesced) == count);
    CHECK(whole(found, frames, count, &coalesced) == len && memcmp(found, super.frame, len) == 0);
    CHECK(coalesced.vnet.gso_size == size && coalesced.vnet.hdr_len == shape.headers);
    CHECK(coalesce_and_compare() == 1);
    frames_free();
}

/* Two super-frames that follow each other: the first one has FIN at its end, or PSH, or neither. */
static void test_ends(uint8_t flags, uint32_t sent) {
    static struct macs_odp_super super;
    struct shape shape;
    start(&super, &shape, false, false, 4000);
    super.frame[shape.l4 + 13] = flags;
    const uint32_t sequence = get16(super.frame + shape.l4 + 4) << 16 | get16(super.frame + shape.l4 + 6);
    const uint32_t id = get16(super.frame + shape.l3 + 4);
    cut(&super, &shape, 1000);
    put16(super.frame + shape.l4 + 4, (sequence + 4000) >> 16);
    put16(super.frame + shape.l4 + 6, sequence + 4000);
    put16(super.frame + shape.l3 + 4, id + 4);
    super.len = shape.headers + 4000;
    cut(&super, &shape, 1000);
    CHECK(coalesce_and_compare() == sent);
    frames_free();
}

/* Lengths and checksums of a frame as a receiver wants them. */
static void renew(uint8_t *frame, const struct shape *shape, uint32_t len) {
    uint8_t *ip = frame + shape->l3, *tcp = frame + shape->l4;
    put16(ip + (shape->ipv6 ? 4 : 2), len - (shape->ipv6 ? shape->l4 : shape->l3));
    if (!shape->ipv6) {
        put16(ip + 10, 0);
        put16(ip + 10, ~plain_sum(ip, 24, 0));
    }
    put16(tcp + 16, 0);
    put16(tcp + 16, ~plain_sum(tcp, len - shape->l4, pseudo(frame, shape, len - shape->l4)));
}

static void add16(uint8_t *at, uint32_t more) {
    put16(at, get16(at) + more);
}

enum change { ID, SEQUENCE, FLAGS, SHORTER, LONGER, HEADERS, ANY, PADDED, CHECKSUM, CHANGES };

/* One change to one frame. True: the frame may be whole after it. */
static bool change(enum change what, uint32_t index, const struct shape *shape) {
    uint8_t *frame = bytes_of(index);
    uint32_t len = frames[index].len;
    switch (what) {
    case ID: /* IPv6 has none there */
        add16(frame + shape->l3 + 4, shape->ipv6 ? 0 : 1 + next_random() % 3);
        return true;
    case SEQUENCE:
        add16(frame + shape->l4 + 6, 1 + next_random() % 3000);
        return true;
    case FLAGS:
        frame[shape->l4 + 13] ^= (uint8_t)(1u << next_random() % 8);
        return true;
    case SHORTER:
        frames[index].len -= 1 + next_random() % 40;
        return true;
    case LONGER: {
        uint8_t *copy = calloc(1, len + 10);
        CHECK(copy != NULL);
        memcpy(copy, frame, len);
        frames[index] = (struct macs_odp_frame){.data = copy, .len = len + 1 + next_random() % 8};
        free(frame);
        return true;
    }
    case HEADERS:
        frame[next_random() % shape->headers] ^= (uint8_t)(1u << next_random() % 8);
        return true;
    case PADDED: {
        uint8_t *copy = calloc(1, len + 10);
        CHECK(copy != NULL);
        memcpy(copy, frame, len);
        put16(copy + len, 0xfffd); /* which as part of the frame would leave the checksum right, if it lies so */
        frames[index] = (struct macs_odp_frame){.data = copy, .len = len + 2};
        free(frame);
        return false;
    }
    case CHECKSUM: /* ffff where 0 would be computed: right for a receiver, too */
        put16(frame + len - 2, 0);
        put16(frame + shape->l4 + 16, 0);
        if ((shape->headers + len) % 2 == 0)
            put16(frame + len - 2,
                  ~plain_sum(frame + shape->l4, len - shape->l4, pseudo(frame, shape, len - shape->l4)));
        put16(frame + shape->l4 + 16, 0xffff);
        return false;
    default:
        frame[next_random() % len] ^= (uint8_t)(1u << next_random() % 8);
        return false;
    }
}

/* Whatever is changed in a row of segments, and whether a receiver finds it right or not: what is coalesced is cut to
 * the same frames again. */
static void test_changes(bool ipv6, bool vlan) {
    static struct macs_odp_super super;
    struct shape shape;
    for (uint32_t round = 0; round < 9000; round++) {
        enum change what = round % CHANGES;
        start(&super, &shape, ipv6, vlan, 3000 + next_random() % 100 * 10);
        super.frame[shape.l4 + 13] = (uint8_t)(next_random() % 4 == 0 ? next_random() >> 24 : 0x10);
        cut(&super, &shape, 1000);
        uint32_t index = next_random() % count;
        if (change(what, index, &shape) && next_random() % 8 != 0)
            renew(bytes_of(index), &shape, frames[index].len);
        coalesce_and_compare();
        frames_free();
    }
}

/* 64 segments of a connection are more than a super-frame can hold. */
static void test_longest(bool ipv6) {
    static struct macs_odp_super super;
    struct shape shape;
    start(&super, &shape, ipv6, false, 60000);
    super.frame[shape.l4 + 13] = 0x10;
    const uint32_t sequence = get16(super.frame + shape.l4 + 4) << 16 | get16(super.frame + shape.l4 + 6);
    const uint32_t id = get16(super.frame + shape.l3 + 4);
    cut(&super, &shape, 1500);
    put16(super.frame + shape.l4 + 4, (sequence + 60000) >> 16);
    put16(super.frame + shape.l4 + 6, sequence + 60000);
    if (!ipv6)
        put16(super.frame + shape.l3 + 4, id + 40);
    super.len = shape.headers + 36000;
    put16(super.frame + shape.l4 + 16, pseudo(super.frame, &shape, super.len - shape.l4));
    cut(&super, &shape, 1500);
    CHECK(count == 64 && coalesce_and_compare() == 2);
    frames_free();
}

/* As long as an IP length can say, and a byte longer. */
static void test_length(bool ipv6, bool vlan) {
    static struct macs_odp_super super;
    struct macs_odp_coalesced coalesced;
    struct shape shape;
    start(&super, &shape, ipv6, vlan, 1);
    start(&super, &shape, ipv6, vlan, 65535 - (shape.headers - shape.l3));
    cut(&super, &shape, 1448);
    CHECK(macs_odp_coalesce(frames, count, &coalesced) == count && coalesce_and_compare() == 1);
    uint32_t len = frames[count - 1].len;
    uint8_t *longer = malloc(len + 1);
    CHECK(longer != NULL);
    memcpy(longer, bytes_of(count - 1), len);
    longer[len] = 7;
    renew(longer, &shape, len + 1);
    free(bytes_of(count - 1));
    frames[count - 1] = (struct macs_odp_frame){.data = longer, .len = len + 1};
    CHECK(macs_odp_coalesce(frames, count, &coalesced) == count - 1 && coalesce_and_compare() == 2);
    frames_free();
}

/* A row of segments that the kernel is not asked to make: flags that only a first or a last one has, a header between
 * IP and TCP, a tunnel. Each is right, and each is sent as it is. */
static void test_kept_apart(void) {
    static struct macs_odp_super super;
    struct macs_odp_coalesced coalesced;
    struct shape shape;
    static const uint8_t flags[] = {0x12, 0x14, 0x18, 0x11, 0x30, 0x90};
    for (uint32_t round = 0; round < sizeof(flags) + 2; round++) {
        start(&super, &shape, round == sizeof(flags), false, 3000);
        super.frame[shape.l4 + 13] = 0x10;
        cut(&super, &shape, 1000);
        for (uint32_t i = 0; i < count; i++) {
            uint8_t *frame = bytes_of(i), *wider;
            uint32_t more = round == sizeof(flags) ? 8 : 120;
            if (round > sizeof(flags)) /* all inner headers the same but for what follows each other */
                put16(frame + shape.l3 + 4, 7);
            if (round < sizeof(flags)) {
                frame[shape.l4 + 13] = flags[round];
                renew(frame, &shape, frames[i].len);
                continue;
            }
            wider = calloc(1, frames[i].len + more);
            CHECK(wider != NULL);
            if (round == sizeof(flags)) { /* IPv6 with an empty header of destination options */
                memcpy(wider, frame, shape.l4);
                wider[shape.l4] = 6;
                wider[shape.l4 + 2] = 1; /* PadN of six bytes */
                wider[shape.l4 + 3] = 4;
                memcpy(wider + shape.l4 + 8, frame + shape.l4, frames[i].len - shape.l4);
                wider[shape.l3 + 6] = 60;
                put16(wider + shape.l3 + 4, frames[i].len + 8 - shape.l4);
            } else { /* IPv4 in IPv4 in IPv4, the outer ones as long as can be */
                renew(frame, &shape, frames[i].len);
                memcpy(wider, frame, shape.l3);
                for (uint32_t at = shape.l3; at < shape.l3 + more; at += 60) {
                    wider[at] = 0x4f;
                    put16(wider + at + 2, frames[i].len + more - at);
                    put16(wider + at + 4, i);
                    wider[at + 9] = 4;
                    put16(wider + at + 10, ~plain_sum(wider + at, 60, 0));
                }
                memcpy(wider + shape.l3 + more, frame + shape.l3, frames[i].len - shape.l3);
            }
            free(frame);
            frames[i] = (struct macs_odp_frame){.data = wider, .len = frames[i].len + more};
        }
        CHECK(macs_odp_coalesce(frames, count, &coalesced) == 1);
        frames_free();
    }
}

static void test_garbage(void) {
    static struct macs_odp_super super;
    struct shape shape;
    for (uint32_t round = 0; round < 100000; round++) {
        for (uint32_t number = 0; number < 2; number++) {
            uint32_t len = build(super.frame, &shape, round & 1, round & 2, round & 4, 100);
            if (number == 1 && round & 8)
                len = next_random() % len;
            for (uint32_t i = 0; i < 4; i++)
                super.frame[next_random() % 90] = (uint8_t)(next_random() >> 24);
            frame_add(super.frame, len);
        }
        coalesce_and_compare();
        frames_free();
    }
}

/* A super-frame that goes out whole: as it would be when its segments were coalesced, whatever its checksum is; of no
 * more than a segment it is a frame. */
static void test_whole(bool ipv6, bool vlan, uint32_t payload, uint32_t size) {
    static struct macs_odp_super super;
    static uint8_t frame[MACS_ODP_SUPER_MAX];
    struct macs_odp_coalesced described;
    struct shape shape;
    uint32_t l4, at;
    start(&super, &shape, ipv6, vlan, payload);
    memcpy(frame, super.frame, super.len);
    put16(frame + shape.l4 + 16, 0xdead);
    const struct macs_odp_frame one = {.data = frame, .len = super.len, .segment = size};
    CHECK(macs_odp_whole_read(frame, super.len, &l4, &at) && l4 == shape.l4 && at == shape.headers);
    CHECK(macs_odp_whole_describe(&one, &described) == (payload > size));
    if (payload <= size)
        return;
    CHECK(described.headers_len == shape.headers && memcmp(described.headers, super.frame, shape.headers) == 0);
    CHECK(described.vnet.flags == VIRTIO_NET_HDR_F_NEEDS_CSUM && described.vnet.gso_size == size);
    CHECK(described.vnet.gso_type == (ipv6 ? VIRTIO_NET_HDR_GSO_TCPV6 : VIRTIO_NET_HDR_GSO_TCPV4));
    CHECK(described.vnet.hdr_len == shape.headers && described.vnet.csum_start == shape.l4);
    CHECK(described.vnet.csum_offset == 16);
}

/* What is not TCP over IP alone, and whole, is none. */
static void test_not_whole(bool ipv6, bool vlan) {
    static struct macs_odp_super super;
    static uint8_t frame[MACS_ODP_SUPER_MAX];
    struct shape shape;
    uint32_t l4, at;
    for (unsigned what = 0; what < 9; what++) {
        start(&super, &shape, ipv6, vlan, 4000);
        memcpy(frame, super.frame, super.len);
        uint8_t *ip = frame + shape.l3;
        uint32_t len = super.len;
        CHECK(macs_odp_whole_read(frame, len, &l4, &at));
        if (what < 2)
            len += what ? 1 : -1u; /* longer or shorter than IP says */
        else if (what == 2)
            ip[ipv6 ? 6 : 9] = 17;
        else if (what == 3)
            frame[shape.l4 + 12] = 4 << 4; /* shorter than a header of TCP */
        else if (what == 4)
            put16(frame + shape.l3 - 2, 0x88b5);
        else if (what == 5)
            ip[0] ^= 0x10; /* another version */
        else if (what == 6)
            len = shape.headers, put16(ip + (ipv6 ? 4 : 2), shape.headers - (ipv6 ? shape.l4 : shape.l3)); /* empty */
        else if (what == 7)
            len = shape.l4 + 19, put16(ip + (ipv6 ? 4 : 2), ipv6 ? 19 : len - shape.l3);
        else
            len = 17;
        CHECK(!macs_odp_whole_read(frame, len, &l4, &at));
        const struct macs_odp_frame one = {.data = frame, .len = len, .segment = 1000};
        struct macs_odp_coalesced described;
        CHECK(!macs_odp_whole_describe(&one, &described));
    }
}

int main(void) {
    for (int mode = 0; mode < 4; mode++) {
        test_whole(mode & 1, mode & 2, 60000, 1448);
        test_whole(mode & 1, mode & 2, 1001, 1000);
        test_whole(mode & 1, mode & 2, 1000, 1000);
        test_not_whole(mode & 1, mode & 2);
    }
    for (int mode = 0; mode < 4; mode++) {
        test_round_trip(mode & 1, mode & 2, 60000, 1448);
        test_round_trip(mode & 1, mode & 2, 2000, 1000);
        test_round_trip(mode & 1, mode & 2, 1001, 1000);
        test_round_trip(mode & 1, mode & 2, 5, 1);
        test_changes(mode & 1, mode & 2);
        test_length(mode & 1, mode & 2);
    }
    test_longest(false);
    test_longest(true);
    test_kept_apart();
    test_ends(0x10, 1);
    test_ends(0x18, 2); /* PSH */
    test_ends(0x11, 2); /* FIN */
    test_ends(0x90, 4); /* CWR, which is on the first of them only */
    test_garbage();
    return 0;
}
