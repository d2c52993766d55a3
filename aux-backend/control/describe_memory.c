/* The memory of the tables, as text. */
#include <inttypes.h>
#include <stdio.h>

#include "control/describe.h"
#include "tables/common/memory.h"

/* "256 MiB": rounded down in the largest unit that leaves a whole number above 0. */
static void size(struct macs_text *text, uint64_t bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    unsigned unit = 0;
    while (bytes >= 10240 && unit < 3) {
        bytes >>= 10;
        unit++;
    }
    macs_text_add(text, "%" PRIu64 " %s", bytes, units[unit]);
}

static void describe_table(const struct macs_table *table, struct macs_text *text) {
    const struct macs_table_ops *ops = table->desc->ops;
    if (!ops)
        return;
    uint64_t bytes = ops->memory_bytes(table->state);
    const char *const way = ops->way ? ops->way(table->state) : NULL;
    macs_text_add(text, "%s: %s%s%s, %" PRIu32 " of %" PRIu32 " entries, ", table->desc->name, ops->name,
                  way ? " by " : "", way ? way : "", ops->count(table->state), table->desc->shape.size);
    size(text, bytes);
    macs_text_add(text, ", lookups read ");
    size(text, ops->reader_bytes ? ops->reader_bytes(table->state) : bytes);
    macs_text_add(text, "\n");
}

/* What the system has on transparent huge pages for this process; 0 where it does not tell. */
static uint64_t transparent_bytes(void) {
    unsigned long long kib = 0;
    char line[128];
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "AnonHugePages: %llu kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib << 10;
}

static void describe_pages(struct macs_memory_use use, struct macs_text *text) {
    const char *separator = " ";
    macs_text_add(text, "huge pages:");
    if (use.reserved) {
        macs_text_add(text, " ");
        size(text, use.reserved);
        macs_text_add(text, " of reserved pages of 2 MiB");
        separator = "; ";
    }
    if (use.refused) {
        macs_text_add(text, "%snot had for ", separator);
        size(text, use.refused);
        macs_text_add(text, " (reserve %" PRIu64 " more before the start: sysctl vm.nr_hugepages)",
                      use.refused / MACS_MEMORY_BIG);
        separator = "; ";
    }
    if (use.sparse) {
        macs_text_add(text, "%s", separator);
        size(text, use.sparse);
        macs_text_add(text, ", touched in part, as the system backs them");
    }
    if (use.refused || use.sparse) {
        macs_text_add(text, "; transparent ones of the whole switch: ");
        size(text, transparent_bytes());
    }
    macs_text_add(text, "%s\n", use.reserved || use.refused || use.sparse ? "" : " the tables are too small for any");
}

void macs_describe_memory(const struct macs_switch *sw, struct macs_text *text) {
    const struct macs_program *program = sw->program;
    for (uint16_t i = 0; i < program->table_count; i++)
        describe_table(&program->tables[i], text);
    describe_pages(macs_memory_use(), text);
}
