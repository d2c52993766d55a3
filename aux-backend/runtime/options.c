#include "runtime/options.h"
#include "runtime/part_workers.h"
#include "runtime/shown.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <macs/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
    OPT_HELP = 'h',
    OPT_PORT = 'p',
    OPT_VERBOSE = 'v',
    OPT_ENTRIES = 256,
    OPT_SOCKET,
    OPT_WORKERS,
    OPT_CPU,
    OPT_BATCH,
    OPT_BURST,
    OPT_SUB_BATCH,
    OPT_STATS,
    OPT_COUNT,
    OPT_UNTIL_IDLE,
    OPT_UNTIL_END,
    OPT_PARENT,
    OPT_LOG,
    OPT_BUFFERS,
    OPT_BACK_WORKERS,
    OPT_PART_WORKERS,
    OPT_FALL_BACK,
    OPT_NO_FALL_BACK,
    OPT_MAX_FRAME,
    OPT_SEED,
    OPT_BUSY,
    OPT_REPLACEABLE,
    OPT_PRIORITY_QUEUES,
    OPT_PCAP,
    OPT_HOST,
    OPT_ADAPT,
    OPT_NO_ADAPT,
};

static const struct option long_options[] = {
    {"port", required_argument, NULL, OPT_PORT},
    {"entries", required_argument, NULL, OPT_ENTRIES},
    {"socket", required_argument, NULL, OPT_SOCKET},
    {"workers", required_argument, NULL, OPT_WORKERS},
    {"back-workers", required_argument, NULL, OPT_BACK_WORKERS},
    {"part-workers", required_argument, NULL, OPT_PART_WORKERS},
    {"fall-back", no_argument, NULL, OPT_FALL_BACK},
    {"no-fall-back", no_argument, NULL, OPT_NO_FALL_BACK},
    {"cpus", required_argument, NULL, OPT_CPU},
    {"batch", required_argument, NULL, OPT_BATCH},
    {"burst", required_argument, NULL, OPT_BURST},
    {"sub-batch", required_argument, NULL, OPT_SUB_BATCH},
    {"adapt", no_argument, NULL, OPT_ADAPT},
    {"no-adapt", no_argument, NULL, OPT_NO_ADAPT},
    {"stats", required_argument, NULL, OPT_STATS},
    {"count", required_argument, NULL, OPT_COUNT},
    {"until-idle", optional_argument, NULL, OPT_UNTIL_IDLE},
    {"until-end", no_argument, NULL, OPT_UNTIL_END},
    {"parent", required_argument, NULL, OPT_PARENT},
    {"log", required_argument, NULL, OPT_LOG},
    {"buffers", required_argument, NULL, OPT_BUFFERS},
    {"max-frame", required_argument, NULL, OPT_MAX_FRAME},
    {"seed", required_argument, NULL, OPT_SEED},
    {"busy", no_argument, NULL, OPT_BUSY},
    {"replaceable", no_argument, NULL, OPT_REPLACEABLE},
    {"host", required_argument, NULL, OPT_HOST},
    {"pcap", required_argument, NULL, OPT_PCAP},
    {"priority-queues", required_argument, NULL, OPT_PRIORITY_QUEUES},
    {"verbose", no_argument, NULL, OPT_VERBOSE},
    {"help", no_argument, NULL, OPT_HELP},
    {0},
};

