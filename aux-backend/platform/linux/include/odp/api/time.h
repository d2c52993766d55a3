/* Time stamps: the kernel's monotonic clock, in nanoseconds. Local time and global time are the same. */
#ifndef ODP_API_TIME_H_
#define ODP_API_TIME_H_

#include <odp/api/cpu.h>

#define ODP_TIME_USEC_IN_NS 1000ULL
#define ODP_TIME_MSEC_IN_NS 1000000ULL
#define ODP_TIME_SEC_IN_NS 1000000000ULL
#define ODP_TIME_MIN_IN_NS 60000000000ULL
#define ODP_TIME_HOUR_IN_NS 3600000000000ULL

typedef struct odp_time_t {
    uint64_t ns;
} odp_time_t;

#define ODP_TIME_NULL ((odp_time_t){.ns = 0})

typedef struct odp_time_startup_t {
    odp_time_t global;
    uint64_t global_ns;
} odp_time_startup_t;

static inline uint64_t odp_time_global_ns(void) {
    return macs_odp_clock_ns();
}

static inline odp_time_t odp_time_global(void) {
    return (odp_time_t){.ns = odp_time_global_ns()};
}

static inline odp_time_t odp_time_local(void) {
    return odp_time_global();
}

static inline uint64_t odp_time_local_ns(void) {
    return odp_time_global_ns();
}

/* Strict: read in program order. */
static inline uint64_t odp_time_global_strict_ns(void) {
    (void)odp_cpu_cycles_strict();
    return odp_time_global_ns();
}

static inline odp_time_t odp_time_global_strict(void) {
    return (odp_time_t){.ns = odp_time_global_strict_ns()};
}

static inline odp_time_t odp_time_local_strict(void) {
    return odp_time_global_strict();
}

static inline uint64_t odp_time_local_strict_ns(void) {
    return odp_time_global_strict_ns();
}

static inline odp_time_t odp_time_diff(odp_time_t t2, odp_time_t t1) {
    return (odp_time_t){.ns = t2.ns - t1.ns};
}

static inline uint64_t odp_time_diff_ns(odp_time_t t2, odp_time_t t1) {
    return t2.ns - t1.ns;
}

static inline odp_time_t odp_time_sum(odp_time_t t1, odp_time_t t2) {
    return (odp_time_t){.ns = t1.ns + t2.ns};
}

static inline odp_time_t odp_time_add_ns(odp_time_t time, uint64_t ns) {
    return (odp_time_t){.ns = time.ns + ns};
}

static inline uint64_t odp_time_to_ns(odp_time_t time) {
    return time.ns;
}

static inline odp_time_t odp_time_local_from_ns(uint64_t ns) {
    return (odp_time_t){.ns = ns};
}

static inline odp_time_t odp_time_global_from_ns(uint64_t ns) {
    return (odp_time_t){.ns = ns};
}

static inline int odp_time_cmp(odp_time_t t2, odp_time_t t1) {
    return (t2.ns > t1.ns) - (t2.ns < t1.ns);
}

static inline uint64_t odp_time_local_res(void) {
    return ODP_TIME_SEC_IN_NS;
}

static inline uint64_t odp_time_global_res(void) {
    return ODP_TIME_SEC_IN_NS;
}

/* Both sleep when there is long to wait and spin for the rest. */
void odp_time_wait_until(odp_time_t time);
void odp_time_wait_ns(uint64_t ns);

/* When odp_init_global() ran. */
void odp_time_startup(odp_time_startup_t *startup);

#endif
