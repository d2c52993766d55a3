/* Ternary match with priorities on the five fields of a flow: ternary_cells against rte_acl.
 *
 * Usage: acl RULES measures, acl --contests names what there is to measure, one a line. The sets of rules are those of
 * acl_sets.h. A contest is a set and a traffic, its number in the list is that of the line that asks for it.
 */
#include <rte_acl.h>

#define PEER_KEYS (1 << 16) /* of each contest */
#include "acl_sets.h"
#include "peer.h"
#include "tables/ternary/ternary_cells.h"

enum { PROTOCOL, SRC, DST, SPORT, DPORT, FIELDS };
enum { CONTESTS = 2 * RULE_SETS };

RTE_ACL_RULE_DEF(acl_rule, FIELDS);

struct contest {
    void *ours;
    struct rte_acl_ctx *peer;
    struct flow *keys;
};

static struct contest contests[CONTESTS];
static const uint8_t *pointers[KEYS]; /* to the keys of the contest in hand */
static void *ours;
static struct rte_acl_ctx *peer;

static const void *peer_key(uint32_t number) {
    return pointers[0] + number * sizeof(struct flow);
}

static void ours_lookup(uint32_t first, uint64_t answers[BATCH]) {
    static const struct peer_value none;
    struct macs_ternary_cells_bulk bulk;
    MACS_BULK_LOOP
    for (unsigned i = 0; i < BATCH; i++)
        memcpy(bulk.keys[i], pointers[first + i], FLOW_BYTES);
    macs_ternary_cells_bulk_start(ours, &bulk, BATCH, FLOW_BYTES, &none.head);
    for (unsigned i = 0; i < BATCH; i++)
        answers[i] = ((const struct peer_value *)(const void *)bulk.entries[i])->number;
}

static void peer_lookup_bulk(uint32_t first, uint64_t answers[BATCH]) {
    uint32_t results[BATCH];
    rte_acl_classify(peer, &pointers[first], results, BATCH, 1);
    for (unsigned i = 0; i < BATCH; i++)
        answers[i] = results[i];
}

/* -- the two tables ---------------------------------------------------------------------------------------------------
 */

static uint8_t bits_of(uint32_t mask) {
    return (uint8_t)__builtin_popcount(mask);
}

static int add_peer(struct rte_acl_ctx *to, const struct rule *rule, uint32_t n) {
    struct acl_rule made = {
        .data = {.userdata = n + 1, .category_mask = 1, .priority = RTE_ACL_MAX_PRIORITY - (int32_t)n}};
    made.field[PROTOCOL].value.u8 = rule->value.protocol;
    made.field[PROTOCOL].mask_range.u8 = rule->mask.protocol;
    made.field[SRC].value.u32 = rte_be_to_cpu_32(rule->value.src);
    made.field[SRC].mask_range.u32 = bits_of(rule->mask.src);
    made.field[DST].value.u32 = rte_be_to_cpu_32(rule->value.dst);
    made.field[DST].mask_range.u32 = bits_of(rule->mask.dst);
    made.field[SPORT].value.u16 = rte_be_to_cpu_16(rule->value.sport);
    made.field[SPORT].mask_range.u16 = rte_be_to_cpu_16(rule->sport_high);
    made.field[DPORT].value.u16 = rte_be_to_cpu_16(rule->value.dport);
    made.field[DPORT].mask_range.u16 = rte_be_to_cpu_16(rule->dport_high);
    return rte_acl_add_rules(to, (const struct rte_acl_rule *)(const void *)&made, 1);
}

static int add_ours(void *to, const struct rule *rule, uint32_t n) {
    struct peer_value value = {.number = n + 1};
    struct flow high = rule->value;
    high.sport = rule->sport_high;
    high.dport = rule->dport_high;
    struct macs_match match = {.value = (const uint8_t *)&rule->value,
                               .mask = (const uint8_t *)&rule->mask,
                               .high = (const uint8_t *)&high,
                               .prefix_bits = FLOW_BYTES * 8,
                               .priority = -(int32_t)n};
    return macs_ternary_cells_ops.add(to, &match, &value, NULL);
}

#define FIELD(NUMBER, TYPE, SIZE, INPUT, MEMBER)                                                                       \
    {                                                                                                                  \
        .type = RTE_ACL_FIELD_TYPE_##TYPE, .size = SIZE, .field_index = NUMBER, .input_index = INPUT,                  \
        .offset = offsetof(struct flow, MEMBER)                                                                        \
    }

