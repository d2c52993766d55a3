/* Entries in a map of ternary_cells.h: the cells of each entry, and the cells' lists of quads. */
#include "ternary_cells_map.h"

#include <stdlib.h>

#include "tables/common/memory.h"

enum {
    LANES = MACS_SCAN_LANES,
    SPREAD = MACS_TERNARY_CELLS_SPREAD,
    DEPTH_MAX = 4,
    QUADS_EACH = 12, /* for each entry, of which it takes 6 at most; then there are half as many again */
    QUADS_SPARE = 12,
    LISTED_OF = 16, /* where all entries stand in rows: one of so many at most comes into the list */
};

typedef struct macs_ternary_cells_made made_t;
typedef struct macs_ternary_cells_quad four_t;
typedef struct macs_ternary_cells_values values_t;

/* Cells of one entry. */
typedef struct {
    uint32_t count;
    uint32_t cells[SPREAD];
} spread_t;

/* Some entries of a list, best first. */
typedef struct {
    uint32_t count;
    const struct macs_rule *rules[LANES + 1];
} few_t;

/* -- cells ------------------------------------------------------------------------------------------------------------
 */

/* The cells between which a byte's different classes choose for these values, into `offsets`: how many. */
static uint32_t offsets_of(const struct macs_ternary_cells_cut *cut, uint32_t pick, const values_t *values,
                           uint16_t offsets[SPREAD]) {
    values_t known = {{0}};
    uint32_t count = 0;
    for (uint32_t word = 0; word < 4; word++) {
        for (uint64_t left = values->has[word]; left; left &= left - 1) {
            uint32_t offset = cut->classes[pick][word * 64 + (uint32_t)__builtin_ctzll(left)];
            uint32_t class = offset / cut->strides[pick];
            if (!macs_ternary_cells_has(&known, class))
                offsets[count++] = (uint16_t)offset;
            known.has[class / 64] |= UINT64_C(1) << class % 64;
        }
    }
    return count;
}

/* The rule's cells in a cut; false when there are more than SPREAD. */
static bool spread_in(const made_t *made, const struct macs_rule *rule, uint32_t cut, spread_t *spread) {
    const struct macs_ternary_cells_cut *of = &made->map.cuts[cut];
    *spread = (spread_t){1, {of->first}};
    for (uint32_t i = 0; i < of->picks; i++) {
        uint16_t offsets[SPREAD];
        values_t values = macs_ternary_cells_values(made->rules, rule, of->picked[i]);
        uint32_t before = spread->count, count = offsets_of(of, i, &values, offsets);
        if (count * before > made->spread)
            return false;
        spread->count = count * before;
        for (uint32_t at = spread->count; at-- > 0;)
            spread->cells[at] = spread->cells[at % before] + offsets[at / before];
    }
    return true;
}

/* -- quads ------------------------------------------------------------------------------------------------------------
 */

static four_t *quad_at(const made_t *made, uint32_t number) {
    return macs_ternary_cells_at(&made->map, number);
}

static uint32_t follow(const _Atomic uint32_t *link) {
    return atomic_load_explicit(link, memory_order_relaxed);
}

/* The link between quads that are free, or that wait for readers. */
static _Atomic uint32_t *after(const made_t *made, uint32_t number) {
    return &quad_at(made, number)->slots[LANES];
}

static uint32_t take_quad(made_t *made) {
    uint32_t number = made->free;
    made->free_count--;
    if (number)
        made->free = follow(after(made, number));
    else
        number = made->top++ * made->quad_lines;
    return number;
}

static void give_quad(made_t *made, uint32_t number) {
    atomic_store_explicit(after(made, number), made->free, memory_order_relaxed);
    made->free = number;
    made->free_count++;
}

static void retire(made_t *made, uint32_t number) {
    if (!made->has_readers) {
        give_quad(made, number);
        return;
    }
    atomic_store_explicit(after(made, number), made->retired, memory_order_relaxed);
    made->retired = number;
}

/* Values with a bit that their masks lack: no key matches. */
static void clear(const made_t *made, four_t *quad) {
    memset(quad, 0, (size_t)made->quad_lines * 64);
    for (uint32_t lane = 0; lane < LANES; lane++)
        quad->lines[lane] = 1;
}

