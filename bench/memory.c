/* How fast one core can read what packets need of tables and of registers, counters and meters: random cache lines, and
 * nothing else.
 *
 * That is the limit of lookups and of state: reads that do not depend on each other, as many in flight as is fastest,
 * fetched into the cache of a core to which that is fastest (which the machine decides: it is tried before a
 * measurement), with few instructions around them, as those that wait for memory hold back the others. The memory comes
 * from where the tables' comes from (tables/common/memory.h), so that both have the same pages. Usage: memory
 * NUMBER:BYTES...: for each read of a packet which memory it is in, and its size; reads of one number share it. Contest
 * "read", NUMBER: bit i is set when a packet does read i. An operation is a packet.
 */
#include "probe.h"
#include "tables/common/memory.h"

enum { PACKETS = 1 << 15, AHEAD_MIN = 16, AHEAD_MAX = 512, LINE = 64, TABLES = 64, TRIALS = 8 };

struct table {
    uint8_t *memory;
    uint64_t lines;
    uint64_t number;
};

static struct table tables[TABLES];
static unsigned table_count;

/* Each line of the table is as likely as the others. The high bits of a linear congruence are random enough (Knuth,
 * TAOCP 2, 3.3.4) and cost least. */
static inline const uint8_t *place(struct table table, uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return table.memory + (uint64_t)((__extension__(unsigned __int128) * state * table.lines) >> 64) * LINE;
}

/* How tables are read: so many reads in flight, a power of two; into the first cache, or the second. */
struct way {
    unsigned ahead;
    bool near;
};

static inline void prefetch(const uint8_t *line, bool near) {
    if (near)
        __builtin_prefetch(line, 0, 3);
    else
        __builtin_prefetch(line, 0, 2);
}

/* Packets that look up these tables. */
static inline __attribute__((always_inline)) void read_lines(const struct table used[], unsigned count, unsigned ahead,
                                                             bool near) {
    static uint64_t seed = 1;
    const uint8_t *at[AHEAD_MAX];
    uint64_t sum = 0, state = seed;
    for (unsigned i = 0; i < ahead; i++)
        prefetch(at[i] = place(used[i % count], &state), near);
    for (unsigned packet = 0, next = 0; packet < PACKETS; packet++)
        for (unsigned i = 0; i < count; i++) {
            sum += *(const volatile uint64_t *)(const void *)at[next];
            prefetch(at[next] = place(used[i], &state), near);
            next = (next + 1) & (ahead - 1);
        }
    seed = state;
    probe_keep(sum);
}

static void read_packets(const struct table used[], unsigned count, struct way way) {
    if (way.near)
        read_lines(used, count, way.ahead, true);
    else
        read_lines(used, count, way.ahead, false);
}

static uint64_t time_of(const struct table used[], unsigned count, struct way way) {
    uint64_t begin = probe_clock(CLOCK_THREAD_CPUTIME_ID);
    read_packets(used, count, way);
    return probe_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/* The fastest way. */
static struct way find_way(const struct table used[], unsigned count) {
    struct way best = {AHEAD_MIN, true};
    uint64_t shortest = UINT64_MAX;
    for (unsigned trial = 0; trial < TRIALS; trial++)
        for (unsigned ahead = AHEAD_MIN; ahead <= AHEAD_MAX; ahead *= 2)
            for (unsigned near = 0; near < 2; near++) {
                const struct way way = {ahead, near};
                const uint64_t took = time_of(used, count, way);
                if (took < shortest) {
                    shortest = took;
                    best = way;
                }
            }
    return best;
}

static uint64_t run(uint64_t number) {
    static uint64_t known;
    static struct way way;
    struct table used[TABLES];
    unsigned count = 0;
    for (unsigned i = 0; i < table_count; i++)
        if (number >> i & 1)
            used[count++] = tables[i];
    if (!count)
        return PACKETS;
    if (number != known) /* in the run before a measurement */
        way = find_way(used, count);
    known = number;
    read_packets(used, count, way);
    return PACKETS;
}

/* A read as an argument has it; false: no memory. */
static bool add_read(const char *text) {
    char *colon;
    uint64_t number = strtoull(text, &colon, 10);
    for (unsigned i = 0; i < table_count; i++)
        if (tables[i].number == number) {
            tables[table_count++] = tables[i];
            return true;
        }
    uint64_t bytes = *colon == ':' ? strtoull(colon + 1, NULL, 10) : 0;
    uint8_t *memory = bytes >= LINE ? macs_memory_alloc(bytes, false) : NULL;
    if (!memory)
        return false;
    memset(memory, 1, bytes);
    tables[table_count++] = (struct table){memory, bytes / LINE, number};
    return true;
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"read", run}};
    if (argc > TABLES + 1) {
        fprintf(stderr, "a packet reads %d at most\n", TABLES);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        if (!add_read(argv[i])) {
            fprintf(stderr, "there is no memory as in %s\n", argv[i]);
            return 1;
        }
    }
    return probe_serve(probes, 1);
}
