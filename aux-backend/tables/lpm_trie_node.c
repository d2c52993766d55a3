/* Nodes of the compressed trie: from compressed to spread out and back. */
#include "lpm_trie_node.h"

#include <errno.h>
#include <string.h>

typedef struct macs_lpm_trie_node node_t;
typedef struct macs_lpm_trie_spread spread_t;

void macs_lpm_trie_node_clear(spread_t *spread, const uint8_t *skip_bytes, uint32_t skip) {
    memset(spread, 0, sizeof *spread);
    memcpy(spread->skip_bytes, skip_bytes, skip);
    spread->skip = skip;
}

void macs_lpm_trie_node_spread(const node_t *node, spread_t *spread) {
    macs_lpm_trie_node_clear(spread, node->skip_bytes, node->skip);
    const _Atomic uint32_t *answers = macs_lpm_trie_answers(node) - 1; /* byte 0 begins a run */
    for (uint32_t byte = 0, child = 0; byte < 256; byte++) {
        answers += node->runs[byte >> 6] >> (byte & 63) & 1;
        spread->answers[byte] = atomic_load_explicit(answers, memory_order_relaxed);
        if (node->children[byte >> 6] >> (byte & 63) & 1)
            spread->children[byte] = atomic_load_explicit(&node->child[child++], memory_order_relaxed);
    }
}

static size_t node_bytes(uint32_t child_count, uint32_t run_count) {
    return sizeof(node_t) + child_count * sizeof(node_t *) + run_count * sizeof(uint32_t);
}

static bool run_begins(const spread_t *spread, uint32_t byte) {
    return byte == 0 || spread->answers[byte] != spread->answers[byte - 1];
}

node_t *macs_lpm_trie_node_make(struct macs_arena *arena, const spread_t *spread) {
    uint32_t child_count = 0, run_count = 0;
    for (uint32_t byte = 0; byte < 256; byte++) {
        child_count += spread->children[byte] != NULL;
        run_count += run_begins(spread, byte);
    }
    node_t *node = macs_arena_alloc(arena, node_bytes(child_count, run_count));
    if (!node)
        return NULL;
    memset(node, 0, sizeof *node);
    node->child_count = (uint16_t)child_count;
    node->run_count = (uint16_t)run_count;
    node->skip = (uint8_t)spread->skip;
    memcpy(node->skip_bytes, spread->skip_bytes, spread->skip);
    _Atomic uint32_t *answers = (void *)&node->child[child_count];
    for (uint32_t byte = 0, child = 0, run = 0; byte < 256; byte++) {
        if (byte % 64 == 0) {
            node->children_before[byte >> 6] = (uint8_t)child;
            node->runs_before[byte >> 6] = (uint8_t)run;
        }
        if (spread->children[byte]) {
            node->children[byte >> 6] |= UINT64_C(1) << (byte & 63);
            atomic_init(&node->child[child++], spread->children[byte]);
        }
        if (run_begins(spread, byte)) {
            node->runs[byte >> 6] |= UINT64_C(1) << (byte & 63);
            atomic_init(&answers[run++], spread->answers[byte]);
        }
    }
    return node;
}

void macs_lpm_trie_node_free(struct macs_arena *arena, node_t *node) {
    macs_arena_free(arena, node, node_bytes(node->child_count, node->run_count));
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

int macs_lpm_trie_node_shorten(struct macs_arena *arena, const spread_t *spread, node_t **node, node_t **merged) {
    int only = only_child(spread);
    *node = *merged = NULL;
    if (only == 256)
        return 0;
    if (only >= 0 && spread->skip + 1 + spread->children[only]->skip <= MACS_LPM_TRIE_SKIP) {
        spread_t joined;
        node_t *child = spread->children[only];
        macs_lpm_trie_node_spread(child, &joined);
        memcpy(joined.skip_bytes, spread->skip_bytes, spread->skip);
        joined.skip_bytes[spread->skip] = (uint8_t)only;
        memcpy(joined.skip_bytes + spread->skip + 1, child->skip_bytes, child->skip);
        joined.skip = spread->skip + 1 + child->skip;
        *node = macs_lpm_trie_node_make(arena, &joined);
        *merged = child;
    } else {
        *node = macs_lpm_trie_node_make(arena, spread);
    }
    return *node ? 0 : -ENOMEM;
}
