/* Sets of CPUs and of threads, and the default sets of CPUs. */
#include "core/internal.h"

#include <sched.h>
#include <string.h>

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void macs_odp_mask_from_str(uint64_t *word, unsigned words, const char *str) {
    memset(word, 0, words * sizeof(*word)); /* the specification says "add", OpenDataPlane begins anew */
    if (str[0] == '0' && (str[1] | 0x20) == 'x')
        str += 2;
    size_t length = strlen(str);
    for (size_t i = 0; i < length; i++)
        if (digit(str[i]) < 0)
            return;
    for (size_t i = 0; i < length && i < words * 16u; i++)
        word[i / 16] |= (uint64_t)digit(str[length - 1 - i]) << i % 16 * 4;
}

int32_t macs_odp_mask_to_str(const uint64_t *word, unsigned words, char *str, int32_t size) {
    int last = macs_odp_mask_last(word, words);
    int32_t digits = last < 0 ? 1 : last / 4 + 1;
    if (size < digits + 3)
        return macs_odp_fail(EINVAL);
    *str++ = '0';
    *str++ = 'x';
    for (int32_t i = digits - 1; i >= 0; i--)
        *str++ = "0123456789abcdef"[word[i / 16] >> i % 16 * 4 & 15];
    *str = '\0';
    return digits + 3;
}

int macs_odp_mask_next(const uint64_t *word, unsigned words, int after) {
    for (int bit = after < -1 ? 0 : after + 1; bit < (int)words * 64; bit++)
        if (word[bit / 64] >> bit % 64 & 1)
            return bit;
    return -1;
}

int macs_odp_mask_last(const uint64_t *word, unsigned words) {
    for (unsigned i = words; i-- > 0;)
        if (word[i])
            return (int)i * 64 + 63 - __builtin_clzll(word[i]);
    return -1;
}

#define MASK(kind, SIZE)                                                                                               \
    void odp_##kind##_from_str(odp_##kind##_t *mask, const char *str) {                                                \
        macs_odp_mask_from_str(mask->word, (SIZE) / 64, str);                                                          \
    }                                                                                                                  \
    int32_t odp_##kind##_to_str(const odp_##kind##_t *mask, char *str, int32_t size) {                                 \
        return macs_odp_mask_to_str(mask->word, (SIZE) / 64, str, size);                                               \
    }                                                                                                                  \
    void odp_##kind##_zero(odp_##kind##_t *mask) {                                                                     \
        memset(mask, 0, sizeof(*mask));                                                                                \
    }                                                                                                                  \
    void odp_##kind##_setall(odp_##kind##_t *mask) {                                                                   \
        memset(mask, 0xff, sizeof(*mask));                                                                             \
    }                                                                                                                  \
    void odp_##kind##_set(odp_##kind##_t *mask, int id) {                                                              \
        if (id >= 0 && id < (SIZE))                                                                                    \
            mask->word[id / 64] |= (uint64_t)1 << id % 64;                                                             \
    }                                                                                                                  \
    void odp_##kind##_clr(odp_##kind##_t *mask, int id) {                                                              \
        if (id >= 0 && id < (SIZE))                                                                                    \
            mask->word[id / 64] &= ~((uint64_t)1 << id % 64);                                                          \
    }                                                                                                                  \
    int odp_##kind##_isset(const odp_##kind##_t *mask, int id) {                                                       \
        return id >= 0 && id < (SIZE) && (mask->word[id / 64] >> id % 64 & 1);                                         \
    }                                                                                                                  \
    int odp_##kind##_count(const odp_##kind##_t *mask) {                                                               \
        int count = 0;                                                                                                 \
        for (int i = 0; i < (SIZE) / 64; i++)                                                                          \
            count += __builtin_popcountll(mask->word[i]);                                                              \
        return count;                                                                                                  \
    }                                                                                                                  \
    void odp_##kind##_and(odp_##kind##_t *dest, const odp_##kind##_t *src1, const odp_##kind##_t *src2) {              \
        for (int i = 0; i < (SIZE) / 64; i++)                                                                          \
            dest->word[i] = src1->word[i] & src2->word[i];                                                             \
    }                                                                                                                  \
    void odp_##kind##_or(odp_##kind##_t *dest, const odp_##kind##_t *src1, const odp_##kind##_t *src2) {               \
        for (int i = 0; i < (SIZE) / 64; i++)                                                                          \
            dest->word[i] = src1->word[i] | src2->word[i];                                                             \
    }                                                                                                                  \
    void odp_##kind##_xor(odp_##kind##_t *dest, const odp_##kind##_t *src1, const odp_##kind##_t *src2) {              \
        for (int i = 0; i < (SIZE) / 64; i++)                                                                          \
            dest->word[i] = src1->word[i] ^ src2->word[i];                                                             \
    }                                                                                                                  \
    int odp_##kind##_equal(const odp_##kind##_t *mask1, const odp_##kind##_t *mask2) {                                 \
        return memcmp(mask1, mask2, sizeof(*mask1)) == 0;                                                              \
    }                                                                                                                  \
    void odp_##kind##_copy(odp_##kind##_t *dest, const odp_##kind##_t *src) {                                          \
        memmove(dest, src, sizeof(*dest));                                                                             \
    }                                                                                                                  \
    int odp_##kind##_first(const odp_##kind##_t *mask) {                                                               \
        return macs_odp_mask_next(mask->word, (SIZE) / 64, -1);                                                        \
    }                                                                                                                  \
    int odp_##kind##_last(const odp_##kind##_t *mask) {                                                                \
        return macs_odp_mask_last(mask->word, (SIZE) / 64);                                                            \
    }                                                                                                                  \
    int odp_##kind##_next(const odp_##kind##_t *mask, int id) {                                                        \
        return macs_odp_mask_next(mask->word, (SIZE) / 64, id);                                                        \
    }

