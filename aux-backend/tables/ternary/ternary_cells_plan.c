/* A greedy choice of cuts: the byte with which lookups are cheapest, by estimates on a sample of entries; then a second
 * byte; then the next cut.
 *
 * Values of a byte that can match the same entries are one class. A draft of a cut is judged by the sample alone. Once
 * its bytes are chosen, its classes are made for all entries. This is done for a few limits of the number of cells that
 * an entry may have, and the cheapest plan is taken. No cut is added where the remaining entries are cheaper in bit
 * vectors.
 */
#include "ternary_cells_plan.h"

#include <errno.h>
#include <stdlib.h>

#include "tables/common/hash.h"
#include "ternary_cells_sample.h"

enum {
    SAMPLE = MACS_TERNARY_CELLS_SAMPLE,
    ROW_WORDS = MACS_TERNARY_CELLS_ROW_WORDS,
    KEYS = MACS_TERNARY_CELLS_KEYS,
    VALUES = 256, /* of a byte */
    CELLS_MIN = 64,
    CELLS_EACH = 8, /* for each entry, of a cut at most */
    CELLS_MAX = UINT16_MAX + 1,
    ROWS_MAX = 1 << 21, /* entries times bytes: 64 MiB */
    NAMED_EACH = 4,     /* values that entries name, for each class of those that none does */
    PICKED = MACS_TERNARY_CELLS_PICKED,
    LANES = MACS_SCAN_LANES,
};

/* What a lookup costs, in quads; found by measuring. */
#define COST_CUT 0.5     /* each cut, beside its quads */
#define COST_MORE 2.0    /* each quad of a cell behind the first */
#define COST_LATER 0.05  /* each quad of entries that are left to later cuts */
#define COST_SPREAD 0.02 /* each cell of an entry behind the first: memory */
#define COST_RANGES 3.0  /* each cut of a table with ranges: entries that match but for these are looked at singly */
#define COST_ON 1.5      /* rows of more than two lines */
#define COST_FAR 1.5     /* the same for each of their bytes, beside one of two lines */
#define COST_LITTLE 2.5  /* nothing needs to be tried to have less */
#define COST_TOO_MUCH 1e9
#define GAIN_MIN 0.05 /* of one more byte */

#define COST_ROWS 0.2  /* rows, if there are some */
#define COST_BYTE 0.04 /* each byte of the key that they are of */
#define COST_LINE 0.06 /* a line of each of these, and as much for each load of it */

#define ROOM_EACH 6 /* cells of each entry, on average */

typedef struct macs_ternary_cells_values values_t;
typedef struct macs_ternary_cells_row row_t;
typedef struct macs_ternary_cells_sample sample_t;

/* A draft of a cut. */
typedef struct {
    uint32_t picks, cells;
    uint32_t picked[PICKED];
    uint32_t limit; /* cells of an entry at most */
    double room;    /* cells of all entries at most */
    double cost;
    row_t kept;              /* entries that it takes */
    row_t found[KEYS];       /* by each key, if they are kept */
    uint32_t spread[SAMPLE]; /* cells of each entry */
} draft_t;

/* The classes of a byte's values. */
typedef struct {
    uint32_t count;
    uint8_t of[VALUES];
} classes_t;

/* -- classes ----------------------------------------------------------------------------------------------------------
 */

/* Classes of a byte's values, from a mark of each that is the same for values which the same entries may match. */
static void learn_classes(const uint64_t marks[VALUES], classes_t *classes) {
    uint64_t first[VALUES];
    uint16_t known[2 * VALUES] = {0}; /* class + 1 by mark */
    classes->count = 0;
    for (uint32_t value = 0; value < VALUES; value++) {
        uint32_t place = (uint32_t)(marks[value] % (2 * VALUES));
        while (known[place] && first[known[place] - 1] != marks[value])
            place = (place + 1) % (2 * VALUES);
        if (!known[place]) {
            first[classes->count] = marks[value];
            known[place] = (uint16_t)++classes->count;
        }
        classes->of[value] = (uint8_t)(known[place] - 1);
    }
}

