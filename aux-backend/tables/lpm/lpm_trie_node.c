/* Nodes of the path-compressed trie: decoded into runs, and built from them. */
#include "lpm_trie_node.h"

#include <errno.h>
#include <string.h>

typedef struct macs_lpm_trie table_t;
typedef struct macs_lpm_trie_node node_t;
typedef struct macs_lpm_trie_spread spread_t;
typedef struct macs_lpm_trie_run run_t;

void macs_lpm_trie_node_clear(spread_t *spread, const uint8_t *skip_bytes, uint32_t skip) {
    spread->runs[0] = (run_t){0};
    spread->runs[1] = (run_t){.first = 256};
    spread->count = 1;
    spread->inherited = 0;
    spread->skip = skip;
    memcpy(spread->skip_bytes, skip_bytes, skip);
}

/* The bytes before a node's own, as struct macs_lpm_trie_node has them. */
static uint64_t path_of(const spread_t *spread) {
    uint64_t path = 56 - 8 * spread->skip;
    for (uint32_t i = 0; i < spread->skip; i++)
        path |= (uint64_t)spread->skip_bytes[i] << (56 - 8 * i);
    return path;
}

void macs_lpm_trie_node_spread(const table_t *table, uint32_t entry, spread_t *spread) {
    const node_t *node = macs_lpm_trie_node_at(table, entry);
    uint32_t count = 0;
    spread->inherited = atomic_load_explicit(&node->inherited, memory_order_relaxed);
    spread->skip = macs_lpm_trie_skip(node->path);
    for (uint32_t i = 0; i < MACS_LPM_TRIE_SKIP; i++)
        spread->skip_bytes[i] = (uint8_t)(node->path >> (56 - 8 * i));
    for (uint32_t word = 0; word < 4; word++) {
        for (uint64_t left = node->runs[word]; left; left &= left - 1) {
            uint32_t now = atomic_load_explicit(&node->entries[count], memory_order_relaxed);
            uint32_t first = word * 64 + (uint32_t)__builtin_ctzll(left);
            bool leads = now & MACS_LPM_TRIE_NODE;
            spread->runs[count++] = (run_t){first, leads ? MACS_LPM_TRIE_UNKNOWN : now, leads ? now : 0};
        }
    }
    spread->runs[count] = (run_t){.first = 256};
    spread->count = count;
}

uint32_t macs_lpm_trie_node_cut(spread_t *spread, uint32_t byte) {
    uint32_t place = 0;
    while (spread->runs[place].first < byte)
        place++;
    if (spread->runs[place].first == byte)
        return place;
    memmove(&spread->runs[place + 1], &spread->runs[place], (spread->count - place + 1) * sizeof *spread->runs);
    spread->runs[place] = spread->runs[place - 1];
    spread->runs[place].first = byte;
    spread->count++;
    return place;
}

run_t *macs_lpm_trie_node_single(spread_t *spread, uint8_t byte) {
    uint32_t place = macs_lpm_trie_node_cut(spread, byte);
    macs_lpm_trie_node_cut(spread, byte + 1u);
    return &spread->runs[place];
}

uint32_t macs_lpm_trie_node_answer(const table_t *table, run_t *run) {
    if (run->answer == MACS_LPM_TRIE_UNKNOWN)
        run->answer = atomic_load_explicit(&macs_lpm_trie_node_at(table, run->child)->inherited, memory_order_relaxed);
    return run->answer;
}

static size_t node_bytes(uint32_t count) {
    return sizeof(node_t) + count * sizeof(uint32_t);
}

