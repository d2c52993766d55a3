/* Commands for multicast groups. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "control/console.h"
#include "control/value.h"

static int status_text(int status, struct macs_text *answer) {
    switch (-status) {
    case 0:
        return 0;
    case ENOENT:
        return macs_text_fail(answer, "no such multicast group");
    case ESRCH:
        return macs_text_fail(answer, "no such node");
    case EEXIST:
        return macs_text_fail(answer, "this multicast group exists already");
    default:
        return macs_text_fail(answer, "%s", strerror(-status));
    }
}

static int parse_number(const char *what, const char *word, uint32_t low, uint32_t high, uint32_t *number,
                        struct macs_text *answer) {
    uint64_t value;
    *number = 0;
    if (!macs_value_uint64(word, &value) || value < low || value > high)
        return macs_text_fail(answer, "'%.80s' is not a %s (%" PRIu32 " to %" PRIu32 ")", word, what, low, high);
    *number = (uint32_t)value;
    return 0;
}

static int parse_group(const char *word, uint32_t *group, struct macs_text *answer) {
    return parse_number("multicast group", word, 1, MACS_GROUPS - 1, group, answer);
}

static int mgrp_create(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint32_t group;
    if (parse_group(words[0], &group, answer))
        return -1;
    return status_text(macs_multicast_group_create(console->sw->multicast, (uint16_t)group), answer);
}

static int mgrp_destroy(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint32_t group;
    if (parse_group(words[0], &group, answer))
        return -1;
    return status_text(macs_multicast_group_destroy(console->sw->multicast, (uint16_t)group), answer);
}

static int parse_lag(const char *word, uint32_t *lag, struct macs_text *answer) {
    return parse_number("link aggregation group", word, 0, MACS_LAGS - 1, lag, answer);
}

static int parse_port(const struct macs_console *console, const char *word, uint32_t *port, struct macs_text *answer) {
    uint64_t value;
    if (!macs_value_uint64(word, &value) || !macs_switch_takes_port(console->sw, value))
        return macs_text_fail(answer, "'%.80s' is not a port (0 to %u)", word, UINT16_MAX);
    *port = (uint32_t)value;
    return 0;
}

/* `count` numbers, each once; `lags`: of link aggregation groups. */
static int parse_ports(const struct macs_console *console, char **words, unsigned count, bool lags, uint32_t *numbers,
                       struct macs_text *answer) {
    for (unsigned i = 0; i < count; i++) {
        if (lags ? parse_lag(words[i], &numbers[i], answer) : parse_port(console, words[i], &numbers[i], answer))
            return -1;
        for (unsigned j = 0; j < i; j++)
            if (numbers[j] == numbers[i])
                return macs_text_fail(answer, "%s %" PRIu32 " is there twice; a node has each once",
                                      lags ? "link aggregation group" : "port", numbers[i]);
    }
    return 0;
}

/* [PORT…] [| LAG…], into `room` for as many numbers as there are words. */
static int parse_targets(const struct macs_console *console, char **words, unsigned count, uint32_t *room,
                         struct macs_targets *targets, struct macs_text *answer) {
    unsigned bar = 0;
    while (bar < count && strcmp(words[bar], "|") != 0)
        bar++;
    const unsigned behind = bar < count ? bar + 1 : count;
    *targets = (struct macs_targets){room, room + bar, bar, count - behind};
    return parse_ports(console, words, bar, false, room, answer) ||
                   parse_ports(console, words + behind, count - behind, true, room + bar, answer)
               ? -1
               : 0;
}

static int node_create(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    uint32_t room[MACS_WORDS_MAX];
    struct macs_targets targets;
    uint32_t rid, handle;
    if (parse_number("rid", words[0], 0, UINT16_MAX, &rid, answer) ||
        parse_targets(console, words + 1, count - 1, room, &targets, answer))
        return -1;
    int status = macs_multicast_node_create(console->sw->multicast, (uint16_t)rid, &targets, &handle);
    if (!status)
        macs_text_add(answer, "node was created with handle %" PRIu32 "\n", handle);
    return status_text(status, answer);
}

static int parse_node(const char *word, uint32_t *handle, struct macs_text *answer) {
    return parse_number("node handle", word, 0, UINT32_MAX, handle, answer);
}

static int node_update(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    uint32_t room[MACS_WORDS_MAX];
    struct macs_targets targets;
    uint32_t handle;
    if (parse_node(words[0], &handle, answer) || parse_targets(console, words + 1, count - 1, room, &targets, answer))
        return -1;
    return status_text(macs_multicast_node_update(console->sw->multicast, handle, &targets), answer);
}