static void fill_lane(const made_t *made, four_t *quad, uint32_t lane, const struct macs_rule *rule) {
    uint32_t key_bytes = made->rules->key_bytes;
    uint8_t value[MACS_TERNARY_CELLS_KEY_MAX], mask[MACS_TERNARY_CELLS_KEY_MAX];
    macs_rules_comparable(made->rules, rule, value, mask);
    for (uint32_t at = 0; at < (key_bytes + 7) / 8; at++) {
        uint64_t *line = quad->lines + (size_t)at * MACS_SCAN_WORDS;
        line[lane] = macs_ternary_cells_word(value, key_bytes, at);
        line[LANES + lane] = macs_ternary_cells_word(mask, key_bytes, at);
    }
    quad->orders[lane] = rule->order + MACS_TERNARY_CELLS_ORDER;
    atomic_init(&quad->slots[lane], rule->slot);
}

/* A new quad with these entries, followed by `next`. */
static uint32_t write_quad(made_t *made, const struct macs_rule *const rules[], uint32_t count, uint32_t next) {
    uint32_t number = take_quad(made);
    four_t *quad = quad_at(made, number);
    clear(made, quad);
    for (uint32_t lane = 0; lane < count; lane++)
        fill_lane(made, quad, lane, rules[lane]);
    atomic_init(&quad->next, next);
    return number;
}

static void read_quad(const made_t *made, const four_t *quad, few_t *few) {
    few->count = 0;
    while (few->count < LANES && quad->orders[few->count]) {
        uint32_t slot = atomic_load_explicit(&quad->slots[few->count], memory_order_relaxed);
        few->rules[few->count++] = macs_rules_of(made->rules, slot);
    }
}

static void publish(_Atomic uint32_t *link, uint32_t number) {
    atomic_store_explicit(link, number, memory_order_release);
}

/* -- lists ------------------------------------------------------------------------------------------------------------
 */

static bool wins(const struct macs_rule *a, const struct macs_rule *b) {
    return macs_rules_wins(a->order, a->sequence, b->order, b->sequence);
}

/* Put a rule into a list: into the first quad whose last entry it wins over, or the last one. A full quad is halved, or
 * gets a neighbour where the rule comes before or behind all that it has. */
static void put_into(made_t *made, _Atomic uint32_t *link, const struct macs_rule *rule) {
    few_t few = {0};
    uint32_t number = follow(link), next = 0, place = 0;
    while (number) {
        four_t *quad = quad_at(made, number);
        read_quad(made, quad, &few);
        next = follow(&quad->next);
        if (!next || wins(rule, few.rules[few.count - 1]))
            break;
        link = &quad->next;
        number = next;
    }
    while (place < few.count && wins(few.rules[place], rule))
        place++;
    made->strain += few.count == LANES;
    if (few.count == 0 || (few.count == LANES && place == 0)) {
        publish(link, write_quad(made, &rule, 1, number));
    } else if (place == LANES) {
        publish(&quad_at(made, number)->next, write_quad(made, &rule, 1, 0));
    } else {
        memmove(&few.rules[place + 1], &few.rules[place], (few.count - place) * sizeof *few.rules);
        few.rules[place] = rule;
        uint32_t rest = few.count == LANES ? write_quad(made, few.rules + LANES / 2, LANES / 2 + 1, next) : next;
        uint32_t first = few.count == LANES ? LANES / 2 : few.count + 1;
        publish(link, write_quad(made, few.rules, first, rest));
        retire(made, number);
    }
}

/* The lane in which a slot stands, and the link to its quad. */
static uint32_t find_in(const made_t *made, _Atomic uint32_t **link, uint32_t slot) {
    for (;;) {
        four_t *quad = quad_at(made, follow(*link));
        for (uint32_t lane = 0; lane < LANES; lane++)
            if (quad->orders[lane] && atomic_load_explicit(&quad->slots[lane], memory_order_relaxed) == slot)
                return lane;
        *link = &quad->next;
    }
}

static void remove_from(made_t *made, _Atomic uint32_t *link, const struct macs_rule *rule) {
    few_t few;
    uint32_t lane = find_in(made, &link, rule->slot), number = follow(link);
    uint32_t next = follow(&quad_at(made, number)->next);
    read_quad(made, quad_at(made, number), &few);
    few.count--;
    memmove(&few.rules[lane], &few.rules[lane + 1], (few.count - lane) * sizeof *few.rules);
    publish(link, few.count ? write_quad(made, few.rules, few.count, next) : next);
    retire(made, number);
}

/* -- the map ----------------------------------------------------------------------------------------------------------
 */

