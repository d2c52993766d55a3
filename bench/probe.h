/* What the measuring programs here have in common: they measure when they are asked to, one at a time.
 *
 * A program has named contests. A line of standard input, "NAME MILLISECONDS [NUMBER]", runs one for so long; the
 * answer is a line of four numbers: operations, CPU time in ns, time in ns, cycles of the CPU's counter. A program that
 * cannot measure here says so on standard error and exits with 1; wrong lines end it with 2. Between lines it sleeps,
 * so that others can be measured in between.
 */
#ifndef MACSAD_BENCH_PROBE_H
#define MACSAD_BENCH_PROBE_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* A contest ends after its milliseconds of CPU time, or this many times as long where it gets no more or sleeps. */
enum { PROBE_PATIENCE = 8 };

struct probe {
    const char *name;
    /* Does some thousand operations; how many it did. `number` is that of the line, 0 without. */
    uint64_t (*run)(uint64_t number);
};

/* Where a contest counts the cycles of what it measures, if that is not all that it does; NULL: it is. It sets this. */
static const uint64_t *probe_spent;

static inline uint64_t probe_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t probe_cycles(void) {
#ifdef __x86_64__
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return probe_clock(CLOCK_MONOTONIC);
#endif
}

/* What a loop computes is used, as far as the compiler knows. */
static inline void probe_keep(uint64_t value) {
    __asm__ volatile("" : : "r"(value));
}

/* Random numbers without state but the caller's: splitmix64 (Steele, Lea, Flood, 2014). */
static inline uint64_t probe_random(uint64_t *state) {
    uint64_t mixed = (*state += UINT64_C(0x9e3779b97f4a7c15));
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static inline void probe_one(const struct probe *probe, uint64_t ms, uint64_t number) {
    uint64_t used = 0, operations = 0;
    probe->run(number); /* what it needs is in the caches again */
    uint64_t spent = probe_spent ? *probe_spent : 0;
    uint64_t cycles = probe_cycles(), begin = probe_clock(CLOCK_MONOTONIC), cpu = probe_clock(CLOCK_THREAD_CPUTIME_ID);
    while (used < ms * 1000000 && probe_clock(CLOCK_MONOTONIC) - begin < ms * 1000000 * PROBE_PATIENCE) {
        operations += probe->run(number);
        used = probe_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
    }
    uint64_t time = probe_clock(CLOCK_MONOTONIC) - begin;
    cycles = probe_cycles() - cycles;
    double share = probe_spent ? (double)(*probe_spent - spent) / (double)cycles : 1;
    printf("%" PRIu64 " %.0f %.0f %.0f\n", operations, (double)used * share, (double)time * share,
           (double)cycles * share);
    fflush(stdout);
}

/* Serve until standard input ends; the program's exit code. */
static inline int probe_serve(const struct probe probes[], unsigned count) {
    char line[128], name[64];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        uint64_t ms, number = 0;
        unsigned at = 0;
        int words = sscanf(line, "%63s %" SCNu64 " %" SCNu64, name, &ms, &number);
        while (words >= 2 && at < count && strcmp(probes[at].name, name))
            at++;
        if (words < 2 || at == count) {
            fprintf(stderr, "wrong line: %s", line);
            return 2;
        }
        probe_one(&probes[at], ms, number);
    }
    return 0;
}

#endif
