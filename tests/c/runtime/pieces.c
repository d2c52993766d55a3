/* Pieces that generated code is made of, at their bounds: records of packets, requests, changes of a frame's length,
 * values of variable width, sets of packets, random numbers. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <macs/layout.h>
#include <macs/packet.h>
#include <macs/profile.h>
#include <macs/ready.h>
#include <macs/run_to_completion.h>
#include <macs/set.h>
#include <macs/steer.h>
#include <macs/varbit.h>
#include <macs/worker.h>

enum { ROOM = 16, BYTES = 100 };

static uint8_t buffer[ROOM + BYTES];
static struct {
    struct macs_odp_packet head;
    struct macs_packet record;
} made;
static bool refuses;

int odp_packet_trunc_tail(odp_packet_t *packet, uint32_t bytes, void **tail, uint32_t *tailroom) {
    (void)tail, (void)tailroom;
    assert(bytes && bytes < (*packet)->len);
    if (refuses)
        return -1;
    (*packet)->len -= bytes;
    return 0;
}

/* A frame of the numbers from 0 on behind some room. */
static struct macs_packet *begin(uint32_t length) {
    for (unsigned i = 0; i < BYTES; i++)
        buffer[ROOM + i] = (uint8_t)i;
    made.head = (struct macs_odp_packet){.data = buffer + ROOM,
                                         .len = length,
                                         .room = sizeof(buffer),
                                         .head = buffer,
                                         .uarea_size = sizeof(struct macs_packet)};
    struct macs_packet *packet = macs_packet_of(&made.head);
    memset(packet, 0xee, sizeof(*packet));
    const struct macs_common common = {.ingress_ns = 99, .ingress_port = 7};
    macs_bind(&common, packet, &made.head, MACS_BIND_ALL);
    memset(&packet->requests, 0, sizeof(packet->requests));
    return packet;
}

static void check_record(void) {
    struct macs_packet *packet = begin(60);
    assert(packet->handle == &made.head && packet->data == buffer + ROOM && packet->length == 60);
    assert(packet->contiguous == 60 && packet->payload_offset == 0 && packet->ingress_port == 7);
    assert(packet->egress_port == 0 && packet->multicast_group == 0 && packet->replica == 0);
    assert(packet->instance_type == 0 && packet->ingress_ns == 99 && packet->verdict == MACS_FORWARD);
    assert(packet->cause == MACS_CAUSE_PROGRAM);
    for (uint32_t parsed = 0; parsed < 120; parsed++)
        assert(macs_can_parse(&made.head, parsed)); /* all of it is in one piece */
    static uint8_t slots[UINT16_MAX + 1];
    const struct macs_common common = {.slot_of = slots};
    slots[0] = 3, slots[UINT16_MAX] = 64;
    assert(macs_verdict_of_port(&common, 0) == 3 && macs_verdict_of_port(&common, UINT16_MAX) == 64);
    assert(macs_verdict_of_port(&common, UINT16_MAX + 1u) == 0 && macs_verdict_of_port(&common, UINT32_MAX) == 0);
    struct macs_extent extent = {0, 0};
    macs_extent_add(&extent, 60);
    macs_extent_add(&extent, UINT32_MAX);
    macs_extent_add(&extent, 61);
    assert(extent.bytes == UINT64_C(121) + UINT32_MAX && extent.longest == UINT32_MAX);
    const macs_verdict verdicts[] = {1, 128, 254, 255};
    assert(!macs_any_continues(verdicts, 3) && macs_any_continues(verdicts, 4));
    _Atomic uint8_t directions[UINT16_MAX + 1] = {0};
    directions[UINT16_MAX] = MACS_HOST_TO_NET;
    const struct macs_worker worker = {.directions = directions};
    assert(macs_direction_of(&worker, UINT16_MAX) == MACS_HOST_TO_NET);
    assert(macs_direction_of(&worker, 0) == MACS_NET_TO_HOST);
    assert(macs_direction_of(&worker, UINT16_MAX + 1u) == MACS_NET_TO_HOST);
}

static void check_requests(void) {
    static const uint64_t wide = UINT64_C(1) << 32;
    assert(macs_session(0) == 0 && macs_session(UINT16_MAX - 1) == UINT16_MAX - 1);
    assert(macs_session(UINT16_MAX) == MACS_NO_SESSION && macs_session(UINT16_MAX + 6) == MACS_NO_SESSION);
    assert(macs_session(wide + 5) == MACS_NO_SESSION);
    assert(macs_group(UINT16_MAX) == UINT16_MAX && macs_group(UINT16_MAX + 1) == 0 && macs_group(wide + 5) == 0);
    struct macs_packet *packet = begin(60);
    macs_request_clone_ingress(packet, 3, 1);
    macs_request_clone_ingress(packet, 4, 2);
    macs_request_clone_egress(packet, 5, 3);
    macs_request_clone_egress(packet, wide, 4);
    macs_request_resubmit(packet, 5);
    macs_request_resubmit(packet, 6);
    macs_request_recirculate(packet, 7);
    macs_request_recirculate(packet, 8);
    const struct macs_requests *asked = &packet->requests;
    assert(asked->flags == (MACS_CLONE_INGRESS | MACS_CLONE_EGRESS | MACS_RESUBMIT | MACS_RECIRCULATE));
    assert(asked->ingress_session == 4 && asked->ingress_clone_fields == 2);
    assert(asked->egress_session == MACS_NO_SESSION && asked->egress_clone_fields == 4);
    assert(asked->resubmit_fields == 6 && asked->recirculate_fields == 8);
    packet->requests.truncate_bytes = 7; /* of who had the buffer before */
    macs_request_truncate(packet, wide + 1);
    assert(asked->flags & MACS_TRUNCATE && asked->truncate_bytes == UINT32_MAX);
    macs_request_truncate(packet, 50);
    macs_request_truncate(packet, 51);
    assert(asked->truncate_bytes == 50);
    macs_request_truncate(packet, 0);
    macs_request_truncate(packet, 49);
    assert(asked->truncate_bytes == 0);
}

