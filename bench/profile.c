/* A profile of the machine: what packets cost it before a program does anything. Prints JSON.
 *
 *   io        cycles a packet of receive and transmit from `mem:` to `null:`, over the frames of a burst (the papers'
 * Y(B)) and over the length of a frame, which `mem:` copies reads     cycles a read of a random cache line, over the
 * bytes that are read of, the reads in flight (f_mem; 0: each read depends on the one before, so that it is what a miss
 * takes) and the kind of pages handover  cycles of handing a burst to another core, over its packets: half of there and
 * back; none where there is one CPU copy      cycles of copying a frame in the cache, over its length
 *
 * Each figure but that of handing over is the median of samples of some 0.1 ms, so that what the system takes away
 * costs samples and not truth. Usage: profile [CPU [CPU]], which to measure on; the last ones that may be used without.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ports.h"
#include "probe.h"
#include "tables/common/memory.h"

enum {
    LINE = 64,
    SAMPLES = 41,
    SAMPLE_CYCLES = 1 << 18,
    BURST_MAX = 256,
    FRAMES = 1024,
    FRAME_MAX = 1518,
    READS = 64,
    TRIPS = 2000,
    TRIPS_NS = 300000000
};

static const unsigned bursts[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
static const unsigned lengths[] = {64, 128, 256, 512, 1024, 1518};
static const unsigned in_flight[] = {0, 1, 2, 4, 8, 16, 32, 64};
static const uint64_t footprints[] = {16u << 10, 64u << 10, 256u << 10, 512u << 10, 1u << 20,  2u << 20,
                                      4u << 20,  8u << 20,  16u << 20,  32u << 20,  128u << 20};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int by_value(const void *one, const void *other) {
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Does some operations and returns how many. */
typedef uint64_t work_fn(void *argument);

/* Cycles an operation: the median. */
static double cycles_of(work_fn *work, void *argument) {
    double found[SAMPLES];
    work(argument);
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint64_t done = 0, begin = probe_cycles(), passed = 0;
        while (passed < SAMPLE_CYCLES) {
            done += work(argument);
            passed = probe_cycles() - begin;
        }
        found[i] = (double)passed / (double)done;
    }
    qsort(found, SAMPLES, sizeof(found[0]), by_value);
    return found[SAMPLES / 2];
}

static const char *separator = "";

static void begin_list(const char *name) {
    printf(",\n \"%s\": [", name);
    separator = "";
}

/* --- io -------------------------------------------------------------------------------------------------------------
 */

struct forwarding {
    struct ports ports;
    int burst;
};

static uint64_t forward(void *argument) {
    struct forwarding *through = argument;
    odp_packet_t packets[BURST_MAX];
    uint64_t done = 0;
    while (done < BURST_MAX) {
        int received = odp_pktin_recv(through->ports.input, packets, through->burst);
        if (received <= 0)
            break;
        int sent = odp_pktout_send(through->ports.output, packets, received);
        sent = sent < 0 ? 0 : sent;
        if (sent < received)
            odp_packet_free_multi(packets + sent, received - sent);
        done += (uint64_t)received;
    }
    return done ? done : 1;
}

/* A capture file of frames with different bytes. False: it cannot be written. */
static bool write_frames(int file, unsigned length) {
    static const uint32_t head[6] = {0xa1b2c3d4u, 2 | 4u << 16, 0, 0, 65535, 1};
    uint8_t frame[FRAME_MAX];
    uint64_t state = 1;
    bool fine = ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0 && write(file, head, sizeof(head)) > 0;
    for (unsigned i = 0; i < FRAMES && fine; i++) {
        const uint32_t record[4] = {0, 0, length, length};
        for (unsigned at = 0; at < length; at++)
            frame[at] = (uint8_t)probe_random(&state);
        fine = write(file, record, sizeof(record)) > 0 && write(file, frame, length) > 0;
    }
    return fine;
}

static bool measure_io(void) {
    char name[] = "/tmp/macsad-profile-XXXXXX", source[64];
    int file = mkstemp(name);
    bool fine = file >= 0;
    begin_list("io");
    for (unsigned i = 0; i < COUNT(lengths) && fine; i++) {
        struct forwarding through;
        snprintf(source, sizeof(source), "mem:%s,loop", name);
        fine = write_frames(file, lengths[i]) && !ports_open(&through.ports, source, "null:", 8192, PORTS_SEGMENT);
        for (unsigned b = 0; b < COUNT(bursts) && fine; b++) {
            through.burst = (int)bursts[b];
            printf("%s\n  {\"length\": %u, \"burst\": %u, \"cycles\": %.2f}", separator, lengths[i], bursts[b],
                   cycles_of(forward, &through));
            separator = ",";
        }
        if (fine)
            ports_close(&through.ports);
    }
    printf("]");
    if (file >= 0) {
        close(file);
        unlink(name);
    }
    return fine;
}