static int node_destroy(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint32_t handle;
    if (parse_node(words[0], &handle, answer))
        return -1;
    return status_text(macs_multicast_node_destroy(console->sw->multicast, handle), answer);
}

static int node_associate(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint32_t group, handle;
    if (parse_group(words[0], &group, answer) || parse_node(words[1], &handle, answer))
        return -1;
    int status = macs_multicast_associate(console->sw->multicast, (uint16_t)group, handle);
    if (status == -EBUSY)
        return macs_text_fail(answer, "the node is in a group already; mc_node_dissociate it first");
    return status_text(status, answer);
}

static int node_dissociate(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    uint32_t group, handle;
    if (parse_group(words[0], &group, answer) || parse_node(words[1], &handle, answer))
        return -1;
    int status = macs_multicast_dissociate(console->sw->multicast, (uint16_t)group, handle);
    if (status == -EINVAL)
        return macs_text_fail(answer, "the node is not in this group");
    return status_text(status, answer);
}

static void print_numbers(const uint32_t *numbers, uint32_t count, struct macs_text *answer) {
    for (uint32_t i = 0; i < count; i++)
        macs_text_add(answer, "%s%" PRIu32, i ? ", " : "", numbers[i]);
}

static void print_group(const struct macs_multicast *multicast, uint32_t group, struct macs_text *answer) {
    macs_text_add(answer, "**********\nmgrp(%" PRIu32 ")\n", group);
    for (uint32_t i = multicast->group_nodes[group].first; i != MACS_NO_NODE; i = multicast->nodes[i].next) {
        const struct macs_multicast_node *node = &multicast->nodes[i];
        macs_text_add(answer, "  -> (L1h=%" PRIu32 ", rid=%u) -> (ports=[", i, node->rid);
        print_numbers(node->ports, node->port_count, answer);
        macs_text_add(answer, "], lags=[");
        print_numbers(node->lags, node->lag_count, answer);
        macs_text_add(answer, "])\n");
    }
}

static int mc_dump(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    macs_text_add(answer, "==========\nMC ENTRIES\n");
    for (uint32_t group = 0; group < MACS_GROUPS; group++)
        if (macs_multicast_find(console->sw->multicast, (uint16_t)group))
            print_group(console->sw->multicast, group, answer);
    macs_text_add(answer, "==========\nLAGS\n");
    for (uint32_t number = 0; number < MACS_LAGS; number++) {
        const struct macs_lag *lag = &console->sw->multicast->lags[number];
        if (!lag->known)
            continue;
        macs_text_add(answer, "lag(%" PRIu32 ") -> ports=[", number);
        print_numbers(lag->ports, lag->count, answer);
        macs_text_add(answer, "]\n");
    }
    macs_text_add(answer, "==========\n");
    return 0;
}

static int set_lag_membership(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    uint32_t ports[MACS_WORDS_MAX];
    uint32_t lag;
    if (parse_lag(words[0], &lag, answer) || parse_ports(console, words + 1, count - 1, false, ports, answer))
        return -1;
    return status_text(macs_multicast_lag_set(console->sw->multicast, lag, ports, count - 1), answer);
}

static int mc_clear(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    return status_text(macs_multicast_clear(console->sw->multicast), answer);
}

const struct macs_command macs_multicast_commands[] = {
    {"mc_mgrp_create", mgrp_create, 1, 1, "GROUP", "create a multicast group"},
    {"mc_mgrp_destroy", mgrp_destroy, 1, 1, "GROUP", "destroy a multicast group"},
    {"mc_node_create", node_create, 1, MACS_WORDS_MAX, "RID [PORT...] [| LAG...]",
     "create a node: copies with this rid, one a port and a link aggregation group"},
    {"mc_node_update", node_update, 1, MACS_WORDS_MAX, "NODE [PORT...] [| LAG...]", "change where a node's copies go"},
    {"mc_node_destroy", node_destroy, 1, 1, "NODE", "destroy a node"},
    {"mc_node_associate", node_associate, 2, 2, "GROUP NODE", "put a node into a group"},
    {"mc_node_dissociate", node_dissociate, 2, 2, "GROUP NODE", "take a node out of a group"},
    {"mc_set_lag_membership", set_lag_membership, 1, MACS_WORDS_MAX, "LAG [PORT...]",
     "set the ports of a link aggregation group"},
    {"mc_clear", mc_clear, 0, 0, "", "forget all groups, nodes and link aggregation groups"},
    {"mc_dump", mc_dump, 0, 0, "", "show all groups"},
    {0},
};