static bool is(const struct macs_packet *packet, int64_t moved, uint32_t length, uint32_t payload_offset) {
    return packet->data == buffer + ROOM + moved && packet->length == length && packet->contiguous == length &&
           packet->payload_offset == payload_offset && odp_packet_len(packet->handle) == length;
}

static void check_lengths(void) {
    uint8_t out[8];
    struct macs_packet *packet = begin(60);
    packet->payload_offset = 30;
    assert(macs_layout_resize(packet, 30, 34) == 0 && is(packet, -4, 64, 34));
    assert(macs_layout_resize(packet, 34, 34) == 0 && is(packet, -4, 64, 34));
    assert(macs_layout_resize(packet, 34, 20) == 0 && is(packet, 10, 50, 20));
    assert(macs_layout_resize(packet, 20, 46) == 0 && is(packet, -ROOM, 76, 46));
    assert(macs_layout_resize(packet, 46, 47) == -1 && is(packet, -ROOM, 76, 46)); /* there is no more room */
    packet = begin(30);
    packet->payload_offset = 30;
    assert(macs_layout_resize(packet, 30, 0) == 0 && packet->length == 0 && packet->payload_offset == 0);
    packet = begin(60);
    assert(macs_layout_cut(packet, 60) == 0 && macs_layout_cut(packet, UINT32_MAX) == 0 && is(packet, 0, 60, 0));
    assert(macs_layout_cut(packet, 59) == 0 && is(packet, 0, 59, 0));
    refuses = true;
    assert(macs_layout_cut(packet, 58) == -1 && is(packet, 0, 59, 0));
    refuses = false;
    packet->requests.truncate_bytes = 1;
    assert(macs_layout_truncate(packet) == 0 && is(packet, 0, 1, 0));
    packet->requests.truncate_bytes = 0;
    assert(macs_layout_truncate(packet) == 0 && packet->length == 0); /* it is not sent */
    packet = begin(60);
    macs_layout_take(packet, out, 5, 3);
    assert(!memcmp(out, "\5\6\7", 3));
    macs_layout_take(packet, out, 0, 2);
    assert(!memcmp(out, "\0\1\7", 3));
    macs_layout_take(packet, out, MACS_NOWHERE, 3);
    assert(!memcmp(out, "\0\0\0", 3));
}

static void check_varbits(void) {
    struct macs_packet *packet = begin(60);
    const macs_varbit value = macs_varbit_of(UINT16_MAX, UINT16_MAX), empty = macs_varbit_of(9, 0);
    assert(macs_varbit_at(value) == UINT16_MAX && macs_varbit_bytes(value) == UINT16_MAX);
    assert(empty == 0 && macs_varbit_equal(packet, empty, macs_varbit_of(30, 0)));
    buffer[ROOM + 40] = 10, buffer[ROOM + 41] = 11, buffer[ROOM + 42] = 99;
    assert(macs_varbit_equal(packet, macs_varbit_of(10, 2), macs_varbit_of(40, 2)));
    assert(!macs_varbit_equal(packet, macs_varbit_of(10, 3), macs_varbit_of(40, 3)));
    assert(!macs_varbit_equal(packet, macs_varbit_of(10, 2), macs_varbit_of(40, 1)));
    assert(!macs_varbit_equal(packet, empty, macs_varbit_of(40, 1)));
    uint8_t out[20] = {0};
    uint32_t used = 2;
    macs_varbit_append(packet, out, &used, macs_varbit_of(20, 3));
    macs_varbit_append(packet, out, &used, empty);
    macs_varbit_append(packet, out, &used, macs_varbit_of(5, 1));
    assert(used == 6 && !memcmp(out, "\0\0\24\25\26\5\0", 7));
    memset(out, 0, sizeof(out));
    uint32_t bits = 4;
    macs_varbit_append_bits(packet, out, &bits, macs_varbit_of(20, 2));
    assert(bits == 20 && out[0] == 0x01 && out[1] == 0x41 && out[2] == 0x50);
    /* a header of 2 bytes, a varbit that had 3 and has 1, and 2 bytes */
    memset(out, 0xff, sizeof(out));
    macs_layout_take_varbit(packet, out, 30, 2, 3, macs_varbit_of(50, 1), 2);
    assert(!memcmp(out, "\36\37\62\43\44\377", 6));
    macs_layout_take_varbit(packet, out, MACS_NOWHERE, 2, 3, macs_varbit_of(50, 4), 2);
    assert(!memcmp(out, "\0\0\62\63\64\65\0\0\377", 9));
}

