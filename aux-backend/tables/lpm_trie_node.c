/* Nodes of the path-compressed trie: from compressed to spread out and back. */
#include "lpm_trie_node.h"

#include <errno.h>
#include <string.h>

typedef struct macs_lpm_trie table_t;
typedef struct macs_lpm_trie_node node_t;
typedef struct macs_lpm_trie_spread spread_t;

void macs_lpm_trie_node_clear(spread_t *spread, const uint8_t *skip_bytes, uint32_t skip) {
    memset(spread, 0, sizeof *spread);
    memcpy(spread->skip_bytes, skip_bytes, skip);
    spread->skip = skip;
}

/* The bytes before a node's own, as struct macs_lpm_trie_node has them. */
static uint64_t path_of(const spread_t *spread) {
    uint64_t path = spread->skip;
    for (uint32_t i = 0; i < spread->skip; i++)
        path |= (uint64_t)spread->skip_bytes[i] << (56 - 8 * i);
    return path;
}

void macs_lpm_trie_node_spread(const table_t *table, uint32_t entry, spread_t *spread) {
    const node_t *node = macs_lpm_trie_node_at(table, entry);
    uint32_t now = 0, answer = 0;
    spread->inherited = atomic_load_explicit(&node->inherited, memory_order_relaxed);
    spread->skip = macs_lpm_trie_skip(node);
    for (uint32_t i = 0; i < MACS_LPM_TRIE_SKIP; i++)
        spread->skip_bytes[i] = (uint8_t)(node->path >> (56 - 8 * i));
    for (uint32_t byte = 0, place = 0; byte < 256; byte++) {
        if (node->runs[byte >> 6] >> (byte & 63) & 1) {
            now = atomic_load_explicit(&node->entries[place++], memory_order_relaxed);
            answer = now;
            if (now & MACS_LPM_TRIE_NODE)
                answer = atomic_load_explicit(&macs_lpm_trie_node_at(table, now)->inherited, memory_order_relaxed);
        }
        spread->answers[byte] = answer;
        spread->children[byte] = now & MACS_LPM_TRIE_NODE ? now : 0;
    }
}

static size_t node_bytes(uint32_t count) {
    return sizeof(node_t) + count * sizeof(uint32_t);
}

static uint32_t entry_at(const spread_t *spread, uint32_t byte) {
    return spread->children[byte] ? spread->children[byte] : spread->answers[byte];
}

uint32_t macs_lpm_trie_node_make(table_t *table, const spread_t *spread) {
    uint32_t count = 0, entries[256], last = 0;
    uint64_t runs[4] = {0};
    uint8_t before[4];
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t entry = entry_at(spread, byte);
        if (byte % 64 == 0)
            before[byte / 64] = (uint8_t)count;
        if (byte == 0 || entry != last) {
            runs[byte / 64] |= UINT64_C(1) << byte % 64;
            entries[count++] = last = entry;
        }
    }
    uint32_t block = macs_arena_alloc(&table->arena, node_bytes(count));
    if (!block)
        return 0;
    node_t *node = macs_arena_at(&table->arena, block);
    memcpy(node->runs, runs, sizeof runs);
    memcpy(node->before, before, sizeof before);
    node->path = path_of(spread);
    atomic_init(&node->inherited, spread->inherited);
    for (uint32_t i = 0; i < count; i++)
        atomic_init(&node->entries[i], entries[i]);
    return block | MACS_LPM_TRIE_NODE;
}

void macs_lpm_trie_node_bequeath(const table_t *table, const spread_t *spread) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        if (spread->children[byte] == 0)
            continue;
        _Atomic uint32_t *inherited = &macs_lpm_trie_node_at(table, spread->children[byte])->inherited;
        if (atomic_load_explicit(inherited, memory_order_relaxed) != spread->answers[byte])
            atomic_store_explicit(inherited, spread->answers[byte], memory_order_release);
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

/* The byte of the only child of a node that says nothing else, 256 for a node that says nothing at all, else -1. */
static int only_child(const spread_t *spread) {
    int only = 256;
    for (int byte = 0; byte < 256; byte++) {
        if (spread->answers[byte] || (spread->children[byte] && only != 256))
            return -1;
        if (spread->children[byte])
            only = byte;
    }
    return only;
}

int macs_lpm_trie_node_shorten(table_t *table, const spread_t *spread, uint32_t *entry, uint32_t *merged) {
    int only = only_child(spread);
    spread_t joined;
    *entry = *merged = 0;
    if (only == 256)
        return 0;
    if (only >= 0)
        macs_lpm_trie_node_spread(table, spread->children[only], &joined);
    if (only >= 0 && spread->skip + 1 + joined.skip <= table->skip) {
        memmove(joined.skip_bytes + spread->skip + 1, joined.skip_bytes, joined.skip);
        memcpy(joined.skip_bytes, spread->skip_bytes, spread->skip);
        joined.skip_bytes[spread->skip] = (uint8_t)only;
        joined.skip += spread->skip + 1;
        joined.inherited = spread->inherited;
        *entry = macs_lpm_trie_node_make(table, &joined);
        *merged = spread->children[only];
    } else {
        *entry = macs_lpm_trie_node_make(table, spread);
    }
    return *entry ? 0 : -ENOMEM;
}
