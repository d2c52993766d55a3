/* How fast one core can read what packets need of tables: random cache lines, one of each table, and nothing else.
 *
 * That is the limit of table lookups: reads that do not depend on each other, as many in flight as the core can have.
 * The memory comes from where the tables' comes from (tables/memory.h), so that both have the same pages.
 * Usage: memory BYTES...: the sizes of the tables. Contest "read", NUMBER: bit i is set when a packet looks up table i.
 * An operation is a packet.
 */
#include "probe.h"
#include "tables/memory.h"

enum { PACKETS = 1 << 15, AHEAD = 64, LINE = 64, TABLES = 32 };

static struct {
    uint8_t *memory;
    uint64_t lines;
} tables[TABLES];
static unsigned table_count;

/* Each line of the table is as likely as the others. */
static const uint8_t *place(unsigned table, uint64_t *state) {
    uint64_t line = (uint64_t)((__extension__(unsigned __int128) probe_random(state) * tables[table].lines) >> 64);
    return tables[table].memory + line * LINE;
}

static uint64_t run(uint64_t number) {
    static uint64_t seed = 1;
    const uint8_t *at[AHEAD];
    unsigned used[TABLES], count = 0;
    uint64_t sum = 0;
    for (unsigned i = 0; i < table_count; i++)
        if (number >> i & 1)
            used[count++] = i;
    if (!count)
        return PACKETS;
    unsigned ahead = AHEAD / count * count;
    for (unsigned i = 0; i < ahead; i++)
        __builtin_prefetch(at[i] = place(used[i % count], &seed));
    for (unsigned packet = 0, next = 0; packet < PACKETS; packet++)
        for (unsigned i = 0; i < count; i++) {
            sum += *(const volatile uint64_t *)(const void *)at[next];
            __builtin_prefetch(at[next] = place(used[i], &seed));
            next = next + 1 < ahead ? next + 1 : 0;
        }
    probe_keep(sum);
    return PACKETS;
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"read", run}};
    for (int i = 1; i < argc && table_count < TABLES; i++) {
        uint64_t bytes = strtoull(argv[i], NULL, 10);
        uint8_t *memory = bytes >= LINE ? macs_memory_alloc(bytes, false) : NULL;
        if (!memory) {
            fprintf(stderr, "there is no memory of %s bytes\n", argv[i]);
            return 1;
        }
        memset(memory, 1, bytes);
        tables[table_count].memory = memory;
        tables[table_count++].lines = bytes / LINE;
    }
    return probe_serve(probes, 1);
}