/* --- reads ----------------------------------------------------------------------------------------------------------
 */

struct reading {
    uint8_t *memory;
    uint64_t lines, state;
    unsigned ahead;
};

/* A line of those that are read, each as likely as the others (see memory.c). */
static inline const uint8_t *place(const struct reading *of, uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return of->memory + (uint64_t)((__extension__(unsigned __int128) * state * of->lines) >> 64) * LINE;
}

/* The content of the memory is zero, but the processor does not know that it adds nothing to the next place. */
static uint64_t read_dependent(void *argument) {
    struct reading *of = argument;
    uint64_t state = of->state;
    for (unsigned i = 0; i < READS; i++)
        state += *(const volatile uint64_t *)(const void *)place(of, &state);
    of->state = state;
    return READS;
}

/* As many prefetched ahead as are to be in flight; one: prefetched and read. */
static uint64_t read_ahead(void *argument) {
    struct reading *of = argument;
    const uint8_t *at[READS];
    uint64_t state = of->state, sum = 0;
    for (unsigned i = 0; i < of->ahead; i++)
        __builtin_prefetch(at[i] = place(of, &state), 0, 3);
    for (unsigned i = 0; i < READS * 16; i++) {
        const unsigned next = i & (of->ahead - 1);
        sum += *(const volatile uint64_t *)(const void *)at[next];
        __builtin_prefetch(at[next] = place(of, &state), 0, 3);
        if (of->ahead == 1) /* no later read begins before this one has ended */
            state += sum;
    }
    of->state = state;
    probe_keep(sum);
    return READS * 16;
}

static void measure_pages(const char *pages, uint8_t *memory, uint64_t bytes) {
    for (unsigned f = 0; f < COUNT(footprints) && footprints[f] <= bytes; f++)
        for (unsigned i = 0; i < COUNT(in_flight); i++) {
            struct reading of = {memory, footprints[f] / LINE, f + 1, in_flight[i]};
            printf("%s\n  {\"pages\": \"%s\", \"bytes\": %" PRIu64 ", \"in_flight\": %u, \"cycles\": %.2f}", separator,
                   pages, footprints[f], in_flight[i], cycles_of(in_flight[i] ? read_ahead : read_dependent, &of));
            separator = ",";
        }
}

static bool measure_reads(void) {
    uint64_t bytes = footprints[COUNT(footprints) - 1];
    const uint64_t half = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    while (bytes > half)
        bytes /= 2;
    begin_list("reads");
    uint8_t *huge = macs_memory_alloc(bytes, false);
    if (!huge)
        return false;
    memset(huge, 0, bytes);
    measure_pages("huge", huge, bytes);
    macs_memory_free(huge, bytes);
    uint8_t *small = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (small == MAP_FAILED)
        return false;
    madvise(small, bytes, MADV_NOHUGEPAGE);
    memset(small, 1, bytes); /* or all of it is one page of zeros */
    memset(small, 0, bytes);
    measure_pages("small", small, bytes);
    munmap(small, bytes);
    printf("]");
    return true;
}

/* --- handing over ---------------------------------------------------------------------------------------------------
 */

struct handover {
    _Alignas(LINE) _Atomic uint64_t there;
    _Alignas(LINE) _Atomic uint64_t back;
    _Alignas(LINE) uint8_t lines[BURST_MAX][LINE];
    unsigned packets;
    int cpu;
    _Atomic bool ends;
};

static void pin(int cpu) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((unsigned)cpu, &cpus);
    pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
}

static void touch(struct handover *of) {
    for (unsigned i = 0; i < of->packets; i++)
        of->lines[i][0]++;
}

static void *other_core(void *argument) {
    struct handover *of = argument;
    uint64_t seen = 0;
    pin(of->cpu);
    while (!atomic_load_explicit(&of->ends, memory_order_relaxed)) {
        if (atomic_load_explicit(&of->there, memory_order_acquire) == seen)
            continue;
        seen++;
        touch(of);
        atomic_store_explicit(&of->back, seen, memory_order_release);
    }
    return NULL;
}

