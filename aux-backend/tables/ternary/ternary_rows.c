/* The writer's side of bit-vector search; its layout and rules are in ternary_rows.h. */
#include "ternary_rows.h"

#include <stdlib.h>

#include "tables/common/hash.h"
#include "tables/common/memory.h"
#include "ternary_cells_values.h"

enum {
    VALUES = 256,  /* of a byte */
    YOUNG_OF = 16, /* entries, for each young place */
    YOUNG_MIN = 8,
    YOUNG_FEW = 8, /* with few entries, if there is room */
    YOUNG_MANY = MACS_BITS_WORDS * 64,
};

typedef struct macs_ternary_rows rows_t;
typedef struct macs_ternary_rows_byte byte_t;
typedef struct macs_ternary_cells_values values_t;

/* What rows are made in. */
typedef struct {
    const struct macs_rules *rules;
    struct macs_rule *const *sorted;
    uint32_t count;    /* of them */
    uint32_t first;    /* place of the first */
    uint32_t words;    /* of a row */
    uint64_t *drafts;  /* a row for each value of the current byte, and one of entries that take any value */
    uint64_t *made;    /* rows so far */
    size_t used, room; /* words of these */
} desk_t;

static uint64_t *draft_of(const desk_t *desk, uint32_t value) {
    return desk->drafts + (size_t)value * desk->words;
}

/* Draft the rows of byte `at`: false when all entries take any value. */
static bool draft(desk_t *desk, uint32_t at) {
    bool some = false;
    memset(desk->drafts, 0, (VALUES + 1) * (size_t)desk->words * sizeof *desk->drafts);
    for (uint32_t i = 0; i < desk->count; i++) {
        values_t values = macs_ternary_cells_values(desk->rules, desk->sorted[i], at);
        uint32_t place = desk->first + i;
        uint64_t bit = UINT64_C(1) << place % 64;
        if (macs_ternary_cells_any(&values)) {
            draft_of(desk, VALUES)[place / 64] |= bit;
            continue;
        }
        some = true;
        for (uint32_t word = 0; word < 4; word++)
            for (uint64_t left = values.has[word]; left; left &= left - 1)
                draft_of(desk, word * 64 + (uint32_t)__builtin_ctzll(left))[place / 64] |= bit;
    }
    for (uint32_t value = 0; some && value < VALUES; value++)
        for (uint32_t i = 0; i < desk->words; i++)
            draft_of(desk, value)[i] |= draft_of(desk, VALUES)[i];
    return some;
}

/* Room for the rows of one more byte. */
static bool make_room(desk_t *desk) {
    size_t most = VALUES * (size_t)desk->words;
    if (desk->room - desk->used >= most)
        return true;
    size_t room = 2 * desk->room + most;
    uint64_t *made = malloc(room * sizeof *made);
    if (!made)
        return false;
    if (desk->used)
        memcpy(made, desk->made, desk->used * sizeof *made);
    free(desk->made);
    desk->made = made;
    desk->room = room;
    return true;
}

/* Remove duplicate drafts. There is room for all. */
static void keep(desk_t *desk, byte_t *byte) {
    size_t row_bytes = desk->words * sizeof *desk->made, first = desk->used;
    uint16_t known[2 * VALUES] = {0}; /* row + 1 by hash */
    for (uint32_t value = 0; value < VALUES; value++) {
        const uint64_t *row = draft_of(desk, value);
        uint32_t place = (uint32_t)macs_hash_bytes((const uint8_t *)row, (uint32_t)row_bytes, 0) % (2 * VALUES);
        while (known[place] && memcmp(desk->made + first + (known[place] - 1) * (size_t)desk->words, row, row_bytes))
            place = (place + 1) % (2 * VALUES);
        if (!known[place]) {
            memcpy(desk->made + desk->used, row, row_bytes);
            desk->used += desk->words;
            known[place] = (uint16_t)++byte->count;
        }
        byte->number[value] = (uint8_t)(known[place] - 1);
        atomic_init(&byte->row[value], (uint32_t)(first + byte->number[value] * (size_t)desk->words));
    }
}

/* Rows of all bytes that need some; of the last in any case when none does, as places without entries need one. */
static bool fill(desk_t *desk, rows_t *rows) {
    uint32_t key_bytes = desk->rules->key_bytes;
    for (uint32_t at = 0; at < key_bytes; at++) {
        if (!draft(desk, at)) {
            if (rows->bytes || at + 1 < key_bytes)
                continue;
            for (uint32_t value = 0; value < VALUES; value++)
                memcpy(draft_of(desk, value), draft_of(desk, VALUES), desk->words * sizeof *desk->drafts);
        }
        if (!make_room(desk))
            return false;
        rows->byte[rows->bytes].at = at;
        keep(desk, &rows->byte[rows->bytes++]);
    }
    return true;
}

