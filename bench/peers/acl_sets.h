/* Sets of access rules on the five fields of a flow, and the traffic that meets them: what acl.c measures with.
 *
 * Real rule sets are not public, so these are made like those that the literature describes (Taylor, Turner,
 * ClassBench, 2005): a set's addresses come from a pool, a rule has a prefix of one of them, so that prefixes nest
 * where a pool is small; ports are any, one, or a range, which is one aligned block (a prefix), as tables without
 * ranges have it, or in sets with `spans` any range. All rules differ, in priority too. The same for each run.
 */
#ifndef MACSAD_BENCH_ACL_SETS_H
#define MACSAD_BENCH_ACL_SETS_H

#include <rte_byteorder.h>

#include "probe.h"

/* What both sides look up, network byte order, the protocol first as rte_acl wants it. */
struct __attribute__((packed)) flow {
    uint8_t protocol;
    uint32_t src, dst;
    uint16_t sport, dport;
};

enum { FLOW_BYTES = sizeof(struct flow) };

struct rule {
    struct flow value, mask;
    uint16_t sport_high, dport_high; /* the ends of the ports' ranges, which begin with the value */
};

enum port { ANY, KNOWN, ONE, HIGH, BLOCK, SPAN };

struct rule_set {
    const char *name;
    uint8_t src_bits[8], dst_bits[8]; /* of prefixes, each as likely */
    uint16_t src_pool, dst_pool;      /* addresses for each 1,000 rules; 0: any */
    uint8_t sport[4], dport[8];       /* enum port */
    uint8_t any_protocol;             /* of 16 rules */
    bool sorted;                      /* the most specific rules first, else in no order */
    bool spans;                       /* ports are matched by ranges, not by masks */
};

static const struct rule_set rule_sets[] = {
    {.name = "scattered",
     .src_bits = {0, 0, 8, 16, 24, 24, 32, 32},
     .dst_bits = {0, 16, 16, 24, 24, 28, 32, 32},
     .src_pool = 0,
     .dst_pool = 0,
     .sport = {ANY, ANY, ANY, ANY},
     .dport = {ANY, ANY, ANY, ANY, ONE, ONE, ONE, ONE},
     .any_protocol = 4,
     .sorted = false},
    {.name = "access list",
     .src_bits = {0, 0, 0, 16, 24, 24, 32, 32},
     .dst_bits = {24, 28, 32, 32, 32, 32, 32, 32},
     .src_pool = 200,
     .dst_pool = 400,
     .sport = {ANY, ANY, ANY, ANY},
     .dport = {ANY, ANY, KNOWN, KNOWN, KNOWN, ONE, HIGH, BLOCK},
     .any_protocol = 2,
     .sorted = true},
    {.name = "firewall",
     .src_bits = {0, 0, 0, 0, 16, 24, 32, 32},
     .dst_bits = {0, 0, 16, 24, 24, 28, 32, 32},
     .src_pool = 100,
     .dst_pool = 150,
     .sport = {ANY, ANY, ANY, HIGH},
     .dport = {ANY, ANY, KNOWN, KNOWN, KNOWN, ONE, HIGH, BLOCK},
     .any_protocol = 3,
     .sorted = false},
    {.name = "chain",
     .src_bits = {0, 8, 12, 16, 20, 24, 28, 32},
     .dst_bits = {0, 8, 16, 16, 24, 24, 32, 32},
     .src_pool = 60,
     .dst_pool = 60,
     .sport = {ANY, ANY, ANY, KNOWN},
     .dport = {ANY, ANY, ANY, ANY, KNOWN, ONE, HIGH, BLOCK},
     .any_protocol = 6,
     .sorted = true},
    {.name = "nested",
     .src_bits = {8, 10, 12, 14, 16, 20, 24, 32},
     .dst_bits = {8, 10, 12, 14, 16, 20, 24, 32},
     .src_pool = 12,
     .dst_pool = 12,
     .sport = {ANY, ANY, ANY, ANY},
     .dport = {ANY, ANY, ANY, ANY, KNOWN, KNOWN, HIGH, BLOCK},
     .any_protocol = 8,
     .sorted = false},
    {.name = "wildcards",
     .src_bits = {0, 0, 0, 0, 0, 0, 8, 24},
     .dst_bits = {0, 0, 0, 0, 0, 8, 16, 32},
     .src_pool = 40,
     .dst_pool = 80,
     .sport = {ANY, ANY, KNOWN, HIGH},
     .dport = {ANY, KNOWN, KNOWN, ONE, ONE, ONE, HIGH, BLOCK},
     .any_protocol = 6,
     .sorted = false},
    {.name = "services",
     .src_bits = {0, 0, 0, 0, 0, 0, 0, 0},
     .dst_bits = {0, 0, 0, 0, 0, 0, 0, 24},
     .src_pool = 1,
     .dst_pool = 20,
     .sport = {ANY, ANY, ANY, ANY},
     .dport = {ONE, ONE, ONE, ONE, ONE, ONE, ONE, BLOCK},
     .any_protocol = 2,
     .sorted = false},
    {.name = "short prefixes",
     .src_bits = {0, 2, 4, 5, 6, 8, 10, 12},
     .dst_bits = {0, 2, 4, 6, 8, 9, 11, 13},
     .src_pool = 0,
     .dst_pool = 0,
     .sport = {ANY, ANY, ANY, ANY},
     .dport = {ANY, ANY, ANY, KNOWN, KNOWN, ONE, HIGH, BLOCK},
     .any_protocol = 8,
     .sorted = false},
    {.name = "ranges",
     .src_bits = {0, 0, 0, 16, 24, 24, 32, 32},
     .dst_bits = {0, 0, 16, 24, 24, 28, 32, 32},
     .src_pool = 100,
     .dst_pool = 150,
     .sport = {ANY, ANY, HIGH, SPAN},
     .dport = {ANY, KNOWN, KNOWN, ONE, HIGH, SPAN, SPAN, SPAN},
     .any_protocol = 3,
     .sorted = false,
     .spans = true},
};