/* The number of classes of byte `at` that contain values of an entry. */
static uint32_t classes_met(const struct macs_rules *rules, const struct macs_rule *rule, uint32_t at,
                            const classes_t *classes) {
    values_t values = macs_ternary_cells_values(rules, rule, at), met = {{0}};
    uint32_t count = 0;
    if (macs_ternary_cells_any(&values))
        return classes->count;
    for (uint32_t word = 0; word < 4; word++) {
        for (uint64_t left = values.has[word]; left; left &= left - 1) {
            uint32_t class = classes->of[word * 64 + (uint32_t)__builtin_ctzll(left)];
            count += !macs_ternary_cells_has(&met, class);
            met.has[class / 64] |= UINT64_C(1) << class % 64;
        }
    }
    return count;
}

/* -- cuts -------------------------------------------------------------------------------------------------------------
 */

static double quads_of(double entries) {
    return entries <= LANES ? 1 : 1 + (entries - LANES) / LANES * COST_MORE;
}

/* What a lookup costs with this cut, and with what comes after it for the entries that it does not take. */
static double cost_of(const sample_t *sample, const draft_t *draft) {
    double quads = 0, cells = 0;
    uint32_t keys = 0, kept = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        if (macs_ternary_cells_row_has(&draft->kept, sample->owner[i])) {
            row_t found = macs_ternary_cells_row_and(&draft->found[i], &draft->kept);
            quads += quads_of(macs_ternary_cells_row_count(&found) * sample->scale);
            keys++;
        }
    }
    for (uint32_t i = 0; i < sample->count; i++) {
        if (macs_ternary_cells_row_has(&draft->kept, i)) {
            cells += draft->spread[i];
            kept++;
        }
    }
    if (!keys || !kept || cells * sample->scale > draft->room)
        return COST_TOO_MUCH;
    double later = (sample->count - kept) * sample->scale;
    return quads / keys + COST_SPREAD * (cells / kept - 1) + (later > 0 ? COST_CUT : 0) + COST_LATER * later / LANES;
}

