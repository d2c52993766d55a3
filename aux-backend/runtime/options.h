/* The command line of a switch. */
#ifndef MACS_RUNTIME_OPTIONS_H
#define MACS_RUNTIME_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/part_workers.h"

/* Ports at most, workers at most, numbers in --cpus at most. */
#define MACS_PORTS_MAX 64u
#define MACS_WORKERS_MAX 64u

struct macs_port_option {
    uint16_t number;
    const char *name; /* for odp_pktio_open, or "ctl:" */
};

struct macs_options {
    struct macs_port_option ports[MACS_PORTS_MAX];
    unsigned port_count;
    uint64_t hosts[(UINT16_MAX + 1) / 64]; /* bits: the ports that are the host's, by number */
    unsigned worker_count;
    uint32_t back_workers; /* of the second of two parts; 0: as many as `parts` says */
    bool stays_cut;        /* parts keep workers of their own: runtime/fall_back.h */
    struct macs_part_workers parts;
    int cpus[MACS_WORKERS_MAX]; /* worker i runs on cpus[i % cpu_count]; cpu_count 0: where the system puts it */
    unsigned cpu_count;
    const char *entries; /* file of commands, or NULL */
    const char *socket;
    const char *log;
    uint32_t burst;
    uint32_t sub_batch;
    bool batch_given;       /* one of the two is asked for */
    bool adapt_given;       /* whether they change is */
    bool adapt;             /* both change while packets flow */
    uint32_t stats_seconds; /* 0: only at the end */
    uint64_t count;         /* stop after so many received frames; 0: never */
    uint32_t idle_ms;       /* stop after so long without a frame; 0: never */
    bool until_end;         /* stop when no port can receive any more, also with a socket */
    uint32_t parent;        /* stop when this process has ended, which started this one; 0: never */
    uint32_t buffers;       /* packets in the pool */
    uint32_t max_frame;     /* bytes */
    uint32_t priorities;    /* queues of a port */
    uint64_t seed;          /* of random numbers */
    const char *pcap;       /* folder for captures of all ports, or NULL */
    bool busy;              /* never sleep */
    bool replaceable;       /* packets have room for other programs */
    bool verbose;           /* tell of the tables' memory */
};

enum macs_options_status { MACS_OPTIONS_RUN, MACS_OPTIONS_DONE, MACS_OPTIONS_WRONG };

/* DONE: --help was asked for and printed. WRONG: told on standard error. Strings point into argv. */
enum macs_options_status macs_options_parse(struct macs_options *options, int argc, char **argv, const char *program);

#endif
