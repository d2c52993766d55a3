/* The time that writers wait by. The includer defines _POSIX_C_SOURCE. */
#ifndef MACS_TABLES_COMMON_CLOCK_H
#define MACS_TABLES_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds; only differences mean something. */
static inline uint64_t macs_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