/* The draft with one byte more; false where it has too many cells. */
static bool extend(const sample_t *sample, const draft_t *draft, uint32_t at, uint32_t cells_max, draft_t *longer) {
    uint64_t marks[VALUES];
    classes_t classes;
    const uint8_t *same = sample->same + (size_t)at * VALUES;
    for (uint32_t value = 0; value < VALUES; value++) {
        if (same[value] == value) {
            row_t row = macs_ternary_cells_row_and(macs_ternary_cells_row_of(sample, at, value), &draft->kept);
            marks[value] = macs_hash_bytes((const uint8_t *)&row, sizeof row, 0);
        } else {
            marks[value] = marks[same[value]];
        }
    }
    learn_classes(marks, &classes);
    if (classes.count < 2 || draft->cells * classes.count > cells_max)
        return false;
    *longer = *draft;
    longer->picked[longer->picks++] = at;
    longer->cells *= classes.count;
    for (uint32_t i = 0; i < sample->count; i++) {
        if (!macs_ternary_cells_row_has(&draft->kept, i))
            continue;
        uint32_t spread = draft->spread[i] * classes_met(sample->rules, sample->rule[i], at, &classes);
        longer->spread[i] = spread;
        if (spread > draft->limit)
            longer->kept.has[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
    for (uint32_t i = 0; i < KEYS; i++)
        longer->found[i] = macs_ternary_cells_row_and(&draft->found[i], macs_ternary_cells_row_for(sample, at, i));
    return true;
}

/* Add the byte that lowers the cost most to a draft, if there is one. Three drafts: this, and two to work with. */
static bool improve(const sample_t *sample, uint32_t cells_max, draft_t drafts[3]) {
    draft_t *draft = &drafts[0], *best = &drafts[1], *tried = &drafts[2];
    best->cost = draft->cost - GAIN_MIN;
    bool better = false;
    for (uint32_t at = 0; at < sample->rules->key_bytes && draft->picks < PICKED; at++) {
        if (!extend(sample, draft, at, cells_max, tried))
            continue;
        tried->cost = cost_of(sample, tried);
        if (tried->cost < best->cost) {
            *best = *tried;
            better = true;
        }
    }
    if (better)
        *draft = *best;
    return better;
}

/* Bytes for a cut for the entries that the sample was drawn from; false when none is worth it. */
static bool choose_bytes(const sample_t *sample, uint32_t limit, double room, draft_t drafts[3]) {
    uint32_t wanted = sample->rules->values.count * CELLS_EACH;
    uint32_t cells_max = wanted < CELLS_MIN ? CELLS_MIN : wanted > CELLS_MAX ? CELLS_MAX : wanted;
    draft_t *draft = &drafts[0];
    memset(draft, 0, sizeof *draft);
    draft->cells = 1;
    for (uint32_t i = 0; i < sample->count; i++)
        macs_ternary_cells_row_set(&draft->kept, i);
    draft->limit = limit;
    draft->room = room;
    for (uint32_t i = 0; i < sample->count; i++)
        draft->spread[i] = 1;
    for (uint32_t i = 0; i < KEYS; i++)
        draft->found[i] = draft->kept;
    draft->cost = quads_of(sample->count * sample->scale);
    while (improve(sample, cells_max, drafts))
        continue;
    return draft->picks > 0;
}

/* -- all entries ------------------------------------------------------------------------------------------------------
 */

/* How many cells each entry of the table has in the current cut; 0 for those of other cuts, and for free indices. */
typedef struct {
    const struct macs_rules *rules;
    uint32_t count; /* indices */
    uint32_t limit; /* as in drafts */
    uint32_t spread[];
} everyone_t;

static everyone_t *everyone_make(const struct macs_rules *rules) {
    everyone_t *all = calloc(1, sizeof *all + rules->values.indices.top * sizeof *all->spread);
    if (!all)
        return NULL;
    all->rules = rules;
    all->count = rules->values.indices.top;
    return all;
}

static void everyone_begin(everyone_t *all, uint32_t limit) {
    all->limit = limit;
    for (uint32_t i = 0; i < all->count; i++)
        all->spread[i] = macs_rules_at(all->rules, i)->sequence != 0;
}

/* Whether the current cut takes the entry. */
static bool takes(const everyone_t *all, uint32_t index) {
    return all->spread[index] && all->spread[index] <= all->limit;
}

/* Values that no entry names would be one class, in which entries with new values would crowd: part them. */
static void part_others(uint64_t marks[VALUES]) {
    uint32_t named = 0;
    for (uint32_t value = 0; value < VALUES; value++)
        named += marks[value] != 0;
    for (uint32_t value = 0; value < VALUES; value++)
        if (marks[value] == 0)
            marks[value] = 1 + value % (1 + named / NAMED_EACH);
}

/* Classes of the values of byte `at` for all entries that the current cut takes. */
static void learn_all_classes(const everyone_t *all, uint32_t at, classes_t *classes) {
    uint64_t marks[VALUES] = {0};
    for (uint32_t i = 0; i < all->count; i++) {
        if (!takes(all, i))
            continue;
        values_t values = macs_ternary_cells_values(all->rules, macs_rules_at(all->rules, i), at);
        uint64_t mark = macs_ternary_cells_any(&values) ? 0 : macs_hash_fold(i + MACS_HASH_ROOT3, MACS_HASH_PHI);
        for (uint32_t word = 0; mark && word < 4; word++)
            for (uint64_t left = values.has[word]; left; left &= left - 1)
                marks[word * 64 + (uint32_t)__builtin_ctzll(left)] += mark;
    }
    part_others(marks);
    learn_classes(marks, classes);
}

/* Add a byte to a cut, unless it gets too many cells. */
static void add_byte(everyone_t *all, uint32_t at, struct macs_ternary_cells_cut *cut, uint32_t *cells) {
    classes_t classes;
    learn_all_classes(all, at, &classes);
    if (*cells * classes.count > CELLS_MAX)
        return;
    for (uint32_t i = 0; i < all->count; i++)
        if (takes(all, i))
            all->spread[i] *= classes_met(all->rules, macs_rules_at(all->rules, i), at, &classes);
    cut->picked[cut->picks] = at;
    cut->strides[cut->picks] = *cells;
    for (uint32_t value = 0; value < VALUES; value++)
        cut->classes[cut->picks][value] = (uint16_t)(classes.of[value] * *cells);
    cut->picks++;
    *cells *= classes.count;
}

/* Add the cut of a draft's bytes; what it does not take is for the next one. How many cells the entries have in it. */
static double add_cut(everyone_t *all, const draft_t *draft, struct macs_ternary_cells_plan *plan) {
    struct macs_ternary_cells_cut *cut = &plan->cut[plan->cuts++];
    uint32_t cells = 1;
    double taken = 0;
    for (uint32_t i = 0; i < draft->picks; i++)
        add_byte(all, draft->picked[i], cut, &cells);
    cut->first = plan->cells;
    plan->cells += cells;
    for (uint32_t i = 0; i < all->count; i++) {
        taken += takes(all, i) ? all->spread[i] : 0;
        all->spread[i] = all->spread[i] > all->limit;
    }
    return taken;
}

/* What lookups of all keys cost in a cut, beyond the cut itself. */
static double cost_in_cut(const sample_t *sample, const draft_t *draft) {
    double quads = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        row_t found = macs_ternary_cells_row_and(&draft->found[i], &draft->kept);
        quads += quads_of(macs_ternary_cells_row_count(&found) * sample->scale);
    }
    return quads / KEYS;
}

/* Bytes of the key in which entries of the sample differ. */
static uint32_t bytes_that_tell(const sample_t *sample) {
    uint32_t count = 0;
    for (uint32_t at = 0; at < sample->rules->key_bytes; at++)
        for (uint32_t value = 1; value < VALUES; value++)
            if (sample->same[(size_t)at * VALUES + value]) {
                count++;
                break;
            }
    return count;
}

/* What rows cost of so many entries and bytes. More than two lines are out of the nearest cache, and are gone on in by
 * a branch. */
static double cost_of_rows(double entries, uint32_t bytes) {
    double lines = entries / MACS_TERNARY_ROWS_LINE, passes = (double)((uint32_t)(lines / 2) + 1);
    double line = COST_LINE * (1 + MACS_BITS_LOADS);
    if (entries * bytes > ROWS_MAX)
        return COST_TOO_MUCH;
    if (lines <= 2)
        return COST_ROWS + bytes * (COST_BYTE + (lines <= 1 ? 1 : 2) * line);
    return COST_ON + passes * bytes * (COST_BYTE + 2 * line) * COST_FAR;
}

/* What lookups cost in the entries that are left to the last cut, and whether it is better to have rows. */
static double cost_of_rest(const sample_t *sample, bool *rows) {
    double entries = sample->count * sample->scale, listed = COST_CUT + quads_of(entries);
    double in_rows = cost_of_rows(entries, bytes_that_tell(sample));
    *rows = sample->count && in_rows <= listed;
    if (sample->count == 0)
        return 0;
    return *rows ? in_rows : listed;
}

/* What choosing needs: a sample of all entries, one of those that are left, and drafts. */
typedef struct {
    sample_t *whole, *rest;
    everyone_t *all;
    draft_t drafts[3];
    struct macs_ternary_cells_plan tried;
} desk_t;

/* Cuts in which no entry has more than `limit` cells, into `tried`: what a lookup costs then. */
static double choose_cuts(desk_t *desk, uint32_t limit) {
    struct macs_ternary_cells_plan *plan = &desk->tried;
    const sample_t *sample = desk->whole;
    double cost = 0, room = ROOM_EACH * sample->rules->values.count;
    memset(plan, 0, sizeof *plan);
    plan->spread = limit;
    double best = cost_of_rest(sample, &plan->rows);
    uint32_t cuts = 0, cells = 0;
    everyone_begin(desk->all, limit);
    while (sample->count && plan->cuts < MACS_TERNARY_CELLS_CUTS - 1) {
        double least = sample->rules->values.count; /* the last few need little, and much is gained */
        if (!choose_bytes(sample, limit, room > least ? room : least, desk->drafts))
            break;
        cost += COST_CUT + cost_in_cut(sample, desk->drafts) + (sample->rules->ranges ? COST_RANGES : 0);
        room -= add_cut(desk->all, desk->drafts, plan);
        macs_ternary_cells_draw(desk->rest, desk->all->spread, desk->all->count);
        sample = desk->rest;
        bool rows = false;
        double whole = cost + cost_of_rest(sample, &rows);
        if (whole < best) {
            best = whole;
            cuts = plan->cuts;
            cells = plan->cells;
            plan->rows = rows;
        }
    }
    memset(&plan->cut[cuts], 0, sizeof plan->cut[cuts]);
    plan->cut[cuts].first = cells;
    plan->cuts = cuts + 1;
    plan->cells = cells + 1;
    return best;
}

/* The cheapest cuts that are found by a sample: 0 or -ENOMEM. */
static int choose_by_sample(const struct macs_rules *rules, struct macs_ternary_cells_plan *plan) {
    static const uint32_t limits[] = {16, 64, MACS_TERNARY_CELLS_SPREAD};
    desk_t *desk = calloc(1, sizeof *desk);
    if (!desk)
        return -ENOMEM;
    desk->whole = macs_ternary_cells_sample_make(rules);
    desk->rest = macs_ternary_cells_sample_make(rules);
    desk->all = everyone_make(rules);
    int error = desk->whole && desk->rest && desk->all ? 0 : -ENOMEM;
    double least = COST_TOO_MUCH;
    for (uint32_t i = 0; !error && i < sizeof limits / sizeof *limits; i++) {
        if (i == 0) {
            everyone_begin(desk->all, limits[i]);
            macs_ternary_cells_draw(desk->whole, desk->all->spread, desk->all->count);
        }
        double cost = choose_cuts(desk, limits[i]);
        if (cost < least) {
            *plan = desk->tried;
            least = cost;
        }
    }
    free(desk->all);
    macs_ternary_cells_sample_free(desk->whole);
    macs_ternary_cells_sample_free(desk->rest);
    free(desk);
    return error;
}

/* Bytes of the key that any entry looks at. */
static uint32_t bytes_looked_at(const struct macs_rules *rules) {
    uint32_t count = 0;
    for (uint32_t at = 0; at < rules->key_bytes; at++) {
        bool any = true;
        for (uint32_t index = 0; any && index < rules->values.indices.top; index++) {
            const struct macs_rule *rule = macs_rules_at(rules, index);
            values_t values = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
            if (rule->sequence)
                values = macs_ternary_cells_values(rules, rule, at);
            any = macs_ternary_cells_any(&values);
        }
        count += !any;
    }
    return count;
}

int macs_ternary_cells_choose(const struct macs_rules *rules, struct macs_ternary_cells_plan *plan) {
    if (cost_of_rows(rules->values.count, bytes_looked_at(rules)) <= COST_LITTLE) {
        *plan = (struct macs_ternary_cells_plan){.cuts = 1, .cells = 1, .spread = 1, .rows = true};
        return 0;
    }
    return choose_by_sample(rules, plan);
}
