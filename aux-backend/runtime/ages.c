#include "runtime/ages.h"

#include <stdlib.h>
#include <string.h>

/* Seconds, as DPDK's learner tables have them at first. */
static const uint32_t expire_seconds[] = {10, 30, 60, 120, 300, 43200, 120, 120};

struct macs_ages *macs_ages_create(uint32_t size) {
    struct macs_ages *ages = calloc(1, sizeof(*ages));
    if (!ages)
        return NULL;
    ages->size = size;
    for (size_t profile = 0; profile < sizeof(expire_seconds) / sizeof(*expire_seconds); profile++)
        ages->expire_ns[profile] = expire_seconds[profile] * UINT64_C(1000000000);
    ages->hits = calloc(size, sizeof(*ages->hits));
    ages->profiles = malloc(size);
    ages->ages = calloc(size, sizeof(*ages->ages));
    if (ages->profiles)
        memset((void *)ages->profiles, MACS_NO_PROFILE, size);
    if (ages->hits && ages->ages && ages->profiles)
        return ages;
    macs_ages_destroy(ages);
    return NULL;
}

void macs_ages_destroy(struct macs_ages *ages) {
    if (!ages)
        return;
    free(ages->hits);
    free((void *)ages->profiles);
    free(ages->ages);
    free(ages);
}

uint64_t macs_ages_timeout_ns(const struct macs_ages *ages, uint32_t index) {
    const uint8_t profile = atomic_load_explicit(&ages->profiles[index], memory_order_relaxed);
    return profile == MACS_NO_PROFILE ? ages->ages[index].timeout_ns : ages->expire_ns[profile];
}

bool macs_ages_is_over(const struct macs_ages *ages, uint32_t index, uint64_t now_ns) {
    const uint64_t timeout_ns = macs_ages_timeout_ns(ages, index);
    return timeout_ns && macs_ages_idle_ns(ages, index, now_ns) >= timeout_ns;
}

void macs_ages_limit(struct macs_ages *ages, uint32_t index, uint64_t timeout_ns) {
    struct macs_age *age = &ages->ages[index];
    atomic_store_explicit(&ages->profiles[index], MACS_NO_PROFILE, memory_order_relaxed);
    ages->limited += (timeout_ns != 0) - (age->timeout_ns != 0);
    *age = (struct macs_age){.timeout_ns = timeout_ns};
    if (timeout_ns && index >= ages->end)
        ages->end = index + 1;
    if (!ages->limited)
        ages->end = 0;
}

void macs_ages_begin(struct macs_ages *ages, uint32_t index, uint64_t now_ns) {
    atomic_store_explicit(&ages->hits[index], now_ns, memory_order_relaxed);
    macs_ages_limit(ages, index, 0);
}

void macs_ages_end(struct macs_ages *ages, uint32_t index) {
    macs_ages_limit(ages, index, 0);
}

uint64_t macs_ages_idle_ns(const struct macs_ages *ages, uint32_t index, uint64_t now_ns) {
    const uint64_t hit = atomic_load_explicit(&ages->hits[index], memory_order_relaxed);
    return now_ns > hit ? now_ns - hit : 0;
}

/* True: it is to be told of, and is from now on. */
static bool expires(struct macs_ages *ages, uint32_t index, uint64_t now_ns) {
    struct macs_age *age = &ages->ages[index];
    const uint64_t timeout_ns = macs_ages_timeout_ns(ages, index);
    if (!timeout_ns)
        return false;
    const uint64_t hit = atomic_load_explicit(&ages->hits[index], memory_order_relaxed);
    if (now_ns < hit || now_ns - hit < timeout_ns || age->told == hit + 1)
        return false;
    age->told = hit + 1;
    return true;
}

int64_t macs_ages_next(struct macs_ages *ages, uint32_t *left, uint64_t now_ns) {
    if (*left > ages->end)
        *left = ages->end;
    while (*left) {
        const uint32_t index = ages->at < ages->end ? ages->at : 0;
        --*left;
        ages->at = index + 1;
        if (expires(ages, index, now_ns))
            return index;
    }
    return -1;
}
