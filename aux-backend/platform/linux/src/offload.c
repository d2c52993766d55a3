/* See offload.h. */
#include "offload.h"

#include <string.h>

enum { ETHERNET = 14, VLAN_TAG = 4, IPV4_MIN = 20, IPV6 = 40, TCP_MIN = 20, UDP_LEN = 8 };
enum { PROTO_TCP = 6, PROTO_UDP = 17 };
enum { FLAG_FIN = 0x01, FLAG_PSH = 0x08, FLAG_CWR = 0x80 };
enum { GSO_UDP_L4 = 5 }; /* VIRTIO_NET_HDR_GSO_UDP_L4: not in older kernels' headers */

static uint16_t get16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

void macs_odp_checksum_complete(uint8_t *frame, uint32_t len, uint32_t start, uint32_t offset) {
    if (start > len || len - start < 2 || offset > len - start - 2)
        return;
    uint16_t sum = (uint16_t)~macs_odp_checksum(frame + start, len - start, 0);
    if (sum == 0 && offset == 6)
        sum = 0xffff; /* in UDP zero would mean: no checksum */
    memcpy(frame + start + offset, &sum, sizeof(sum));
}

/* Where the IP header is, its EtherType in *type. 0: no such header. */
static uint32_t find_l3(const uint8_t *frame, uint32_t len, uint16_t *type) {
    uint32_t at = ETHERNET;
    if (len < ETHERNET)
        return 0;
    *type = get16(frame + at - 2);
    while ((*type == 0x8100 || *type == 0x88a8) && len - at >= VLAN_TAG) {
        *type = get16(frame + at + 2);
        at += VLAN_TAG;
    }
    return at;
}

void macs_odp_checksum_guess(uint8_t *frame, uint32_t len) {
    uint16_t type = 0, found;
    uint32_t l3 = find_l3(frame, len, &type), header, total;
    const uint8_t *ip = frame + l3;
    uint8_t protocol;
    if (type == 0x0800 && len - l3 >= IPV4_MIN && (get16(ip + 6) & 0x3fff) == 0) {
        header = (ip[0] & 15u) * 4u;
        total = get16(ip + 2);
        protocol = ip[9];
    } else if (type == 0x86dd && len - l3 >= IPV6) {
        header = IPV6;
        total = IPV6 + get16(ip + 4);
        protocol = ip[6];
    } else {
        return;
    }
    uint32_t offset = protocol == PROTO_TCP ? 16 : protocol == PROTO_UDP ? 6 : 0;
    if (offset == 0 || total > len - l3 || header > total || total - header < UDP_LEN || total - header < offset + 2)
        return;
    memcpy(&found, ip + header + offset, sizeof(found));
    if (found == macs_odp_pseudo_sum(ip, type == 0x86dd, protocol, total - header))
        macs_odp_checksum_complete(frame, l3 + total, l3 + header, offset);
}

int macs_odp_super_start(struct macs_odp_super *super, const struct virtio_net_hdr *header) {
    uint16_t type = 0;
    uint8_t gso = header->gso_type & (uint8_t)~VIRTIO_NET_HDR_GSO_ECN;
    super->tcp = gso == VIRTIO_NET_HDR_GSO_TCPV4 || gso == VIRTIO_NET_HDR_GSO_TCPV6;
    super->l3 = find_l3(super->frame, super->len, &type);
    super->ipv6 = type == 0x86dd;
    super->size = header->gso_size;
    super->l4 = header->csum_start;
    super->done = 0;
    uint32_t len = super->len, transport = super->tcp ? TCP_MIN : UDP_LEN;
    super->len = 0;
    if ((!super->tcp && gso != GSO_UDP_L4) || (type != 0x0800 && type != 0x86dd) || super->size == 0 ||
        super->l4 < super->l3 + (super->ipv6 ? IPV6 : IPV4_MIN) || len < super->l4 + transport)
        return -1;
    if (super->tcp)
        transport = (super->frame[super->l4 + 12] >> 4) * 4u;
    super->payload = super->l4 + transport;
    if (super->payload - super->l4 < (super->tcp ? TCP_MIN : UDP_LEN) || super->payload >= len)
        return -1;
    super->len = len;
    return 0;
}

static void ip_finish(const struct macs_odp_super *super, uint8_t *ip, uint32_t ip_len, uint32_t index) {
    if (super->ipv6) {
        put16(ip + 4, ip_len - IPV6);
        return;
    }
    put16(ip + 2, ip_len);
    put16(ip + 4, get16(ip + 4) + index);
    put16(ip + 10, 0);
    uint16_t sum = (uint16_t)~macs_odp_checksum(ip, super->l4 - super->l3, 0);
    memcpy(ip + 10, &sum, sizeof(sum));
}

static void tcp_finish(uint8_t *tcp, uint32_t done, bool last) {
    uint32_t sequence = ((uint32_t)get16(tcp + 4) << 16 | get16(tcp + 6)) + done;
    put16(tcp + 4, sequence >> 16);
    put16(tcp + 6, sequence);
    if (!last)
        tcp[13] &= (uint8_t) ~(FLAG_FIN | FLAG_PSH);
    if (done > 0)
        tcp[13] &= (uint8_t)~FLAG_CWR;
}

void macs_odp_super_next(struct macs_odp_super *super, uint8_t *to) {
    uint32_t len = macs_odp_super_next_len(super), l4_len = len - super->l4;
    uint8_t *l4 = to + super->l4;
    memcpy(to, super->frame, super->payload);
    memcpy(to + super->payload, super->frame + super->payload + super->done, len - super->payload);
    ip_finish(super, to + super->l3, len - super->l3, super->done / super->size);
    if (super->tcp)
        tcp_finish(l4, super->done, super->done + len == super->len);
    else
        put16(l4 + 4, l4_len);
    uint32_t offset = super->tcp ? 16 : 6;
    uint16_t sum = macs_odp_pseudo_sum(to + super->l3, super->ipv6, super->tcp ? PROTO_TCP : PROTO_UDP, l4_len);
    memcpy(l4 + offset, &sum, sizeof(sum));
    macs_odp_checksum_complete(to, len, super->l4, offset);
    super->done += len - super->payload;
}