uint32_t macs_lpm_trie_node_make(table_t *table, const spread_t *spread) {
    uint32_t count = 0, entries[256], last = 0;
    uint64_t runs[4] = {0};
    for (const run_t *run = spread->runs; run < spread->runs + spread->count; run++) {
        uint32_t entry = run->child ? run->child : run->answer;
        if (run->first && entry == last)
            continue;
        runs[run->first / 64] |= UINT64_C(1) << run->first % 64;
        entries[count++] = last = entry;
    }
    uint32_t block = macs_arena_alloc(&table->arena, node_bytes(count));
    if (!block)
        return 0;
    if (table->arena.chunk_count > MACS_LPM_TRIE_NEAR_CHUNKS)
        atomic_store_explicit(&table->bulk_min, MACS_LPM_TRIE_BULK_FAR, memory_order_relaxed);
    node_t *node = macs_arena_at(&table->arena, block);
    memcpy(node->runs, runs, sizeof runs);
    node->before[0] = 0;
    for (uint32_t i = 1; i < 4; i++)
        node->before[i] = (uint8_t)(node->before[i - 1] + (uint32_t)__builtin_popcountll(runs[i - 1]));
    node->path = path_of(spread);
    atomic_init(&node->inherited, spread->inherited);
    for (uint32_t i = 0; i < count; i++)
        atomic_init(&node->entries[i], entries[i]);
    return block | MACS_LPM_TRIE_NODE;
}

void macs_lpm_trie_node_bequeath(const table_t *table, const spread_t *spread) {
    for (const run_t *run = spread->runs; run < spread->runs + spread->count; run++) {
        if (run->child == 0 || run->answer == MACS_LPM_TRIE_UNKNOWN)
            continue;
        _Atomic uint32_t *inherited = &macs_lpm_trie_node_at(table, run->child)->inherited;
        if (atomic_load_explicit(inherited, memory_order_relaxed) != run->answer)
            atomic_store_explicit(inherited, run->answer, memory_order_release);
    }
}

uint32_t macs_lpm_trie_node_count(const node_t *node) {
    return node->before[3] + (uint32_t)__builtin_popcountll(node->runs[3]);
}

void macs_lpm_trie_node_free(table_t *table, uint32_t entry) {
    const node_t *node = macs_lpm_trie_node_at(table, entry);
    macs_arena_free(&table->arena, entry & ~MACS_LPM_TRIE_NODE, node_bytes(macs_lpm_trie_node_count(node)));
}

/* Recursion is as deep as the key has bytes. */
void macs_lpm_trie_node_free_all(table_t *table, uint32_t entry) {
    if (!(entry & MACS_LPM_TRIE_NODE))
        return;
    node_t *node = macs_lpm_trie_node_at(table, entry);
    for (uint32_t i = 0; i < macs_lpm_trie_node_count(node); i++)
        macs_lpm_trie_node_free_all(table, atomic_load_explicit(&node->entries[i], memory_order_relaxed));
    macs_lpm_trie_node_free(table, entry);
}

/* Whether a node has a child at most, and says nothing else; *only is it, or NULL. */
static bool says_nothing(const table_t *table, spread_t *spread, run_t **only) {
    *only = NULL;
    for (run_t *run = spread->runs; run < spread->runs + spread->count; run++) {
        if (run->child ? *only != NULL : run->answer != 0)
            return false;
        if (run->child)
            *only = run;
    }
    return !*only || macs_lpm_trie_node_answer(table, *only) == 0;
}

int macs_lpm_trie_node_shorten(table_t *table, spread_t *spread, uint32_t *entry, uint32_t *merged) {
    run_t *only;
    bool nothing = says_nothing(table, spread, &only);
    spread_t joined;
    *entry = *merged = 0;
    if (nothing && !only)
        return 0;
    if (nothing)
        macs_lpm_trie_node_spread(table, only->child, &joined);
    if (nothing && spread->skip + 1 + joined.skip <= table->skip) {
        memmove(joined.skip_bytes + spread->skip + 1, joined.skip_bytes, joined.skip);
        memcpy(joined.skip_bytes, spread->skip_bytes, spread->skip);
        joined.skip_bytes[spread->skip] = (uint8_t)only->first;
        joined.skip += spread->skip + 1;
        joined.inherited = spread->inherited;
        *entry = macs_lpm_trie_node_make(table, &joined);
        *merged = only->child;
    } else {
        *entry = macs_lpm_trie_node_make(table, spread);
    }
    return *entry ? 0 : -ENOMEM;
}