MASK(cpumask, ODP_CPUMASK_SIZE)
MASK(thrmask, ODP_THRMASK_SIZE)

int odp_cpumask_all_available(odp_cpumask_t *mask) {
    cpu_set_t set;
    odp_cpumask_zero(mask);
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        CPU_SET(0, &set);
    for (int cpu = 0; cpu < ODP_CPUMASK_SIZE && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            odp_cpumask_set(mask, cpu);
    return odp_cpumask_count(mask);
}

/* Up to `num` (0: all) CPUs of `from`, beginning with the highest, as the lowest is where everything else runs. */
static int take(odp_cpumask_t *to, const odp_cpumask_t *from, int num, bool from_top) {
    int taken = 0;
    odp_cpumask_t chosen;
    odp_cpumask_zero(&chosen);
    for (int i = 0; i < ODP_CPUMASK_SIZE && (num == 0 || taken < num); i++) {
        int cpu = from_top ? ODP_CPUMASK_SIZE - 1 - i : i;
        if (odp_cpumask_isset(from, cpu)) {
            odp_cpumask_set(&chosen, cpu);
            taken++;
        }
    }
    if (to != NULL)
        *to = chosen;
    return taken;
}

int odp_cpumask_default_worker(odp_cpumask_t *mask, int num) {
    odp_cpumask_t from = macs_odp_worker_cpus;
    if (odp_cpumask_count(&from) == 0 && odp_cpumask_all_available(&from) > 1)
        odp_cpumask_clr(&from, odp_cpumask_first(&from));
    return take(mask, &from, num, true);
}

int odp_cpumask_default_control(odp_cpumask_t *mask, int num) {
    odp_cpumask_t from = macs_odp_control_cpus;
    if (odp_cpumask_count(&from) == 0) {
        odp_cpumask_all_available(&from);
        int first = odp_cpumask_first(&from);
        odp_cpumask_zero(&from);
        odp_cpumask_set(&from, first);
    }
    return take(mask, &from, num, false);
}
