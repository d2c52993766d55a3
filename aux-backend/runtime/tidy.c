/* When tables are tidied: tidy.h says it. */
#include "runtime/tidy.h"

#define QUIET_NS 1000000000u
#define QUIET_TIMES 50u

static bool is_tidy(const struct macs_table_quiet *quiet) {
    return quiet->tidied == quiet->changes;
}

static void tidy(struct macs_switch *sw, struct macs_table *table, uint64_t now) {
    if (macs_table_tidy(table)) /* without memory, or readers hang: as if it had changed again */
        table->quiet.tidied = table->quiet.changes - 1;
    table->quiet.since_ns = macs_switch_now(sw);
    table->quiet.cost_ns = table->quiet.since_ns - now;
}

/* Whether the entries have not changed for long enough. */
static bool is_quiet(struct macs_table_quiet *quiet, uint64_t now) {
    const uint64_t wanted = QUIET_NS > QUIET_TIMES * quiet->cost_ns ? QUIET_NS : QUIET_TIMES * quiet->cost_ns;
    if (quiet->seen == quiet->changes)
        return now - quiet->since_ns >= wanted;
    quiet->seen = quiet->changes;
    quiet->since_ns = now;
    return false;
}

void macs_tidy_all(struct macs_switch *sw) {
    for (unsigned i = 0; i < sw->table_count && !sw->program->leaves_untidy; i++)
        tidy(sw, &sw->program->tables[i], macs_switch_now(sw));
}

void macs_tidy_look(struct macs_switch *sw, uint64_t now) {
    for (unsigned i = 0; i < sw->table_count && !sw->program->leaves_untidy; i++) {
        struct macs_table *table = &sw->program->tables[i];
        if (!is_tidy(&table->quiet) && is_quiet(&table->quiet, now)) {
            tidy(sw, table, now);
            return;
        }
    }
}
