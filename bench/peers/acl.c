/* Ternary match with priorities on the five fields of a flow: ternary_tuple against rte_acl.
 *
 * Usage: acl RULES. Rules as access lists have them: prefixes of both addresses, a protocol or any, a destination port
 * or any; all priorities differ. Nine of ten keys match a rule.
 */
#include <rte_acl.h>
#include <rte_byteorder.h>

#include "peer.h"
#include "tables/ternary_tuple.h"

enum { BYTES = 13 };
enum { PROTOCOL, SRC, DST, SPORT, DPORT, FIELDS };

RTE_ACL_RULE_DEF(acl_rule, FIELDS);

/* What both sides look up, network byte order, the protocol first as rte_acl wants it. */
struct __attribute__((packed)) flow {
    uint8_t protocol;
    uint32_t src, dst;
    uint16_t sport, dport;
};

struct rule {
    struct flow value, mask;
};

static struct flow keys[KEYS];
static const uint8_t *pointers[KEYS];
static void *ours;
static struct rte_acl_ctx *peer;

#define KEY_OF(NUMBER) pointers[NUMBER]
#if MACS_TERNARY_TUPLE_STEPS
#define STEP macs_ternary_tuple_step
#else
#define STEP(SELF, KEY, SIZE, CURSOR) ((void)(CURSOR))
#endif

PEER_OURS(ternary_tuple, MACS_TERNARY_TUPLE_STEPS, STEP, KEY_OF, BYTES)

static void peer_lookup_bulk(uint32_t first, uint64_t answers[BATCH]) {
    uint32_t results[BATCH];
    rte_acl_classify(peer, &pointers[first], results, BATCH, 1);
    for (unsigned i = 0; i < BATCH; i++)
        answers[i] = results[i];
}

static uint32_t prefix_mask(uint32_t bits) {
    return rte_cpu_to_be_32(bits ? UINT32_MAX << (32 - bits) : 0);
}

static struct rule rule_number(uint32_t n) {
    static const uint8_t src_bits[] = {0, 0, 8, 16, 24, 24, 32, 32}, dst_bits[] = {0, 16, 16, 24, 24, 28, 32, 32};
    uint64_t state = n, random = probe_random(&state), more = probe_random(&state);
    struct rule rule = {.mask = {.src = prefix_mask(src_bits[random & 7]),
                                 .dst = prefix_mask(dst_bits[random >> 3 & 7]),
                                 .protocol = random >> 6 & 3 ? 0xff : 0,
                                 .dport = random >> 8 & 1 ? 0xffff : 0}};
    rule.value.src = (uint32_t)more & rule.mask.src;
    rule.value.dst = (uint32_t)(more >> 32) & rule.mask.dst;
    rule.value.protocol = (random >> 9 & 1 ? 6 : 17) & rule.mask.protocol;
    rule.value.dport = rte_cpu_to_be_16((uint16_t)(random >> 16 & 1023)) & rule.mask.dport;
    return rule;
}

static uint32_t bits_of(uint32_t mask) {
    return (uint32_t)__builtin_popcount(mask);
}

static int add_peer(const struct rule *rule, uint32_t n) {
    struct acl_rule made = {.data = {.userdata = n + 1, .category_mask = 1, .priority = (int32_t)n + 1}};
    made.field[PROTOCOL].value.u8 = rule->value.protocol;
    made.field[PROTOCOL].mask_range.u8 = rule->mask.protocol;
    made.field[SRC].value.u32 = rte_be_to_cpu_32(rule->value.src);
    made.field[SRC].mask_range.u32 = bits_of(rule->mask.src);
    made.field[DST].value.u32 = rte_be_to_cpu_32(rule->value.dst);
    made.field[DST].mask_range.u32 = bits_of(rule->mask.dst);
    made.field[SPORT].mask_range.u16 = UINT16_MAX;
    made.field[DPORT].value.u16 = rte_be_to_cpu_16(rule->value.dport);
    made.field[DPORT].mask_range.u16 = rule->mask.dport ? rte_be_to_cpu_16(rule->value.dport) : UINT16_MAX;
    return rte_acl_add_rules(peer, (const struct rte_acl_rule *)(const void *)&made, 1);
}

#define FIELD(NUMBER, TYPE, SIZE, INPUT, MEMBER)                                                                       \
    {                                                                                                                  \
        .type = RTE_ACL_FIELD_TYPE_##TYPE, .size = SIZE, .field_index = NUMBER, .input_index = INPUT,                  \
        .offset = offsetof(struct flow, MEMBER)                                                                        \
    }

static void make(uint32_t rules) {
    const struct macs_table_shape shape = {
        .key_bytes = BYTES, .prefix_offset = BYTES, .value_bytes = sizeof(struct peer_value), .size = rules};
    const struct rte_acl_param param = {
        .name = "peer", .socket_id = SOCKET_ID_ANY, .rule_size = RTE_ACL_RULE_SZ(FIELDS), .max_rule_num = rules};
    ours = peer_table(&macs_ternary_tuple_kernel, &shape);
    peer = rte_acl_create(&param);
    if (!peer)
        peer_fail("rte_acl has no memory: more huge pages?");
}

static void fill(uint32_t rules) {
    for (uint32_t n = 0; n < rules; n++) {
        struct rule rule = rule_number(n);
        struct peer_value value = {.number = n + 1};
        struct macs_match match = {.value = (const uint8_t *)&rule.value,
                                   .mask = (const uint8_t *)&rule.mask,
                                   .high = (const uint8_t *)&rule.value,
                                   .prefix_bits = BYTES * 8,
                                   .priority = (int32_t)n + 1};
        if (macs_ternary_tuple_kernel.add(ours, &match, &value, NULL) || add_peer(&rule, n))
            peer_fail("a rule is refused");
    }
    struct rte_acl_config config = {.num_categories = 1,
                                    .num_fields = FIELDS,
                                    .defs = {FIELD(PROTOCOL, BITMASK, 1, 0, protocol), FIELD(SRC, MASK, 4, 1, src),
                                             FIELD(DST, MASK, 4, 2, dst), FIELD(SPORT, RANGE, 2, 3, sport),
                                             FIELD(DPORT, RANGE, 2, 3, dport)}};
    if (rte_acl_build(peer, &config))
        peer_fail("rte_acl cannot build its tries");
}

static void make_keys(uint32_t rules) {
    uint64_t state = 4711;
    for (uint32_t i = 0; i < KEYS; i++) {
        uint8_t random[sizeof(struct flow)], *key = (uint8_t *)&keys[i];
        struct rule rule = rule_number((uint32_t)(probe_random(&state) % rules));
        uint64_t low = probe_random(&state), high = probe_random(&state);
        memcpy(random, &low, 8);
        memcpy(random + 8, &high, sizeof(random) - 8);
        const uint8_t *value = (const uint8_t *)&rule.value, *mask = (const uint8_t *)&rule.mask;
        for (unsigned at = 0; at < sizeof(random); at++)
            key[at] = i % 10 ? value[at] | (random[at] & (uint8_t)~mask[at]) : random[at];
        pointers[i] = key;
    }
}

int main(int argc, char **argv) {
    uint32_t rules = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
    peer_start(argv[0]);
    make(rules);
    fill(rules);
    make_keys(rules);
    return peer_serve();
}