/* The first cut in which the rule has not too many cells: these. */
static uint32_t find_cut(const made_t *made, const struct macs_rule *rule, spread_t *spread) {
    uint32_t cut = 0;
    if (made->free_count < made->quads / 4 + 6 * made->spread) /* spread no more */
        cut = made->cuts - 1;
    while (!spread_in(made, rule, cut, spread))
        cut++; /* the last takes any rule, in one cell */
    return cut;
}

static void put_into_cut(made_t *made, struct macs_rule *rule, uint32_t cut, const spread_t *spread) {
    rule->next = cut;
    for (uint32_t i = 0; i < spread->count; i++)
        put_into(made, &made->map.cells[spread->cells[i]], rule);
    if (cut + 1 == made->cuts)
        atomic_store_explicit(&made->map.cuts_used, made->cuts, memory_order_release);
}

bool macs_ternary_cells_put(made_t *made, struct macs_rule *rule, bool listed) {
    spread_t spread;
    uint32_t cut = find_cut(made, rule, &spread);
    bool last = cut + 1 == made->cuts;
    if (last && made->map.rows && macs_ternary_rows_put(made->map.rows, made->rules, rule))
        rule->next = MACS_TERNARY_CELLS_IN_ROWS;
    else if (last && made->map.rows && !listed)
        return false;
    else
        put_into_cut(made, rule, cut, &spread);
    made->added++;
    made->put++;
    return true;
}

void macs_ternary_cells_remove(made_t *made, const struct macs_rule *rule) {
    spread_t spread;
    made->gone++;
    if (rule->next == MACS_TERNARY_CELLS_IN_ROWS) {
        macs_ternary_rows_remove(made->map.rows, rule);
        return;
    }
    spread_in(made, rule, rule->next, &spread);
    for (uint32_t i = 0; i < spread.count; i++)
        remove_from(made, &made->map.cells[spread.cells[i]], rule);
}

void macs_ternary_cells_move(made_t *made, const struct macs_rule *rule, uint32_t from) {
    spread_t spread;
    if (rule->next == MACS_TERNARY_CELLS_IN_ROWS) {
        macs_ternary_rows_move(made->map.rows, rule);
        return;
    }
    spread_in(made, rule, rule->next, &spread);
    for (uint32_t i = 0; i < spread.count; i++) {
        _Atomic uint32_t *link = &made->map.cells[spread.cells[i]];
        uint32_t lane = find_in(made, &link, from);
        atomic_store_explicit(&quad_at(made, follow(link))->slots[lane], rule->slot, memory_order_release);
    }
}

static size_t quads_bytes(const made_t *made) {
    return (size_t)made->quads * made->quad_lines * 64;
}

/* Those of a map that is no more used go with it. */
static void release_quads(void *owner, void *first) {
    made_t *made = ((struct macs_ternary_cells *)owner)->made;
    uintptr_t offset = (uintptr_t)first - (uintptr_t)made->map.quads;
    if (offset >= quads_bytes(made))
        return;
    for (uint32_t number = (uint32_t)(offset / 64), next; number; number = next) {
        next = follow(after(made, number));
        give_quad(made, number);
    }
}

void macs_ternary_cells_defer_release(struct macs_ternary_cells *table) {
    made_t *made = table->made;
    if (!made->retired)
        return;
    void *first = quad_at(made, made->retired);
    made->retired = 0;
    macs_qsbr_defer(table->rules.qsbr, release_quads, table, first);
}

/* The quads behind which few entries stand: of all entries' cells one in eight. */
static uint32_t depth_of(const made_t *made, uint32_t cut) {
    uint32_t behind[DEPTH_MAX] = {0}, all = 0;
    uint32_t end = cut + 1 < made->cuts ? made->map.cuts[cut + 1].first : made->cells;
    for (uint32_t cell = made->map.cuts[cut].first; cell < end; cell++) {
        uint32_t depth = 0;
        for (uint32_t number = follow(&made->map.cells[cell]); number; number = follow(&quad_at(made, number)->next)) {
            all++;
            if (depth < DEPTH_MAX)
                behind[depth]++;
            depth++;
        }
    }
    uint32_t depth = 1, left = all - behind[0];
    while (depth < DEPTH_MAX && left * 8 > all)
        left -= behind[depth++];
    return depth;
}

static int compare_rules(const void *left, const void *right) {
    return wins(*(const struct macs_rule *const *)left, *(const struct macs_rule *const *)right) ? -1 : 1;
}

