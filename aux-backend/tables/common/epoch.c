/* How often tables have changed. */
#include <macs/table.h>

_Atomic uint64_t macs_tables_changes;

void macs_tables_changed(void) {
    atomic_fetch_add_explicit(&macs_tables_changes, 1, memory_order_release);
}
