/* Prefetches of headers of packets, and of state. Those of tables are their kernels' (tables/common/prefetch.h). */
#ifndef MACS_PREFETCH_H
#define MACS_PREFETCH_H

#include <odp_api.h>

/* Packets ahead whose headers are prefetched while one is parsed. */
#define MACS_PREFETCH_AHEAD 8u

/* Prefetch the headers of a packet that is to be parsed soon: number `index` of `count`. */
static inline void macs_prefetch_headers(const odp_packet_t handles[], unsigned index, unsigned count) {
    if (index + MACS_PREFETCH_AHEAD < count)
        odp_prefetch(odp_packet_data(handles[index + MACS_PREFETCH_AHEAD]));
}

/* State that is going to be read. Does nothing where MACS_NO_PREFETCH is defined. */
static inline void macs_prefetch_to_read(const void *address) {
#ifdef MACS_NO_PREFETCH
    (void)address;
#else
    __builtin_prefetch(address, 0, 3);
#endif
}

/* State that is going to be written. Does nothing where MACS_NO_PREFETCH is defined. */
static inline void macs_prefetch_to_write(const void *address) {
#ifdef MACS_NO_PREFETCH
    (void)address;
#else
    __builtin_prefetch(address, 1, 3);
#endif
}

/* The same of state that memory holds: into the second cache. A core has more reads under way to there than to the
 * first one, and several large cells a packet would fill that before they are used. x86 prefetches for writing into the
 * first one only. */
static inline void macs_prefetch_far_to_write(const void *address) {
#ifdef MACS_NO_PREFETCH
    (void)address;
#elif defined(__x86_64__)
    __builtin_prefetch(address, 0, 2);
#else
    __builtin_prefetch(address, 1, 2);
#endif
}

#endif