static double there_and_back(struct handover *of) {
    const uint64_t number = atomic_load_explicit(&of->there, memory_order_relaxed) + 1, begin = probe_cycles();
    touch(of);
    atomic_store_explicit(&of->there, number, memory_order_release);
    while (atomic_load_explicit(&of->back, memory_order_acquire) != number)
        ;
    return (double)(probe_cycles() - begin);
}

/* Half of there and back: the lower decile, as each waits for the other wherever the system takes one from its CPU. */
static double handing_over(struct handover *of) {
    static double found[TRIPS];
    const uint64_t begin = probe_clock(CLOCK_MONOTONIC);
    unsigned count = 0;
    while (count < TRIPS && (count < 10 || probe_clock(CLOCK_MONOTONIC) - begin < TRIPS_NS))
        found[count++] = there_and_back(of);
    qsort(found, count, sizeof(found[0]), by_value);
    return found[count / 10] / 2;
}

static bool measure_handover(int other) {
    static struct handover of;
    pthread_t thread;
    begin_list("handover");
    of.cpu = other;
    of.packets = 1;
    if (other >= 0 && pthread_create(&thread, NULL, other_core, &of))
        return false;
    for (unsigned b = 0; b < COUNT(bursts) && other >= 0; b++) {
        of.packets = bursts[b]; /* the other one waits for `there`, which orders this */
        printf("%s\n  {\"burst\": %u, \"cycles\": %.2f}", separator, bursts[b], handing_over(&of));
        separator = ",";
    }
    atomic_store(&of.ends, true);
    if (other >= 0)
        pthread_join(thread, NULL);
    printf("]");
    return true;
}

/* --- copying --------------------------------------------------------------------------------------------------------
 */

static uint64_t copy(void *argument) {
    static uint8_t from[2048], to[2048];
    for (unsigned i = 0; i < READS; i++) {
        memcpy(to, from, *(const volatile unsigned *)argument);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    return READS;
}

static void measure_copies(void) {
    begin_list("copy");
    for (unsigned i = 0; i < COUNT(lengths); i++) {
        unsigned length = lengths[i];
        printf("%s\n  {\"length\": %u, \"cycles\": %.2f}", separator, length, cycles_of(copy, &length));
        separator = ",";
    }
    printf("]");
}

/* --- all ------------------------------------------------------------------------------------------------------------
 */

static double counter_hz(void) {
    const uint64_t begin = probe_clock(CLOCK_MONOTONIC), cycles = probe_cycles();
    uint64_t now;
    do
        now = probe_clock(CLOCK_MONOTONIC);
    while (now - begin < 20000000);
    return (double)(probe_cycles() - cycles) * 1e9 / (double)(now - begin);
}

/* The CPU to measure on and another one; -1: there is none. */
static void choose_cpus(int argc, char **argv, int chosen[2]) {
    cpu_set_t usable;
    chosen[0] = chosen[1] = -1;
    if (!sched_getaffinity(0, sizeof(usable), &usable))
        for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && chosen[1] < 0; cpu--)
            if (CPU_ISSET((unsigned)cpu, &usable))
                chosen[chosen[0] >= 0] = cpu;
    for (int i = 1; i < argc && i < 3; i++)
        chosen[i - 1] = atoi(argv[i]);
}

int main(int argc, char **argv) {
    int cpus[2];
    choose_cpus(argc, argv, cpus);
    if (cpus[0] >= 0)
        pin(cpus[0]);
    const uint64_t begin = probe_clock(CLOCK_MONOTONIC);
    printf("{\"version\": 1, \"hz\": %.0f, \"caches\": [%ld, %ld, %ld]", counter_hz(), sysconf(_SC_LEVEL1_DCACHE_SIZE),
           sysconf(_SC_LEVEL2_CACHE_SIZE), sysconf(_SC_LEVEL3_CACHE_SIZE));
    if (!measure_io() || !measure_reads() || !measure_handover(cpus[1])) {
        fprintf(stderr, "the machine cannot be measured: %s\n", strerror(errno));
        return 1;
    }
    measure_copies();
    printf(",\n \"seconds\": %.1f}\n", (double)(probe_clock(CLOCK_MONOTONIC) - begin) / 1e9);
    return 0;
}
