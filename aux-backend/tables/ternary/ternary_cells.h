/* Ternary match with priorities, prefixes and ranges: packet classification by tables of cells, and by bit vectors.
 *
 * A *cut* selects up to three bytes of the key. The values of such a byte are divided into classes, and the classes of
 * a cut's bytes together select a *cell*, which has a list of entries. Each entry belongs to one cut, the first in
 * which it needs few cells. It is in the list of every cell that a matching key can select. The last cut selects no
 * bytes, so it has one cell and takes every entry. Entries of the last cut are in bit vectors instead (ternary_rows.h),
 * where these are cheaper; then the list of the last cut has only later entries that found no place there.
 * A lookup selects one cell of each cut and compares its entries with the key, best first, four at once (a *quad*,
 * scan.h), until one matches. The best match of all cuts is the answer. A prefix is compared as a mask. A range is
 * compared by the bits that its ends have in common, and then, if these match, as a whole.
 * A table with few entries is not looked up so, but as ternary_few.h says.
 * The writer chooses cuts and bit vectors for the entries that there are (ternary_cells_plan.h). It does so anew when
 * there are half as many again, when some cells have long lists, or to tidy the table. Readers then get a new *map*.
 * They also get one, by the same plan, when the bit vectors are full.
 * Invariants: the quads of a cell are in the order in which entries win. Each change replaces a quad as a whole, except
 * a change of a value, which is one atomic store of a slot number. Unused lanes of a quad match nothing. No
 * lookup misses a rule that is moved by adding it again first (changes.h).
 * Threads: one writer, any number of readers between two reports of a quiescent state (macs/qsbr.h).
 * Cost: lookup, for each cut (most tables need none to four), 6 loads from the first-level cache, a cell, and mostly
 * one quad of 192 bytes (for a key of 9 to 16 bytes); and the bit vectors. Memory 0.2 to 1 KiB an entry, beside its
 * value. Change 1 to 20 µs; a new map 2 to 10 ms for 1,000 entries, 0.3 ms where all are in bit vectors. Where bit
 * vectors would take more than 64 MiB, the last cut is a linear search, four entries at once.
 * Source: Gupta, McKeown, Packet classification on multiple fields (1999), for classes of values; Singh, Baboescu,
 * Varghese, Wang, Packet classification using multidimensional cutting (2003), for cells; Vamanan, Voskuilen,
 * Vijaykumar, EffiCuts (2010), for several tables for entries of different width.
 */
#ifndef MACS_TABLES_TERNARY_CELLS_H
#define MACS_TABLES_TERNARY_CELLS_H

#include "ternary_cells_bulk.h"
#include "ternary_cells_lookup.h"

extern const struct macs_table_ops macs_ternary_cells_ops;

#endif