enum { RULE_SETS = sizeof(rule_sets) / sizeof(rule_sets[0]) };

static inline uint32_t rules_prefix(uint32_t bits) {
    return rte_cpu_to_be_32(bits ? UINT32_MAX << (32 - bits) : 0);
}

/* An address of a pool of so many, which lie in a few networks of 16 bits; any without a pool. */
static inline uint32_t rules_address(uint64_t id, uint32_t pool, uint64_t random) {
    if (!pool)
        return (uint32_t)random;
    uint64_t state = id << 32 | random % pool, host = probe_random(&state);
    uint64_t site = id << 32 | UINT64_C(1) << 31 | random % pool % 23;
    return (uint32_t)probe_random(&site) << 16 | (uint32_t)(host & 0xffff);
}

static inline void rules_port(enum port kind, uint64_t random, void *value, void *mask, uint16_t *high) {
    static const uint16_t known[] = {22, 25, 53, 80, 110, 123, 143, 161, 179, 389, 443, 993, 3306, 5060, 8080, 8443};
    uint16_t bits[] = {
        [ANY] = 0, [KNOWN] = 16, [ONE] = 16, [HIGH] = (uint16_t)(1 + random % 6), [BLOCK] = 12, [SPAN] = 0};
    uint16_t port = kind == KNOWN ? known[random % 16] : (uint16_t)(random >> 4);
    uint32_t block = UINT32_C(0xffff0000) >> bits[kind] & 0xffff;
    if (kind == HIGH) /* 1024 … 65535 is six blocks, one for each number of leading zeros */
        port = (uint16_t)(UINT32_C(0x10000) >> bits[kind]);
    uint16_t low = (uint16_t)(port & block), length = kind == SPAN ? (uint16_t)(random & 0xfff) : (uint16_t)~block;
    if (kind == SPAN)
        low = port < UINT16_MAX - length ? port : UINT16_MAX - length;
    *high = rte_cpu_to_be_16((uint16_t)(low + length));
    uint16_t made[] = {rte_cpu_to_be_16(low), rte_cpu_to_be_16((uint16_t)block)};
    memcpy(value, &made[0], sizeof(made[0]));
    memcpy(mask, &made[1], sizeof(made[1]));
}