/* Put rules, the first to win first, into a map: the last ones first, so that quads are full. With rows those that no
 * cut but the last takes stay, in their order: how many. */
static uint32_t fill_cuts(made_t *made, struct macs_rule *sorted[], uint32_t count, bool rows) {
    spread_t spread;
    uint32_t left = 0;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t cut = find_cut(made, sorted[i], &spread);
        if (rows && cut + 1 == made->cuts)
            sorted[count - ++left] = sorted[i];
        else
            put_into_cut(made, sorted[i], cut, &spread);
    }
    memmove(sorted, sorted + count - left, left * sizeof *sorted);
    return left;
}

/* Put sorted rules into a map. False without memory; then some rules say that they are in it. */
static bool fill(made_t *made, struct macs_rule *sorted[], uint32_t count, bool rows) {
    count = fill_cuts(made, sorted, count, rows);
    if (count) {
        made->map.rows = macs_ternary_rows_make(made->rules, sorted, count);
        if (!made->map.rows)
            return false;
    }
    for (uint32_t i = 0; i < count; i++)
        sorted[i]->next = MACS_TERNARY_CELLS_IN_ROWS;
    for (uint32_t cut = 0; cut < made->cuts; cut++)
        made->map.cuts[cut].depth = depth_of(made, cut);
    made->strain = made->added = 0;
    return true;
}

/* What a rule says of its place. */
typedef struct {
    struct macs_rule *rule;
    uint32_t next, result;
} placed_t;

/* Put all rules into a map. False without memory: then all rules say what they said before. */
static bool fill_with_all(made_t *made, bool rows) {
    const struct macs_rules *rules = made->rules;
    size_t count = 0, room = (size_t)rules->values.count + 1;
    struct macs_rule **sorted = malloc(room * sizeof *sorted);
    placed_t *placed = malloc(room * sizeof *placed);
    bool whole = sorted && placed;
    for (uint32_t index = 0; whole && index < rules->values.indices.top; index++) {
        struct macs_rule *rule = macs_rules_at(rules, index);
        if (!rule->sequence)
            continue;
        placed[count] = (placed_t){rule, rule->next, rule->result};
        sorted[count++] = rule;
    }
    if (whole) {
        qsort(sorted, count, sizeof *sorted, compare_rules);
        whole = fill(made, sorted, (uint32_t)count, rows);
    }
    for (size_t i = 0; !whole && i < count; i++) {
        placed[i].rule->next = placed[i].next;
        placed[i].rule->result = placed[i].result;
    }
    free(sorted);
    free(placed);
    return whole;
}

made_t *macs_ternary_cells_make(const struct macs_rules *rules, const struct macs_ternary_cells_plan *plan) {
    made_t *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->rules = rules;
    made->cuts = plan->cuts;
    made->cells = plan->cells;
    made->spread = plan->spread;
    made->entries = rules->values.count;
    uint32_t spread = plan->rows && plan->cuts == 1 ? rules->values.count / LISTED_OF : rules->values.count;
    made->quads = QUADS_EACH * spread + QUADS_SPARE * plan->spread;
    made->quad_lines = 1 + (rules->key_bytes + 7) / 8;
    made->top = 1;
    made->free_count = made->quads - 1;
    made->map.quads = macs_memory_alloc(quads_bytes(made), true);
    made->map.cells = macs_memory_alloc(made->cells * sizeof *made->map.cells, true);
    memcpy(made->map.cuts, plan->cut, sizeof plan->cut);
    if (made->map.quads && made->map.cells) {
        clear(made, quad_at(made, 0));
        atomic_init(&made->map.cuts_used, made->cuts - 1);
        if (fill_with_all(made, plan->rows))
            return made;
    }
    macs_ternary_cells_free(made);
    return NULL;
}

void macs_ternary_cells_free(made_t *made) {
    if (!made)
        return;
    macs_ternary_rows_free(made->map.rows);
    macs_memory_free(made->map.quads, quads_bytes(made));
    macs_memory_free(made->map.cells, made->cells * sizeof *made->map.cells);
    free(made);
}

uint64_t macs_ternary_cells_bytes(const made_t *made) {
    return sizeof *made + (uint64_t)made->top * made->quad_lines * 64 + made->cells * sizeof *made->map.cells +
           (made->map.rows ? macs_ternary_rows_memory(made->map.rows) : 0);
}
