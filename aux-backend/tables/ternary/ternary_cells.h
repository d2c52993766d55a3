/* Ternary match with priorities, and ranges: tables of cells that a few bytes of the key name, a short list in each,
 * and rows of bits for the entries that are too wide for that, or for all where there are few.
 *
 * A *cut* picks up to three bytes of the key. The values of such a byte fall into classes, and the classes of a cut's
 * bytes together name a *cell*. An entry stands in each cell that a key which it matches could come to, and an entry
 * has one cut: the first in which it does not need too many cells. The last cut picks no bytes and so takes every
 * entry. A lookup goes to one cell of each cut, and there through the entries, best first, four at once (a *quad*,
 * scan.h), until one matches; the best of all cuts wins. An LPM field counts as its mask. A range is compared by the
 * bits that its ends have in common, and looked at whole only in entries that match so far. Entries that no cut but the
 * last one takes stand in rows (ternary_rows.h) when that is cheaper: then the last cut has only those that came since
 * and have no place there.
 * Cuts and rows are chosen for the entries that are there (ternary_cells_plan.h), and chosen anew when these have
 * become half as many again, or crowd in few cells. Then readers get a new map; and by the same plan when rows are
 * full. Invariants: a quad is replaced as a whole by each change but that of a value, which is one atomic store of a
 * slot; lanes behind its entries match nothing. Quads of a cell are in the order in which entries win. Each change
 * counts in `changes` before it is published: a lookup that saw some looks again (64 times at most: a writer must not
 * hold readers up), so that a rule that is moved by adding it anew first is never missed. Threads: one writer, any
 * number of readers between two quiescent reports (macs/qsbr.h). Cost: lookup for each cut, of which most tables need
 * none to four, 6 loads that hit the first-level cache, a cell, and mostly one quad of 192 bytes (a key of 9 to 16
 * bytes); and the rows. Memory 0.2 to 1 KiB an entry, beside its value. Change 1 to 20 µs; a new map 2 to 10 ms for
 * 1,000 entries, 0.3 ms where all stand in rows. Where rows would take more than 64 MiB the last cut's list is
 * searched, like a linear table's, four entries at once. Source: Gupta, McKeown, Packet classification on multiple
 * fields (1999), classes of equal values; Singh, Baboescu, Varghese, Wang, Packet classification using multidimensional
 * cutting (2003), cells in several dimensions; Vamanan, Voskuilen, Vijaykumar, EffiCuts (2010), several tables for
 * entries of different width. Keys of a burst together: ternary_cells_bulk.h.
 */
#ifndef MACS_TABLES_TERNARY_CELLS_H
#define MACS_TABLES_TERNARY_CELLS_H

#include "ternary_cells_bulk.h"
#include "ternary_cells_lookup.h"

extern const struct macs_table_ops macs_ternary_cells_ops;

#endif