static const char help[] =
    "Usage: %s --port N=NAME [--port N=NAME]... [OPTION]...\n"
    "Run the switch %s.\n"
    "\n"
    "  -p, --port N=NAME     port N of the program is the interface NAME; ctl: is a port fed over the socket\n"
    "      --host LIST       ports whose packets come from the host, as 1,2 or 2-5, to programs of PNA [none]\n"
    "      --entries FILE    commands to run before the first packet (table_add ...)\n"
    "      --socket PATH     listen for commands on this Unix socket\n"
    "      --workers N       threads that process packets [%u]\n"
    "      --part-workers LIST  those of each part of a program built with --cut, as 2,1,1 [as many of each]\n"
    "      --back-workers N  those of the second of two parts\n"
    "      --no-fall-back    leave parts on workers of their own, also where all parts on each worker are faster\n"
    "      --fall-back       take them back then, which is usual\n"
    "      --cpus LIST       CPUs of the workers, as 1,2 or 2-5; the last such list counts%s%s\n"
    "      --burst B         packets taken at once, 1 to %u [%u]\n"
    "      --sub-batch B     lookups in flight at once, 1 to the burst [%u]\n"
    "      --batch N         both of these; 1 is one packet at a time\n"
    "      --adapt           change both while packets flow, to what takes the least time; usual, unless one is given\n"
    "      --no-adapt        leave them as they are\n"
    "      --stats SECONDS   print statistics so often\n"
    "      --count N         stop soon after N frames have been received\n"
    "      --until-end       stop when no port can receive any more, also where --socket is given\n"
    "      --until-idle[=MS] the same, or when nothing has been received for MS milliseconds [200]\n"
    "      --parent PID      stop when the process PID, which started this one, has ended\n"
    "      --log FILE        where log messages go [standard error]\n"
    "      --buffers N       packets that the switch holds at most [8192 a port, 65536]\n"
    "      --max-frame BYTES longest frame [9216]\n"
    "      --seed N          start of the random numbers, for runs that repeat\n"
    "      --priority-queues N  queues of each port, by the packet's priority [1]\n"
    "      --pcap DIR        write what each port receives and sends to DIR/NAME_in.pcap and DIR/NAME_out.pcap\n"
    "      --busy            workers never sleep\n"
    "      --replaceable     another program may take the place of this one (load_program)\n"
    "  -v, --verbose         tell what memory the tables have, and whether it is on huge pages\n"
    "  -h, --help            print this\n"
    "\n"
    "Without --socket the switch stops by itself when no port can receive any more: all are files that have been "
    "read,\n"
    "or null:. An interface, ctl: and a file that is played for ever can always receive more.\n"
    "SIGINT and SIGTERM stop it any time; it sends what it has received, then prints its statistics.\n"
    "Exit status: 0, 1 when something failed, 2 for wrong usage.\n";

/* Reads a number in [low, high]. False: an error was printed. */
static bool number(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (text[0] >= '0' && text[0] <= '9' && !*end && !errno && *value >= low && *value <= high)
        return true;
    macs_tell(stderr, "error: --%s %s: expected a number from %" PRIu64 " to %" PRIu64 "\n", option, text, low, high);
    return false;
}

static bool number32(const char *option, const char *text, uint64_t low, uint64_t high, uint32_t *value) {
    uint64_t wide;
    bool fine = number(option, text, low, high, &wide);
    *value = fine ? (uint32_t)wide : *value;
    return fine;
}

static bool port(struct macs_options *options, const char *text) {
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '=' || !end[1] || errno || value > UINT16_MAX) {
        macs_tell(stderr, "error: --port %s: expected NUMBER=NAME, as in 0=eth0\n", text);
        return false;
    }
    for (unsigned i = 0; i < options->port_count; i++) {
        if (options->ports[i].number == value) {
            macs_tell(stderr, "error: --port %s: port %lu is there twice\n", text, value);
            return false;
        }
    }
    if (options->port_count == MACS_PORTS_MAX) {
        macs_tell(stderr, "error: --port %s: more than %u ports\n", text, MACS_PORTS_MAX);
        return false;
    }
    options->ports[options->port_count++] = (struct macs_port_option){(uint16_t)value, end + 1};
    return true;
}