/* A frame begins as its decision says, unless it is too short for that, or has no room. */
static void check_ready(void) {
    uint64_t kept[MACS_READY_WORDS + 3] = {0};
    uint8_t *words = (uint8_t *)&kept[MACS_READY_WORDS];
    struct macs_ready_head head = {14, 18, 1, 1};
    memcpy(kept, &head, sizeof(head));
    memset(words, 0xaa, 8);
    memcpy(words + 8, "\x51\0\0\0\0\0\0\x07", 8);    /* the values, and their masks */
    memcpy(words + 16, "\xf1\0\0\0\0\0\xff\x0f", 8); /* of the bytes 4 to 11, in front of which 4 more come */
    for (uint32_t length = 12; length < 15; length++) {
        struct macs_packet *packet = begin(length);
        assert(macs_ready_put(packet->handle, kept));
        assert(odp_packet_data(packet->handle) == buffer + ROOM - 4 && odp_packet_len(packet->handle) == length + 4);
        assert(!memcmp(buffer + ROOM - 4, "\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\x55\5\6\7\x8\x9\0\7\xc", 17));
    }
    begin(11);
    assert(!macs_ready_put(&made.head, kept));
    head = (struct macs_ready_head){0, ROOM + 1, 0, 0};
    memcpy(kept, &head, sizeof(head));
    assert(!macs_ready_put(&made.head, kept));
    assert(odp_packet_data(&made.head) == buffer + ROOM && odp_packet_len(&made.head) == 11);
    for (unsigned i = 0; i < 12; i++)
        assert(buffer[ROOM + i] == i);
    head = (struct macs_ready_head){7, 4, 1, 0};
    memcpy(kept, &head, sizeof(head));
    assert(macs_ready_put(&made.head, kept) && odp_packet_data(&made.head) == buffer + ROOM + 3);
    assert(odp_packet_len(&made.head) == 8 && buffer[ROOM + 2] == 2 && buffer[ROOM + 11] == 11);
    begin(11);
    head.copied = 2; /* one word more than the frame has */
    memcpy(kept, &head, sizeof(head));
    assert(!macs_ready_put(&made.head, kept) && odp_packet_len(&made.head) == 11);
}

static void check_sets(void) {
    uint16_t list[MACS_BURST_MAX];
    struct macs_set set;
    static const uint32_t members[] = {0, 1, 5, 63, 64, 127, 128, 191, 192, MACS_BURST_MAX - 1};
    for (uint32_t last = 0; last <= MACS_BURST_MAX; last++) { /* the first ones, without a gap */
        macs_set_clear(&set);
        for (uint32_t i = last; i-- > 0;)
            macs_set_add(&set, i);
        assert(macs_set_list(&set, list) == last);
        for (uint32_t i = 0; i < last; i++)
            assert(list[i] == i);
    }
    macs_set_clear(&set);
    assert(macs_set_list(&set, list) == 0);
    for (uint32_t i = 10; i-- > 0;)
        macs_set_add(&set, members[i]);
    assert(macs_set_list(&set, list) == 10);
    for (uint32_t i = 0; i < 10; i++)
        assert(list[i] == members[i]);
}

static void check_random(void) {
    struct macs_worker worker = {.random = 1}, again = {.random = 1};
    unsigned seen = 0;
    assert(macs_random_range(&worker, 9, 9) == 9 && macs_random_range(&worker, 9, 3) == 9 && worker.random == 1);
    for (unsigned i = 0; i < 200; i++) {
        const uint64_t value = macs_random_range(&worker, 250, 257);
        assert(value >= 250 && value <= 257);
        seen |= 1u << (value - 250);
        assert(macs_random_range(&again, 250, 257) == value);
    }
    assert(seen == 0xff);
    uint64_t all = 0, none = UINT64_MAX;
    for (unsigned i = 0; i < 64; i++) {
        const uint64_t value = macs_random_range(&worker, 0, UINT64_MAX);
        all |= value;
        none &= value;
    }
    assert(all == UINT64_MAX && none == 0);
    assert(macs_random_range(&worker, UINT64_MAX - 1, UINT64_MAX) >= UINT64_MAX - 1);
}

static void check_modulo(void) {
    assert(macs_profile_modulo(UINT32_MAX, 10) == 5 && macs_profile_modulo(UINT64_C(1) << 32, 10) == 6);
    assert(macs_profile_modulo(UINT64_MAX, 7) == 1 && macs_profile_modulo(3, 7) == 3 && macs_profile_modulo(7, 7) == 0);
}

int main(void) {
    check_record();
    check_requests();
    check_lengths();
    check_varbits();
    check_ready();
    check_sets();
    check_random();
    check_modulo();
    puts("ok");
    return 0;
}