static void take_place(rows_t *rows, struct macs_rule *rule, uint32_t number) {
    struct macs_ternary_rows_place *place = &rows->places[number];
    rule->result = number;
    atomic_store_explicit(&place->order, rule->order + MACS_TERNARY_ROWS_ORDER, memory_order_relaxed);
    atomic_store_explicit(&place->slot, rule->slot, memory_order_release);
}

static bool fill_places(const desk_t *desk, rows_t *rows) {
    uint32_t last = rows->lines * MACS_TERNARY_ROWS_LINE;
    rows->places = calloc((size_t)last + 1, sizeof *rows->places);
    if (!rows->places)
        return false;
    for (uint32_t i = 0; i < desk->count; i++)
        take_place(rows, desk->sorted[i], desk->first + i);
    atomic_init(&rows->places[last].order, 1);
    return true;
}

/* The rows to where readers find them, with room for some for each young place. */
static bool copy_rows(const desk_t *desk, rows_t *rows) {
    rows->used = desk->used;
    rows->words = desk->used;
    for (uint32_t i = 0; i < rows->bytes; i++) {
        uint32_t more = VALUES - rows->byte[i].count;
        rows->words += (more < rows->young_end ? more : rows->young_end) * (uint64_t)desk->words;
    }
    rows->rows = macs_memory_alloc(rows->words * sizeof *rows->rows, false);
    for (size_t i = 0; rows->rows && i < desk->used; i++)
        atomic_init(&rows->rows[i], desk->made[i]);
    return rows->rows;
}

static size_t own_bytes(uint32_t key_bytes) {
    return sizeof(rows_t) + key_bytes * sizeof(byte_t);
}

static uint32_t lines_for(uint32_t count) {
    uint32_t lines = (count + MACS_TERNARY_ROWS_LINE - 1) / MACS_TERNARY_ROWS_LINE;
    return lines > 1 ? lines + lines % 2 : 1;
}

/* The number of young places: the rest of the lines, and one or two lines more if that is too little. */
static void choose_young(rows_t *made, const struct macs_rules *rules, uint32_t count) {
    uint32_t young = count / YOUNG_OF, can_come = rules->values.size - rules->values.count;
    young = young < YOUNG_FEW ? YOUNG_FEW : young > YOUNG_MANY ? YOUNG_MANY : young;
    young = young < can_come ? young : can_come;
    uint32_t few = young < YOUNG_MIN ? young : YOUNG_MIN;
    if (made->lines * MACS_TERNARY_ROWS_LINE < count + few)
        made->lines = lines_for(count + young);
    uint32_t left = made->lines * MACS_TERNARY_ROWS_LINE - count;
    made->young_end = young < left ? young : left;
    for (uint32_t place = 0; place < made->young_end; place++)
        made->young[place / 64] |= UINT64_C(1) << place % 64;
}

static rows_t *make_empty(const struct macs_rules *rules, uint32_t count) {
    rows_t *made = macs_memory_alloc(own_bytes(rules->key_bytes), false);
    if (!made)
        return NULL;
    made->key_bytes = rules->key_bytes;
    made->lines = lines_for(count);
    choose_young(made, rules, count);
    return made;
}

rows_t *macs_ternary_rows_make(const struct macs_rules *rules, struct macs_rule *const sorted[], uint32_t count) {
    rows_t *made = make_empty(rules, count);
    if (!made)
        return NULL;
    desk_t desk = {.rules = rules,
                   .sorted = sorted,
                   .count = count,
                   .first = made->young_end,
                   .words = made->lines * MACS_BITS_WORDS};
    desk.drafts = malloc((VALUES + 1) * (size_t)desk.words * sizeof *desk.drafts);
    bool whole = desk.drafts && fill(&desk, made) && fill_places(&desk, made) && copy_rows(&desk, made);
    free(desk.drafts);
    free(desk.made);
    if (whole)
        return made;
    macs_ternary_rows_free(made);
    return NULL;
}

void macs_ternary_rows_free(rows_t *rows) {
    if (!rows)
        return;
    macs_memory_free(rows->rows, rows->words * sizeof *rows->rows);
    free(rows->places);
    macs_memory_free(rows, own_bytes(rows->key_bytes));
}

/* -- changes ----------------------------------------------------------------------------------------------------------
 */

/* Rows of a byte of which a set of values has some but not all. */
typedef struct {
    uint32_t count;
    bool inside[VALUES], outside[VALUES]; /* by number */
} split_t;