static inline struct rule rules_make(const struct rule_set *set, uint32_t rules, uint64_t *state) {
    uint64_t id = (uint64_t)(set - rule_sets), random = probe_random(state), more = probe_random(state);
    uint32_t scale = rules < 1000 ? 1000 : rules;
    struct rule rule = {.mask = {.src = rules_prefix(set->src_bits[random & 7]),
                                 .dst = rules_prefix(set->dst_bits[random >> 3 & 7]),
                                 .protocol = (random >> 6 & 15) < set->any_protocol ? 0 : 0xff}};
    rule.value.src = rules_address(2 * id, set->src_pool * scale / 1000, more & UINT32_MAX);
    rule.value.dst = rules_address(2 * id + 1, set->dst_pool * scale / 1000, more >> 32);
    rule.value.src = rte_cpu_to_be_32(rule.value.src) & rule.mask.src;
    rule.value.dst = rte_cpu_to_be_32(rule.value.dst) & rule.mask.dst;
    rule.value.protocol = (random >> 10 & 3 ? 6 : 17) & rule.mask.protocol;
    rules_port(set->sport[random >> 12 & 3], random >> 16 & 0xfffff, &rule.value.sport, &rule.mask.sport,
               &rule.sport_high);
    rules_port(set->dport[random >> 36 & 7], random >> 40 & 0xfffff, &rule.value.dport, &rule.mask.dport,
               &rule.dport_high);
    return rule;
}

static inline int rules_bits(const struct rule *rule) {
    int bits = 0;
    for (unsigned at = 0; at < FLOW_BYTES; at++)
        bits += __builtin_popcount(((const uint8_t *)&rule->mask)[at]);
    return bits;
}

static int rules_compare(const void *left, const void *right) {
    int difference = rules_bits(right) - rules_bits(left);
    return difference ? difference : memcmp(left, right, sizeof(struct rule));
}

/* Fill `made` with different rules, the one that wins over all others first, or fewer when the set has no more: how
 * many. */
static inline uint32_t rules_fill(const struct rule_set *set, struct rule *made, uint32_t rules) {
    uint64_t state = 1;
    uint32_t count = 0;
    for (uint32_t tries = 0; count < rules && tries < 16 * rules; tries++) {
        uint32_t same = 0;
        do
            made[count] = rules_make(set, rules, &state);
        while (rules_bits(&made[count]) < 16);
        while (memcmp(&made[same], &made[count], sizeof(made[0])))
            same++;
        count += same == count;
    }
    if (set->sorted)
        qsort(made, count, sizeof(made[0]), rules_compare);
    return count;
}

/* A port of a range. */
static inline uint16_t rules_port_between(uint16_t low, uint16_t high, uint64_t random) {
    uint32_t from = rte_be_to_cpu_16(low), to = rte_be_to_cpu_16(high);
    return rte_cpu_to_be_16((uint16_t)(from + random % (to - from + 1)));
}

/* A flow that a rule matches, or nine times of ten does; `mixed`: one with the addresses and ports of different rules.
 */
static inline struct flow rules_flow(const struct rule *made, uint32_t count, uint64_t *state, bool mixed) {
    struct flow flow;
    uint8_t random[16], *byte = (uint8_t *)&flow;
    uint64_t low = probe_random(state), high = probe_random(state), which = probe_random(state);
    memcpy(random, &low, 8);
    memcpy(random + 8, &high, 8);
    bool any = high >> 56 < 26 && !mixed;
    for (unsigned at = 0; at < FLOW_BYTES; at++) {
        unsigned field = mixed ? (at + 3) / 4 : 0; /* protocol, addresses, ports */
        const struct rule *rule = &made[(which >> 16 * field & 0xffff) * count >> 16];
        uint8_t mask = any ? 0 : ((const uint8_t *)&rule->mask)[at];
        byte[at] = ((const uint8_t *)&rule->value)[at] | (random[at] & (uint8_t)~mask);
        if (!any && at == offsetof(struct flow, dport)) {
            flow.sport = rules_port_between(rule->value.sport, rule->sport_high, low);
            flow.dport = rules_port_between(rule->value.dport, rule->dport_high, high);
            break;
        }
    }
    return flow;
}

#endif
