/* plain.c: made by macsad from rest.p4. Edits are lost when it is made again. */
#include <macs/bits.h>
#include <macs/checksum.h>
#include <macs/extern.h>
#include <macs/layout.h>
#include <macs/profile.h>
#include <macs/program.h>
#include <macs/set.h>
#include <macs/run_to_completion.h>
#include <macs/varbit.h>
#include <macs/wide.h>
#include <macs/worker.h>

MACS_WIDE(2)

/* What a packet carries from stage to stage; every other value lives within one stage. */
struct live {
    uint8_t nothing;
};

/* What stands in a packet's buffer: the runtime's record of it, and its live values. */
struct state {
    struct macs_packet packet;
    struct live live;
};

/* The program's errors; parser errors are among them. */
enum {
    error_NoError = 0,
    error_PacketTooShort = 1,
    error_NoMatch = 2,
    error_StackOutOfBounds = 3,
    error_HeaderTooShort = 4,
    error_ParserTimeout = 5,
    error_ParserInvalidArgument = 6,
};

/* Stage 0: from the beginning to the end. */
static inline void ingress_0_entry(const struct macs_common *common, struct state *state, macs_verdict *restrict verdict) {
    struct macs_packet *const packet = &state->packet;
    uint16_t I_hash = 0;
    uint16_t hdr_extra_at = MACS_NOWHERE;
    uint8_t hdr_extra_left = 0;
    uint16_t hdr_extra_sum = 0;
    bool hdr_extra_valid = false;
    uint16_t hdr_first_at = MACS_NOWHERE;
    uint8_t hdr_first_delta = 0;
    uint8_t hdr_first_kind = 0;
    uint16_t hdr_first_length = 0;
    bool hdr_first_valid = false;
    macs_w2 hdr_first_wide = (macs_w2){{0, 0}};
    uint16_t hdr_items_at[4] = {MACS_NOWHERE, MACS_NOWHERE, MACS_NOWHERE, MACS_NOWHERE};
    uint8_t hdr_items_last[4] = {0, 0, 0, 0};
    uint32_t hdr_items_nextIndex = 0;
    bool hdr_items_valid[4] = {false, false, false, false};
    uint8_t hdr_items_value[4] = {0, 0, 0, 0};
    uint8_t meta_count = 0;
    uint16_t standard_metadata_egress_spec = 0;
    { /* plain.p4:12: parser */
        uint32_t at = 0;
        if (packet->length - at < 15) { /* plain.p4:14 */
            goto parsed;
        }
        hdr_first_valid = true;
        hdr_first_at = (uint16_t)at;
        hdr_first_kind = (uint8_t)macs_load_bits(packet->data + at, 0, 3);
        hdr_first_length = (uint16_t)macs_load_bits(packet->data + at, 3, 13);
        hdr_first_delta = (uint8_t)macs_load_bytes(packet->data + at + 2, 1);
        hdr_first_wide = macs_w2_load(packet->data + at, 24, 96);
        at += 15;
        if (hdr_first_kind == 1) { /* plain.p4:16 */
            goto parse_items;
        }
        if ((hdr_first_kind & 6) == 2 && macs_signed(hdr_first_delta, 8) >= macs_signed(0xfc, 8) && macs_signed(hdr_first_delta, 8) <= macs_signed(3, 8)) { /* plain.p4:17 */
            goto parse_items;
        }
        goto parsed;
        parse_items:; /* plain.p4:21 */
        if (hdr_items_nextIndex >= 4) { /* plain.p4:22 */
            goto parsed;
        }
        if (packet->length - at < 1) { /* plain.p4:22 */
            goto parsed;
        }
        if (hdr_items_nextIndex < 4) {
            hdr_items_valid[hdr_items_nextIndex] = true;
        }
        if (hdr_items_nextIndex < 4) {
            hdr_items_at[hdr_items_nextIndex] = (uint16_t)at;
        }
        if (hdr_items_nextIndex < 4) {
            hdr_items_value[hdr_items_nextIndex] = (uint8_t)macs_load_bits(packet->data + at, 0, 7);
        }
        if (hdr_items_nextIndex < 4) {
            hdr_items_last[hdr_items_nextIndex] = (uint8_t)macs_load_bits(packet->data + at, 7, 1);
        }
        at += 1;
        hdr_items_nextIndex = (uint32_t)(hdr_items_nextIndex + 1); /* plain.p4:22 */
        meta_count = (uint8_t)(meta_count + 1); /* plain.p4:23 */
        if (hdr_items_nextIndex <= 0) { /* plain.p4:24 */
            goto parsed;
        }
        switch ((uint32_t)(hdr_items_nextIndex - 1) < 4 ? hdr_items_last[(uint32_t)(hdr_items_nextIndex - 1)] : 0) { /* plain.p4:24 */
        case 1:
            break;
        case 0:
            goto parse_items;
        default:
            break;
        }
        parsed:;
        packet->payload_offset = at;
    }
    standard_metadata_egress_spec = (uint16_t)meta_count; /* plain.p4:30 */
    switch (hdr_first_kind) { /* plain.p4:31 */
    case 1:
        hdr_items_valid[3] = hdr_items_valid[2]; /* plain.p4:32 */
        hdr_items_at[3] = hdr_items_at[2];
        hdr_items_value[3] = hdr_items_value[2];
        hdr_items_last[3] = hdr_items_last[2];
        hdr_items_valid[2] = hdr_items_valid[1]; /* plain.p4:32 */
        hdr_items_at[2] = hdr_items_at[1];
        hdr_items_value[2] = hdr_items_value[1];
        hdr_items_last[2] = hdr_items_last[1];
        hdr_items_valid[1] = hdr_items_valid[0]; /* plain.p4:32 */
        hdr_items_at[1] = hdr_items_at[0];
        hdr_items_value[1] = hdr_items_value[0];
        hdr_items_last[1] = hdr_items_last[0];
        hdr_items_valid[0] = false; /* plain.p4:32 */
        hdr_items_nextIndex = hdr_items_nextIndex <= 3 ? (uint32_t)(hdr_items_nextIndex + 1) : 4; /* plain.p4:32 */
        hdr_items_valid[0] = true; /* plain.p4:32 */
        hdr_items_value[0] = 1; /* plain.p4:32 */
        break;
    case 2:
        hdr_items_valid[0] = hdr_items_valid[1]; /* plain.p4:33 */
        hdr_items_at[0] = hdr_items_at[1];
        hdr_items_value[0] = hdr_items_value[1];
        hdr_items_last[0] = hdr_items_last[1];
        hdr_items_valid[1] = hdr_items_valid[2]; /* plain.p4:33 */
        hdr_items_at[1] = hdr_items_at[2];
        hdr_items_value[1] = hdr_items_value[2];
        hdr_items_last[1] = hdr_items_last[2];
        hdr_items_valid[2] = hdr_items_valid[3]; /* plain.p4:33 */
        hdr_items_at[2] = hdr_items_at[3];
        hdr_items_value[2] = hdr_items_value[3];
        hdr_items_last[2] = hdr_items_last[3];
        hdr_items_valid[3] = false; /* plain.p4:33 */
        hdr_items_nextIndex = (uint32_t)macs_sub_saturating(hdr_items_nextIndex, 1); /* plain.p4:33 */
        break;
    default:
        goto after_ingress_I_end_1;
    }
    hdr_first_wide = macs_w2_xor(macs_w2_shift_left(hdr_first_wide, 7, 96), macs_w2_of(hdr_first_length)); /* plain.p4:36 */
    hdr_extra_valid = true; /* plain.p4:37 */
    hdr_extra_left = macs_signed(hdr_first_delta, 8) < macs_signed(0, 8) ? 1 : hdr_first_delta; /* plain.p4:38 */
    if (hdr_first_valid) { /* plain.p4:39 */
        uint8_t list[13] = {0}; /* plain.p4:39 */
        macs_store_bits(list, 0, 3, hdr_first_kind);
        macs_w2_store(list, 3, 96, hdr_first_wide);
        I_hash = (uint16_t)macs_checksum_crc16((struct macs_bytes){list, 13, NULL, 0});
    } else {
        uint8_t list[1]; /* plain.p4:39 */
        I_hash = (uint16_t)macs_checksum_crc16((struct macs_bytes){list, 0, NULL, 0});
    }
    hdr_extra_sum = (uint16_t)(uint32_t)((uint32_t)I_hash % 0x10000); /* plain.p4:39 */
    after_ingress_I_end_1:;
    if (standard_metadata_egress_spec == 0x1ff) {
        *verdict = MACS_VERDICT_DROP + MACS_CAUSE_PROGRAM;
        return;
    }
    packet->egress_port = standard_metadata_egress_spec;
    *verdict = macs_verdict_of_port(common, standard_metadata_egress_spec);
    { /* rest.p4:5: deparser */
        uint32_t head = 0;
        bool moved = false;
        if (hdr_extra_valid) {
            moved |= hdr_extra_at != head;
            head += 3;
        }
        if (hdr_first_valid) {
            moved |= hdr_first_at != head;
            head += 15;
        }
        if (hdr_items_valid[0]) {
            moved |= hdr_items_at[0] != head;
            head += 1;
        }
        if (hdr_items_valid[1]) {
            moved |= hdr_items_at[1] != head;
            head += 1;
        }
        if (hdr_items_valid[2]) {
            moved |= hdr_items_at[2] != head;
            head += 1;
        }
        if (hdr_items_valid[3]) {
            moved |= hdr_items_at[3] != head;
            head += 1;
        }
        uint32_t front = packet->payload_offset;
        if (moved || head != front) {
            uint8_t list[22] = {0};
            if (hdr_extra_valid) {
                macs_layout_take(packet, list, hdr_extra_at, 3);
            }
            if (hdr_first_valid) {
                macs_layout_take(packet, list + 3, hdr_first_at, 15);
            }
            if (hdr_items_valid[0]) {
                macs_layout_take(packet, list + 18, hdr_items_at[0], 1);
            }
            if (hdr_items_valid[1]) {
                macs_layout_take(packet, list + 19, hdr_items_at[1], 1);
            }
            if (hdr_items_valid[2]) {
                macs_layout_take(packet, list + 20, hdr_items_at[2], 1);
            }
            if (hdr_items_valid[3]) {
                macs_layout_take(packet, list + 21, hdr_items_at[3], 1);
            }
            if (macs_layout_resize(packet, front, head)) {
                *verdict = MACS_VERDICT_DROP + MACS_CAUSE_NO_BUFFER;
                return;
            }
            if (packet->length == 0) {
                *verdict = MACS_VERDICT_DROP + MACS_CAUSE_PROGRAM;
                return;
            }
            uint32_t used = 0;
            if (hdr_extra_valid) {
                hdr_extra_at = macs_layout_put(packet, &used, list, 3);
            }
            if (hdr_first_valid) {
                hdr_first_at = macs_layout_put(packet, &used, list + 3, 15);
            }
            if (hdr_items_valid[0]) {
                hdr_items_at[0] = macs_layout_put(packet, &used, list + 18, 1);
            }
            if (hdr_items_valid[1]) {
                hdr_items_at[1] = macs_layout_put(packet, &used, list + 19, 1);
            }
            if (hdr_items_valid[2]) {
                hdr_items_at[2] = macs_layout_put(packet, &used, list + 20, 1);
            }
            if (hdr_items_valid[3]) {
                hdr_items_at[3] = macs_layout_put(packet, &used, list + 21, 1);
            }
        }
        if (hdr_extra_valid) {
            uint8_t *const to = packet->data + hdr_extra_at;
            macs_store_bytes(to, 2, hdr_extra_sum);
            macs_store_bytes(to + 2, 1, hdr_extra_left);
        }
        if (hdr_first_valid) {
            uint8_t *const to = packet->data + hdr_first_at;
            macs_w2_store(to, 24, 96, hdr_first_wide);
        }
        if (hdr_items_valid[0]) {
            uint8_t *const to = packet->data + hdr_items_at[0];
            macs_store_bits(to, 0, 7, hdr_items_value[0]);
        }
        if (hdr_items_valid[1]) {
            uint8_t *const to = packet->data + hdr_items_at[1];
            macs_store_bits(to, 0, 7, hdr_items_value[1]);
        }
        if (hdr_items_valid[2]) {
            uint8_t *const to = packet->data + hdr_items_at[2];
            macs_store_bits(to, 0, 7, hdr_items_value[2]);
        }
        if (hdr_items_valid[3]) {
            uint8_t *const to = packet->data + hdr_items_at[3];
            macs_store_bits(to, 0, 7, hdr_items_value[3]);
        }
    }
}