static void find_splits(const byte_t *byte, const values_t *values, split_t *split) {
    memset(split, 0, sizeof *split);
    for (uint32_t value = 0; value < VALUES; value++) {
        bool *seen = macs_ternary_cells_has(values, value) ? split->inside : split->outside;
        seen[byte->number[value]] = true;
    }
    for (uint32_t number = 0; number < byte->count; number++)
        split->count += split->inside[number] && split->outside[number];
}

/* Whether there are rows for all bytes that the rule asks for, and room for those that it parts. */
static bool has_room(const rows_t *rows, const struct macs_rules *rules, const struct macs_rule *rule) {
    uint32_t next = 0, words = rows->lines * MACS_BITS_WORDS;
    uint64_t needed = 0;
    for (uint32_t at = 0; at < rules->key_bytes; at++) {
        values_t values = macs_ternary_cells_values(rules, rule, at);
        bool known = next < rows->bytes && rows->byte[next].at == at;
        split_t split;
        if (!known && !macs_ternary_cells_any(&values))
            return false;
        if (known)
            find_splits(&rows->byte[next++], &values, &split);
        needed += known ? (uint64_t)split.count * words : 0;
    }
    return needed <= rows->words - rows->used;
}

/* The start of a copy of a row, which is not published yet. */
static uint32_t copy_row(rows_t *rows, uint32_t from) {
    uint32_t words = rows->lines * MACS_BITS_WORDS, copy = (uint32_t)rows->used;
    for (uint32_t i = 0; i < words; i++)
        atomic_store_explicit(&rows->rows[copy + i], atomic_load_explicit(&rows->rows[from + i], memory_order_relaxed),
                              memory_order_relaxed);
    rows->used += words;
    return copy;
}

static void set_bit(rows_t *rows, uint32_t row, uint32_t place, bool to) {
    _Atomic uint64_t *word = &rows->rows[row + place / 64];
    uint64_t bit = UINT64_C(1) << place % 64, is = atomic_load_explicit(word, memory_order_relaxed);
    if (to != ((is & bit) != 0)) /* most values of a row see it done */
        atomic_store_explicit(word, is ^ bit, memory_order_relaxed);
}

/* Put a place's bit into the rows of these values of a byte. */
static void put_bit(rows_t *rows, byte_t *byte, const values_t *values, uint32_t place) {
    uint32_t copies[VALUES], first_copy = byte->count;
    uint8_t copy_of[VALUES];
    split_t split;
    find_splits(byte, values, &split);
    for (uint32_t value = 0; value < VALUES; value++) {
        uint32_t number = byte->number[value], row = atomic_load_explicit(&byte->row[value], memory_order_relaxed);
        if (!macs_ternary_cells_has(values, value))
            continue;
        bool parted = split.outside[number];
        if (parted && split.inside[number]) { /* its first value here */
            split.inside[number] = false;
            copy_of[number] = (uint8_t)byte->count;
            copies[byte->count++ - first_copy] = copy_row(rows, row);
        }
        if (parted) {
            row = copies[copy_of[number] - first_copy];
            byte->number[value] = copy_of[number];
        }
        set_bit(rows, row, place, true);
        if (parted)
            atomic_store_explicit(&byte->row[value], row, memory_order_release);
    }
}

bool macs_ternary_rows_put(rows_t *rows, const struct macs_rules *rules, struct macs_rule *rule) {
    if (rows->young_top == rows->young_end || !has_room(rows, rules, rule))
        return false;
    take_place(rows, rule, rows->young_top++);
    for (uint32_t i = 0; i < rows->bytes; i++) {
        values_t values = macs_ternary_cells_values(rules, rule, rows->byte[i].at);
        put_bit(rows, &rows->byte[i], &values, rule->result);
    }
    return true;
}

void macs_ternary_rows_remove(rows_t *rows, const struct macs_rule *rule) {
    const byte_t *fewest = rows->byte;
    for (uint32_t i = 1; i < rows->bytes; i++)
        if (rows->byte[i].count < fewest->count)
            fewest = &rows->byte[i];
    for (uint32_t value = 0; value < VALUES; value++) {
        uint32_t row = atomic_load_explicit(&fewest->row[value], memory_order_relaxed);
        set_bit(rows, row, rule->result, false);
    }
}

void macs_ternary_rows_move(rows_t *rows, const struct macs_rule *rule) {
    atomic_store_explicit(&rows->places[rule->result].slot, rule->slot, memory_order_release);
}

uint64_t macs_ternary_rows_memory(const rows_t *rows) {
    return sizeof *rows + rows->bytes * sizeof *rows->byte + rows->used * sizeof *rows->rows +
           ((uint64_t)rows->lines * MACS_TERNARY_ROWS_LINE + 1) * sizeof *rows->places;
}