#define OUR_FIELD(MEMBER, KIND)                                                                                        \
    { #MEMBER, 8 * sizeof(((struct flow *)NULL)->MEMBER), offsetof(struct flow, MEMBER), KIND, 0 }

static struct contest make(const struct rule_set *set, const struct rule *rules, uint32_t count) {
    static const struct macs_key_field fields[FIELDS] = {OUR_FIELD(protocol, MACS_TERNARY),
                                                         OUR_FIELD(src, MACS_TERNARY), OUR_FIELD(dst, MACS_TERNARY),
                                                         OUR_FIELD(sport, MACS_RANGE), OUR_FIELD(dport, MACS_RANGE)};
    static const struct rte_acl_config config = {
        .num_categories = 1,
        .num_fields = FIELDS,
        .defs = {FIELD(PROTOCOL, BITMASK, 1, 0, protocol), FIELD(SRC, MASK, 4, 1, src), FIELD(DST, MASK, 4, 2, dst),
                 FIELD(SPORT, RANGE, 2, 3, sport), FIELD(DPORT, RANGE, 2, 3, dport)}};
    const struct macs_table_shape shape = {.key_bytes = FLOW_BYTES,
                                           .prefix_offset = FLOW_BYTES,
                                           .value_bytes = sizeof(struct peer_value),
                                           .size = count,
                                           .fields = set->spans ? fields : NULL,
                                           .field_count = set->spans ? FIELDS : 0};
    const struct rte_acl_param param = {
        .name = set->name, .socket_id = SOCKET_ID_ANY, .rule_size = RTE_ACL_RULE_SZ(FIELDS), .max_rule_num = count};
    struct contest made = {.ours = peer_table(&macs_ternary_cells_ops, &shape), .peer = rte_acl_create(&param)};
    if (!made.peer)
        peer_fail("rte_acl has no memory: more huge pages?");
    for (uint32_t n = 0; n < count; n++)
        if (add_ours(made.ours, &rules[n], n) || add_peer(made.peer, &rules[n], n))
            peer_fail("a rule is refused");
    if (rte_acl_build(made.peer, &config))
        peer_fail("rte_acl cannot build its tries: more huge pages?");
    return made;
}

static struct flow *make_keys(const struct rule *rules, uint32_t count, bool mixed) {
    uint64_t state = 4711;
    struct flow *keys = malloc(KEYS * sizeof(struct flow));
    if (!keys)
        peer_fail("no memory for keys");
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = rules_flow(rules, count, &state, mixed);
    return keys;
}

/* -- contests ---------------------------------------------------------------------------------------------------------
 */

static void choose(uint64_t number) {
    static const struct contest *chosen;
    const struct contest *contest = &contests[number % CONTESTS];
    if (contest == chosen)
        return;
    chosen = contest;
    ours = contest->ours;
    peer = contest->peer;
    for (uint32_t i = 0; i < KEYS; i++)
        pointers[i] = (const uint8_t *)&contest->keys[i];
}

static uint64_t run_ours(uint64_t number) {
    choose(number);
    return ours_run(number);
}

static uint64_t run_peer(uint64_t number) {
    choose(number);
    return peer_run(number);
}

static void prepare(uint32_t rules) {
    struct rule *made = calloc(rules, sizeof(*made));
    if (!made)
        peer_fail("no memory for rules");
    for (uint32_t set = 0; set < RULE_SETS; set++) {
        uint32_t count = rules_fill(&rule_sets[set], made, rules);
        contests[2 * set] = contests[2 * set + 1] = make(&rule_sets[set], made, count);
        for (uint32_t mixed = 0; mixed < 2; mixed++) {
            contests[2 * set + mixed].keys = make_keys(made, count, mixed);
            choose(2 * set + mixed);
            peer_compare();
        }
    }
    free(made);
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"ours", run_ours}, {"peer", run_peer}};
    if (argc > 1 && strcmp(argv[1], "--contests") == 0) {
        for (uint32_t set = 0; set < RULE_SETS; set++)
            printf("%s\n%s, mixed\n", rule_sets[set].name, rule_sets[set].name);
        return 0;
    }
    peer_start(argv[0]);
    prepare(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000);
    return probe_serve(probes, 2);
}