/* "1,2" or "2-5" or a mixture, of numbers up to `most`; `take` is given each. `what`: for the message. */
static bool number_list(struct macs_options *options, const char *option, const char *what, const char *text,
                        unsigned long most, void (*take)(struct macs_options *options, unsigned long number)) {
    const char *at = text;
    do {
        char *end;
        unsigned long first = strtoul(at, &end, 10);
        unsigned long last = first;
        bool fine = *at >= '0' && *at <= '9';
        if (fine && *end == '-') {
            at = end + 1;
            fine = *at >= '0' && *at <= '9';
            last = strtoul(at, &end, 10);
        }
        if (!fine || first > last || last > most || (*end && *end != ',')) {
            macs_tell(stderr, "error: --%s %s: expected %s, as in 1,2 or 2-5\n", option, text, what);
            return false;
        }
        for (; first <= last; first++)
            take(options, first);
        at = *end ? end + 1 : NULL;
    } while (at);
    return true;
}

static void take_cpu(struct macs_options *options, unsigned long number) {
    if (options->cpu_count < MACS_WORKERS_MAX)
        options->cpus[options->cpu_count++] = (int)number;
}

static void take_part(struct macs_options *options, unsigned long number) {
    if (options->parts.count < MACS_PARTS_MAX)
        options->parts.each[options->parts.count++] = (unsigned)number;
}

static bool part_list(struct macs_options *options, const char *text) {
    options->parts.count = 0;
    return number_list(options, "part-workers", "numbers of workers", text, MACS_WORKERS_MAX, take_part);
}

static bool cpu_list(struct macs_options *options, const char *text) {
    options->cpu_count = 0; /* the last --cpus counts, as of every option */
    return number_list(options, "cpus", "CPU numbers", text, 1023, take_cpu);
}

static void take_host(struct macs_options *options, unsigned long number) {
    options->hosts[number / 64] |= UINT64_C(1) << number % 64;
}

static bool host_list(struct macs_options *options, const char *text) {
    memset(options->hosts, 0, sizeof(options->hosts));
    return number_list(options, "host", "port numbers", text, UINT16_MAX, take_host);
}

static bool set(struct macs_options *options, int id, const char *text) {
    switch (id) {
    case OPT_PORT:
        return port(options, text);
    case OPT_ENTRIES:
        options->entries = text;
        return true;
    case OPT_SOCKET:
        options->socket = text;
        return true;
    case OPT_PCAP:
        options->pcap = text;
        return true;
    case OPT_LOG:
        options->log = text;
        return true;
    case OPT_REPLACEABLE:
        options->replaceable = true;
        return true;
    case OPT_BUSY:
        options->busy = true;
        return true;
    case OPT_VERBOSE:
        options->verbose = true;
        return true;
    case OPT_WORKERS:
        return number32("workers", text, 1, MACS_WORKERS_MAX, &options->worker_count);
    case OPT_BACK_WORKERS:
        return number32("back-workers", text, 1, MACS_WORKERS_MAX, &options->back_workers);
    case OPT_PART_WORKERS:
        return part_list(options, text);
    case OPT_CPU:
        return cpu_list(options, text);
    case OPT_HOST:
        return host_list(options, text);
    case OPT_BATCH:
        options->batch_given = true;
        return number32("batch", text, 1, MACS_BURST_MAX, &options->burst) &&
               number32("batch", text, 1, MACS_BURST_MAX, &options->sub_batch);
    case OPT_BURST:
        options->batch_given = true;
        return number32("burst", text, 1, MACS_BURST_MAX, &options->burst);
    case OPT_SUB_BATCH:
        options->batch_given = true;
        return number32("sub-batch", text, 1, MACS_BURST_MAX, &options->sub_batch);
    case OPT_ADAPT:
    case OPT_NO_ADAPT:
        options->adapt_given = true;
        options->adapt = id == OPT_ADAPT;
        return true;
    case OPT_FALL_BACK:
    case OPT_NO_FALL_BACK:
        options->stays_cut = id == OPT_NO_FALL_BACK;
        return true;
    case OPT_STATS:
        return number32("stats", text, 1, 1000000, &options->stats_seconds);
    case OPT_COUNT:
        return number("count", text, 1, UINT64_MAX, &options->count);
    case OPT_UNTIL_IDLE:
        return !text || number32("until-idle", text, 1, 1000000, &options->idle_ms);
    case OPT_UNTIL_END:
        options->until_end = true;
        return true;
    case OPT_PARENT:
        return number32("parent", text, 1, INT32_MAX, &options->parent);
    case OPT_BUFFERS:
        return number32("buffers", text, 512, 1u << 24, &options->buffers);
    case OPT_MAX_FRAME:
        return number32("max-frame", text, 64, 65535, &options->max_frame);
    case OPT_PRIORITY_QUEUES:
        return number32("priority-queues", text, 1, 32, &options->priorities);
    case OPT_SEED:
        return number("seed", text, 0, UINT64_MAX, &options->seed);
    default:
        return false;
    }
}

