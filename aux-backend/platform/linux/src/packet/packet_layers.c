/* Metadata of the protocols in a packet; see odp/api/packet_layers.h. */
#include "packet/packet_parse.h"
#include "pktio/pktio.h"

#include <string.h>

static const struct macs_odp_layers nothing = {
    .parsed = {.l2_offset = ODP_PACKET_OFFSET_INVALID,
               .l3_offset = ODP_PACKET_OFFSET_INVALID,
               .l4_offset = ODP_PACKET_OFFSET_INVALID,
               .l3_type = ODP_PROTO_L3_TYPE_NONE,
               .l4_type = ODP_PROTO_L4_TYPE_NONE},
    .payload_offset = ODP_PACKET_OFFSET_INVALID,
};

static struct macs_odp_layers *line_of(odp_packet_t pkt) {
    return (struct macs_odp_layers *)(void *)((uint8_t *)(pkt + 1) + ODP_CACHE_LINE_ROUNDUP(pkt->uarea_size));
}

struct macs_odp_layers *macs_odp_layers_own(odp_packet_t pkt) {
    struct macs_odp_layers *line = line_of(pkt);
    if (!(macs_odp_flags(&pkt->event) & MACS_ODP_LAYERS)) {
        *line = nothing;
        macs_odp_flags_change(&pkt->event, 0, MACS_ODP_LAYERS);
    }
    return line;
}

const struct macs_odp_layers *macs_odp_layers(odp_packet_t pkt) {
    return macs_odp_flags(&pkt->event) & MACS_ODP_LAYERS ? line_of(pkt) : &nothing;
}

void macs_odp_layers_copy(odp_packet_t to, odp_packet_t from) {
    if (macs_odp_flags(&from->event) & MACS_ODP_LAYERS)
        *line_of(to) = *line_of(from);
}

static void parse(odp_packet_t pkt, uint32_t offset, const odp_packet_parse_param_t *param) {
    odp_packet_parse_result_t *parsed = &macs_odp_layers_own(pkt)->parsed;
    macs_odp_parse(macs_odp_data(pkt), macs_odp_len(pkt), offset, param, parsed);
    macs_odp_flags_change(&pkt->event, MACS_ODP_ERROR, parsed->flag.has_error ? MACS_ODP_ERROR : 0);
}

void macs_odp_parse_received(const odp_packet_t packets[], int num, odp_proto_layer_t layer) {
    const odp_packet_parse_param_t param = {.proto = ODP_PROTO_ETH, .last_layer = layer};
    for (int i = 0; i < num; i++)
        parse(packets[i], 0, &param);
}

int odp_packet_parse(odp_packet_t pkt, uint32_t offset, const odp_packet_parse_param_t *param) {
    bool ip = param->proto == ODP_PROTO_IPV4 || param->proto == ODP_PROTO_IPV6;
    odp_proto_layer_t first = ip ? ODP_PROTO_LAYER_L3 : ODP_PROTO_LAYER_L2;
    if ((!ip && param->proto != ODP_PROTO_ETH) || param->last_layer < first || offset >= macs_odp_len(pkt))
        return macs_odp_fail(EINVAL);
    parse(pkt, offset, param);
    return 0;
}

int odp_packet_parse_multi(const odp_packet_t pkt[], const uint32_t offset[], int num,
                           const odp_packet_parse_param_t *param) {
    int done = 0;
    while (done < num && odp_packet_parse(pkt[done], offset[done], param) == 0)
        done++;
    return done == 0 && num > 0 ? -1 : done;
}

void odp_packet_parse_result(odp_packet_t pkt, odp_packet_parse_result_t *result) {
    *result = macs_odp_layers(pkt)->parsed;
    result->packet_len = macs_odp_len(pkt);
}

void odp_packet_parse_result_multi(const odp_packet_t pkt[], odp_packet_parse_result_t *result[], int num) {
    for (int i = 0; i < num; i++)
        odp_packet_parse_result(pkt[i], result[i]);
}

static void *address(odp_packet_t pkt, uint32_t offset, uint32_t *len) {
    return offset == ODP_PACKET_OFFSET_INVALID ? NULL : odp_packet_offset(pkt, offset, len, NULL);
}

#define LAYER(layer)                                                                                                   \
    uint32_t odp_packet_##layer##_offset(odp_packet_t pkt) {                                                           \
        return macs_odp_layers(pkt)->parsed.layer##_offset;                                                            \
    }                                                                                                                  \
    int odp_packet_##layer##_offset_set(odp_packet_t pkt, uint32_t offset) {                                           \
        if (offset >= macs_odp_len(pkt))                                                                               \
            return macs_odp_fail(EINVAL);                                                                              \
        macs_odp_layers_own(pkt)->parsed.layer##_offset = offset;                                                      \
        return 0;                                                                                                      \
    }                                                                                                                  \
    void *odp_packet_##layer##_ptr(odp_packet_t pkt, uint32_t *len) {                                                  \
        return address(pkt, macs_odp_layers(pkt)->parsed.layer##_offset, len);                                         \
    }                                                                                                                  \
    odp_proto_##layer##_type_t odp_packet_##layer##_type(odp_packet_t pkt) {                                           \
        return macs_odp_layers(pkt)->parsed.layer##_type;                                                              \
    }

LAYER(l2)
LAYER(l3)
LAYER(l4)

uint32_t odp_packet_payload_offset(odp_packet_t pkt) {
    return macs_odp_layers(pkt)->payload_offset;
}

int odp_packet_payload_offset_set(odp_packet_t pkt, uint32_t offset) {
    if (offset != ODP_PACKET_OFFSET_INVALID && offset >= macs_odp_len(pkt))
        return macs_odp_fail(EINVAL);
    macs_odp_layers_own(pkt)->payload_offset = offset;
    return 0;
}

odp_packet_chksum_status_t odp_packet_l3_chksum_status(odp_packet_t pkt) {
    return macs_odp_layers(pkt)->parsed.l3_chksum_status;
}

odp_packet_chksum_status_t odp_packet_l4_chksum_status(odp_packet_t pkt) {
    return macs_odp_layers(pkt)->parsed.l4_chksum_status;
}

uint32_t odp_packet_flow_hash(odp_packet_t pkt) {
    return macs_odp_layers(pkt)->flow_hash;
}

void odp_packet_flow_hash_set(odp_packet_t pkt, uint32_t flow_hash) {
    struct macs_odp_layers *own = macs_odp_layers_own(pkt);
    own->flow_hash = flow_hash;
    own->has_flow_hash = 1;
}

odp_packet_color_t odp_packet_color(odp_packet_t pkt) {
    return (odp_packet_color_t)macs_odp_layers(pkt)->color;
}

void odp_packet_color_set(odp_packet_t pkt, odp_packet_color_t color) {
    macs_odp_layers_own(pkt)->color = (uint8_t)color;
}

odp_bool_t odp_packet_drop_eligible(odp_packet_t pkt) {
    return macs_odp_layers(pkt)->drop_eligible;
}

void odp_packet_drop_eligible_set(odp_packet_t pkt, odp_bool_t status) {
    macs_odp_layers_own(pkt)->drop_eligible = status;
}

int8_t odp_packet_shaper_len_adjust(odp_packet_t pkt) {
    return macs_odp_layers(pkt)->shaper_len_adjust;
}

void odp_packet_shaper_len_adjust_set(odp_packet_t pkt, int8_t adj) {
    macs_odp_layers_own(pkt)->shaper_len_adjust = adj;
}