/* A received burst, from the parser to its transmission. Returns its bytes. */
static uint64_t ingress_burst(struct macs_worker *worker, const odp_packet_t handles[], unsigned count) {
    const struct macs_common of_burst = macs_common_of(worker), *const common = &of_burst;
    macs_verdict verdicts[MACS_BURST_MAX];
    struct macs_extent received = {0, 0}, sent = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        struct state own_state;
        struct state *const state = &own_state;
        macs_bind(common, &state->packet, handles[i], MACS_BIND_ALL);
        macs_extent_add(&received, odp_packet_len(handles[i]));
        macs_prefetch_headers(handles, i, count);
        if (macs_can_parse(handles[i], 65535))
            ingress_0_entry(common, state, &verdicts[i]);
        else
            verdicts[i] = MACS_VERDICT_REFUSED;
        macs_extent_add(&sent, state->packet.length);
    }
    macs_transmit_burst(worker, handles, verdicts, count, sent);
    return received.bytes;
}

const struct macs_program macs_program = {
    .name = "plain",
    .source = "rest.p4",
    .state_bytes = sizeof(struct state),
    .parse_bytes = 65535,
    .grow_bytes = 7,
    .instances = {.ingress_clone = 1, .egress_clone = 2, .recirculated = 4, .replicated = 5, .resubmitted = 6},
    .table_count = 0,
    .extern_count = 0,
    .run_to_completion = ingress_burst,
};
