/* Chooses the cuts of ternary_cells.h for the entries of a table, and whether the last cut's entries are in bit
 * vectors.
 *
 * Threads: the one writer.
 * Cost: 1 to 10 ms, and the memory of the sample.
 */
#ifndef MACS_TABLES_TERNARY_CELLS_PLAN_H
#define MACS_TABLES_TERNARY_CELLS_PLAN_H

#include "ternary_cells_map.h"

/* A plan for the table's rules: 0 or -ENOMEM. */
int macs_ternary_cells_choose(const struct macs_rules *rules, struct macs_ternary_cells_plan *plan);

#endif
