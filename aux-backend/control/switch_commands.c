/* Commands for the switch itself. */
#include <inttypes.h>
#include <string.h>

#include "control/console.h"
#include "control/describe.h"
#include "control/value.h"
#include "runtime/adapt.h"
#include "runtime/fall_back.h"
#include "runtime/parts.h"
#include "runtime/ports.h"

static int set_burst(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    uint64_t burst, sub_batch = 0;
    bool fine = macs_value_uint64(words[0], &burst) && burst >= 1 && burst <= MACS_BURST_MAX;
    if (fine && count > 1)
        fine = macs_value_uint64(words[1], &sub_batch) && sub_batch >= 1 && sub_batch <= burst;
    if (!fine)
        return macs_text_fail(answer, "the burst is 1 to %u, the sub-batch 1 to the burst", MACS_BURST_MAX);
    macs_adapt_overrule(console->sw, (uint32_t)burst, (uint32_t)sub_batch);
    uint32_t now_burst, now_sub_batch;
    macs_switch_get_batch(console->sw, &now_burst, &now_sub_batch);
    macs_text_add(answer, "burst %" PRIu32 ", sub-batch %" PRIu32 "\n", now_burst, now_sub_batch);
    return 0;
}

static int set_adapt(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    const bool on = !strcmp(words[0], "on");
    if (!on && strcmp(words[0], "off"))
        return macs_text_fail(answer, "'%.80s' is neither on nor off", words[0]);
    macs_adapt_set(console->sw, on);
    return 0;
}

static int set_placement(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_switch *sw = console->sw;
    const bool cloned = !strcmp(words[0], "cloned"), chosen = !strcmp(words[0], "auto");
    if (!cloned && !chosen && strcmp(words[0], "cut"))
        return macs_text_fail(answer, "'%.80s' is none of cut, cloned and auto", words[0]);
    if (sw->options.parts.count < 2)
        return macs_text_fail(answer, "the program is in one piece; build it with --cut");
    if (chosen)
        macs_fall_back_set(sw, true);
    else if (macs_fall_back_overrule(sw, cloned))
        return macs_text_fail(answer, "a worker hangs: try again");
    return 0;
}

static int stats(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    macs_describe_stats(console->sw, answer);
    return 0;
}

static int stages(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    macs_describe_stages(console->sw, answer);
    return 0;
}

static int describe(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    macs_describe_program(console->sw, console->program, answer);
    return 0;
}

static int show_ports(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    macs_text_add(answer, "%5s  %-24s  %s\n", "port", "name", "link");
    for (unsigned slot = 0; slot < console->sw->port_count; slot++) {
        const struct macs_port *port = &console->sw->ports[slot];
        if (macs_port_is_there(port))
            macs_text_add(answer, "%5u  %-24s  %s\n", port->number, port->name, macs_port_is_up(port) ? "up" : "down");
    }
    return 0;
}

static int port_status(enum macs_ports_status status, const char *word, struct macs_text *answer) {
    switch (status) {
    case MACS_PORTS_DONE:
        return 0;
    case MACS_PORTS_THERE:
        return macs_text_fail(answer, "there is a port %.80s", word);
    case MACS_PORTS_NONE:
        return macs_text_fail(answer, "there is no port %.80s", word);
    case MACS_PORTS_FULL:
        return macs_text_fail(answer, "there are %u ports, and cannot be more", MACS_PORTS_MAX);
    case MACS_PORTS_NOT_OPENED:
        return macs_text_fail(answer, "the port cannot be opened (the log says why)");
    case MACS_PORTS_BUSY:
        break;
    }
    return macs_text_fail(answer, "a worker hangs: try again");
}

static int take_port(const char *word, uint16_t *number, struct macs_text *answer) {
    uint64_t value;
    if (!macs_value_uint64(word, &value) || value > UINT16_MAX)
        return macs_text_fail(answer, "'%.80s' is not the number of a port", word);
    *number = (uint16_t)value;
    return 0;
}

static int port_add(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    uint16_t number = 0;
    (void)count;
    return take_port(words[1], &number, answer)
               ? -1
               : port_status(macs_ports_add(console->sw, number, words[0]), words[1], answer);
}

static int port_remove(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    uint16_t number = 0;
    (void)count;
    return take_port(words[0], &number, answer) ? -1
                                                : port_status(macs_ports_remove(console->sw, number), words[0], answer);
}

static int port_down(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    uint16_t number = 0;
    (void)count;
    return take_port(words[0], &number, answer) ? -1
                                                : port_status(macs_ports_down(console->sw, number), words[0], answer);
}

static int port_up(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    uint16_t number = 0;
    (void)count;
    return take_port(words[0], &number, answer) ? -1
                                                : port_status(macs_ports_up(console->sw, number), words[0], answer);
}

static int set_direction(struct macs_console *console, const char *word, enum macs_nic_direction direction,
                         struct macs_text *answer) {
    uint16_t number = 0;
    if (take_port(word, &number, answer))
        return -1;
    atomic_store_explicit(&console->sw->directions[number], (uint8_t)direction, memory_order_relaxed);
    return 0;
}

static int port_host(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return set_direction(console, words[0], MACS_HOST_TO_NET, answer);
}

static int port_net(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return set_direction(console, words[0], MACS_NET_TO_HOST, answer);
}

static int show_memory(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    macs_describe_memory(console->sw, answer);
    return 0;
}

static int get_time_elapsed(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    macs_text_add(answer, "%" PRIu64 "\n", macs_switch_now(console->sw) / 1000);
    return 0;
}

static int shutdown_switch(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words, (void)answer;
    (console->running ? console->running : console)->quit = true;
    return 0;
}

const struct macs_command macs_switch_commands[] = {
    {"set_burst", set_burst, 1, 2, "BURST [SUB_BATCH]", "packets taken at once, and lookups in flight at once"},
    {"set_adapt", set_adapt, 1, 1, "on|off", "whether the switch changes both by itself"},
    {"set_placement", set_placement, 1, 1, "cut|cloned|auto",
     "workers for each part of a program that is cut, all parts on each worker, or what forwards more"},
    {"stats", stats, 0, 0, "", "statistics as JSON"},
    {"stages", stages, 0, 0, "", "stage clocks of each worker as JSON"},
    {"describe", describe, 0, 0, "", "the program's tables, actions and externs as JSON"},
    {"show_ports", show_ports, 0, 0, "", "all ports"},
    {"port_add", port_add, 2, 2, "NAME PORT", "open a port"},
    {"port_remove", port_remove, 1, 1, "PORT", "take a port away"},
    {"port_down", port_down, 1, 1, "PORT", "a port neither receives nor sends"},
    {"port_up", port_up, 1, 1, "PORT", "it receives and sends again"},
    {"port_host", port_host, 1, 1, "PORT", "what a port receives comes from the host (PNA)"},
    {"port_net", port_net, 1, 1, "PORT", "what a port receives comes from the network, as is usual"},
    {"show_memory", show_memory, 0, 0, "", "the memory of all tables, and whether it is on huge pages"},
    {"get_time_elapsed", get_time_elapsed, 0, 0, "", "microseconds since the switch started"},
    {"shutdown", shutdown_switch, 0, 0, "", "end the switch"},
    {0},
};
