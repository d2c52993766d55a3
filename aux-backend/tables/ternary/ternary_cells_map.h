/* Changes of a map of ternary_cells.h: an entry is added to its cells or bit vectors, or removed from them.
 *
 * Threads: the one writer. What it removes from a map with readers is freed after a grace period:
 * macs_ternary_cells_defer_release.
 */
#ifndef MACS_TABLES_TERNARY_CELLS_MAP_H
#define MACS_TABLES_TERNARY_CELLS_MAP_H

#include "ternary_cells_lookup.h"
#include "ternary_cells_values.h"

#define MACS_TERNARY_CELLS_SPREAD 256u                     /* cells of an entry at most */
#define MACS_TERNARY_CELLS_IN_ROWS MACS_TERNARY_CELLS_CUTS /* instead of a cut */

/* Cuts; the last one picks no bytes. `cells` is how many they have together. */
struct macs_ternary_cells_plan {
    uint32_t cuts, cells;
    uint32_t spread; /* cells of an entry at most */
    bool rows;       /* entries that no cut but the last takes stand in rows */
    struct macs_ternary_cells_cut cut[MACS_TERNARY_CELLS_CUTS];
};

/* What readers see, and how the memory behind it is used. */
struct macs_ternary_cells_made {
    struct macs_ternary_cells_map map;
    const struct macs_rules *rules;
    uint32_t cuts, cells, quads; /* how many there are; the last cut has one cell */
    uint32_t quad_lines;
    uint32_t spread;     /* cells of an entry at most */
    uint32_t top;        /* quads from here on were never used */
    uint32_t free;       /* a list of those to take */
    uint32_t free_count; /* with those from `top` on */
    uint32_t retired;    /* a list of those that the current change removed */
    uint32_t entries;    /* that its plan was made for */
    uint32_t strain;     /* quads that were put behind others since it was made */
    uint32_t added;      /* entries since the plan was made */
    uint32_t gone;       /* entries that were taken out */
    uint32_t put;        /* entries that came into this map, after those that it was made with */
    bool has_readers;
};

/* A map without readers with these cuts, and all the rules in it; NULL without memory. */
struct macs_ternary_cells_made *macs_ternary_cells_make(const struct macs_rules *rules,
                                                        const struct macs_ternary_cells_plan *plan);
void macs_ternary_cells_free(struct macs_ternary_cells_made *made);

/* Whether there are quads for one more change, and for another one that takes an entry out. */
static inline bool macs_ternary_cells_has_room(const struct macs_ternary_cells_made *made) {
    return made->free_count >= 3 * made->spread;
}

/* Put a recorded rule into its cells, rule->next is then its cut, or into rows. There are quads enough. False where it
 * finds no place but in a list beside rows, unless `listed` allows that. */
bool macs_ternary_cells_put(struct macs_ternary_cells_made *made, struct macs_rule *rule, bool listed);

/* Take it out of them. There are quads enough. */
void macs_ternary_cells_remove(struct macs_ternary_cells_made *made, const struct macs_rule *rule);

/* The rule's value has moved from that slot to rule->slot. */
void macs_ternary_cells_move(struct macs_ternary_cells_made *made, const struct macs_rule *rule, uint32_t from);

/* At the end of a change: what it took out is for use again when readers have passed. Needs one reserved defer. */
void macs_ternary_cells_defer_release(struct macs_ternary_cells *table);

uint64_t macs_ternary_cells_bytes(const struct macs_ternary_cells_made *made);

#endif
