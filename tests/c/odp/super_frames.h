/* Super-frames of TCP and UDP for tests, and the checksums that a receiver verifies, computed in the plainest way. */
#ifndef MACS_TEST_SUPER_FRAMES_H
#define MACS_TEST_SUPER_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static uint32_t random_state = 1;

static inline uint32_t next_random(void) {
    return random_state = random_state * 1664525u + 1013904223u;
}

static inline void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline uint32_t get16(const uint8_t *at) {
    return (uint32_t)at[0] << 8 | at[1];
}

/* RFC 1071 read plainly, big-endian: the reference. */
static inline uint32_t plain_sum(const uint8_t *data, uint32_t len, uint32_t sum) {
    for (uint32_t i = 0; i < len; i++)
        sum += i % 2 ? data[i] : (uint32_t)data[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

struct shape {
    bool ipv6, tcp;
    uint32_t l3, l4, headers, payload;
};

static inline uint32_t pseudo(const uint8_t *frame, const struct shape *shape, uint32_t l4_len) {
    const uint8_t *ip = frame + shape->l3;
    uint32_t sum = (shape->tcp ? 6u : 17u) + l4_len;
    return shape->ipv6 ? plain_sum(ip + 8, 32, sum) : plain_sum(ip + 12, 8, sum);
}

/* A frame whose transport checksum is the pseudo-header's sum only. Returns its length. */
static inline uint32_t build(uint8_t *frame, struct shape *shape, bool ipv6, bool tcp, bool vlan, uint32_t payload) {
    *shape = (struct shape){ipv6, tcp, vlan ? 18 : 14, 0, 0, payload};
    shape->l4 = shape->l3 + (ipv6 ? 40 : 24); /* IPv4 with an option */
    shape->headers = shape->l4 + (tcp ? 32 : 8);
    uint32_t len = shape->headers + payload, l4_len = len - shape->l4;
    for (uint32_t i = 0; i < len; i++)
        frame[i] = (uint8_t)(next_random() >> 24);
    if (vlan) {
        put16(frame + 12, 0x8100);
        put16(frame + 14, 5);
    }
    put16(frame + shape->l3 - 2, ipv6 ? 0x86dd : 0x0800);
    uint8_t *ip = frame + shape->l3, *l4 = frame + shape->l4;
    if (ipv6) {
        ip[0] = 0x60;
        put16(ip + 4, l4_len);
        ip[6] = tcp ? 6 : 17;
    } else {
        ip[0] = 0x46;
        put16(ip + 2, len - shape->l3);
        put16(ip + 6, 0x4000);
        ip[9] = tcp ? 6 : 17;
        put16(ip + 10, 0);
        put16(ip + 10, ~plain_sum(ip, 24, 0));
    }
    if (tcp) {
        l4[12] = 8 << 4;
        l4[13] = 0x99; /* CWR, ACK, PSH, FIN */
    } else {
        put16(l4 + 4, l4_len);
    }
    put16(l4 + (tcp ? 16 : 6), pseudo(frame, shape, l4_len));
    return len;
}

static inline bool good(const uint8_t *frame, const struct shape *shape, uint32_t len) {
    bool ip_good = shape->ipv6 || plain_sum(frame + shape->l3, 24, 0) == 0xffff;
    uint32_t l4_len = len - shape->l4;
    return ip_good && plain_sum(frame + shape->l4, l4_len, pseudo(frame, shape, l4_len)) == 0xffff;
}

#endif