/* As many as the rings of a fast interface hold, and as many in the switch. */
#define BUFFERS_PER_PORT 8192u
#define BUFFERS_MAX 65536u /* unless asked for: some 10 kB each */

static enum macs_options_status check(struct macs_options *options) {
    if (!options->port_count) {
        macs_tell(stderr, "error: no port; give at least one as --port 0=NAME (--help tells more)\n");
        return MACS_OPTIONS_WRONG;
    }
    if (!macs_part_workers_check(&options->parts, options->back_workers, options->worker_count))
        return MACS_OPTIONS_WRONG;
    if (options->priorities > 1 && !macs_program.waited_at) {
        macs_tell(stderr, "error: --priority-queues: the program was built without queues (macsad build --queues)\n");
        return MACS_OPTIONS_WRONG;
    }
    if (options->sub_batch > options->burst)
        options->sub_batch = options->burst;
    if (!options->adapt_given)
        options->adapt = !options->batch_given;
    if (!options->buffers)
        options->buffers =
            options->port_count < BUFFERS_MAX / BUFFERS_PER_PORT ? options->port_count * BUFFERS_PER_PORT : BUFFERS_MAX;
    return MACS_OPTIONS_RUN;
}

/* Defaults of options: the target's, or else ours. */
static struct macs_options begin(void) {
    const unsigned least = macs_part_workers_count();
    return (struct macs_options){.worker_count = macs_program.workers > least ? macs_program.workers : least,
                                 .burst = macs_program.burst ? macs_program.burst : 64,
                                 .sub_batch = macs_program.sub_batch ? macs_program.sub_batch : 64,
                                 .batch_given = macs_program.burst || macs_program.sub_batch,
                                 .max_frame = 9216,
                                 .priorities = 1,
                                 .seed = 1};
}

enum macs_options_status macs_options_parse(struct macs_options *options, int argc, char **argv, const char *program) {
    const struct macs_options defaults = begin();
    *options = defaults;
    if (macs_program.cpus && !cpu_list(options, macs_program.cpus))
        return MACS_OPTIONS_WRONG;
    int id;
    while ((id = getopt_long(argc, argv, "hp:v", long_options, NULL)) != -1) {
        if (id == OPT_HELP) {
            macs_tell(stdout, help, argv[0], program, defaults.worker_count, macs_program.cpus ? ", at first " : "",
                      macs_program.cpus ? macs_program.cpus : "", MACS_BURST_MAX, defaults.burst, defaults.sub_batch);
            return MACS_OPTIONS_DONE;
        }
        if (id == OPT_UNTIL_IDLE)
            options->idle_ms = 200;
        if (!set(options, id, optarg)) {
            if (id == '?')
                macs_tell(stderr, "Try '%s --help'.\n", argv[0]);
            return MACS_OPTIONS_WRONG;
        }
    }
    if (optind < argc) {
        macs_tell(stderr, "error: unexpected argument '%s'\nTry '%s --help'.\n", argv[optind], argv[0]);
        return MACS_OPTIONS_WRONG;
    }
    return check(options);
}
