#include "runtime/decisions.h"

#include <stdlib.h>
#include <string.h>

#include "tables/common/memory.h"

/* Of all decisions of a worker: more leave its second cache. */
#define DECISIONS_BYTES ((size_t)1 << 20)

static size_t bytes_of(const struct macs_decisions *cache) {
    return ((size_t)cache->mask + 1) * cache->stride * sizeof(uint64_t);
}

struct macs_decisions *macs_decisions_create(const struct macs_decisions_shape *shape) {
    struct macs_decisions *cache = aligned_alloc(64, (sizeof *cache + 63) & ~(size_t)63);
    if (!cache)
        return NULL;
    memset(cache, 0, sizeof *cache);
    const uint32_t words = MACS_DECISION_KEY + shape->key_words + shape->kept_words + shape->counts;
    cache->shape = *shape;
    cache->stride = (words + MACS_DECISION_LINE_WORDS - 1) / MACS_DECISION_LINE_WORDS * MACS_DECISION_LINE_WORDS;
    uint32_t count = 1;
    while (2 * (size_t)count * cache->stride * sizeof(uint64_t) <= DECISIONS_BYTES)
        count *= 2;
    cache->mask = count - 1;
    cache->pause = MACS_DECISIONS_PAUSE;
    cache->decisions = macs_memory_alloc(bytes_of(cache), false); /* of epoch 0, which no burst has */
    if (cache->decisions)
        return cache;
    free(cache);
    return NULL;
}

void macs_decisions_destroy(struct macs_decisions *cache) {
    if (!cache)
        return;
    macs_memory_free(cache->decisions, bytes_of(cache));
    free(cache);
}
