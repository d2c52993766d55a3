/* CPU identity, cycle counter, prefetch and pause. */
#ifndef ODP_API_CPU_H_
#define ODP_API_CPU_H_

#include <odp/api/std_types.h>

/* Private: the kernel's monotonic clock. A call, so that this header needs nothing beyond standard C. */
uint64_t macs_odp_clock_ns(void);

/* CPU that the calling thread runs on, and how many this process may use. */
int odp_cpu_id(void);
int odp_cpu_count(void);

/* Model name as the kernel tells it, "unknown" where it does not. */
const char *odp_cpu_model_str(void);
const char *odp_cpu_model_str_id(int id);

/* Present and greatest frequency in Hz; 0 where the kernel does not tell. */
uint64_t odp_cpu_hz(void);
uint64_t odp_cpu_hz_id(int id);
uint64_t odp_cpu_hz_max(void);
uint64_t odp_cpu_hz_max_id(int id);

/* The time-stamp counter on x86, the virtual counter on ARM (which is slower than the core's clock), nanoseconds
 * elsewhere: constant in rate, equal on all cores. */
static inline uint64_t odp_cpu_cycles(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return macs_odp_clock_ns();
#endif
}

static inline uint64_t odp_cpu_cycles_strict(void) {
#if defined(__x86_64__)
    __asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
    return odp_cpu_cycles();
}

static inline uint64_t odp_cpu_cycles_diff(uint64_t c2, uint64_t c1) {
    return c2 - c1;
}

static inline uint64_t odp_cpu_cycles_max(void) {
    return UINT64_MAX;
}

static inline uint64_t odp_cpu_cycles_resolution(void) {
    return 1;
}

static inline void odp_cpu_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

static inline void odp_prefetch(const void *addr) {
    __builtin_prefetch(addr, 0, 3);
}

static inline void odp_prefetch_l1(const void *addr) {
    __builtin_prefetch(addr, 0, 3);
}

static inline void odp_prefetch_l2(const void *addr) {
    __builtin_prefetch(addr, 0, 2);
}

static inline void odp_prefetch_l3(const void *addr) {
    __builtin_prefetch(addr, 0, 1);
}

static inline void odp_prefetch_store(const void *addr) {
    __builtin_prefetch(addr, 1, 3);
}

static inline void odp_prefetch_store_l1(const void *addr) {
    __builtin_prefetch(addr, 1, 3);
}

static inline void odp_prefetch_store_l2(const void *addr) {
    __builtin_prefetch(addr, 1, 2);
}

static inline void odp_prefetch_store_l3(const void *addr) {
    __builtin_prefetch(addr, 1, 1);
}

static inline void odp_prefetch_strm_l1(const void *addr) {
    __builtin_prefetch(addr, 0, 0);
}

static inline void odp_prefetch_store_strm_l1(const void *addr) {
    __builtin_prefetch(addr, 1, 0);
}

static inline void odp_prefetch_l1i(const void *addr) {
    (void)addr;
}

#endif
