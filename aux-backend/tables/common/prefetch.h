/* Prefetches a cache line for a lookup; does nothing where MACS_NO_PREFETCH is defined. */
#ifndef MACS_TABLES_PREFETCH_H
#define MACS_TABLES_PREFETCH_H

#ifndef MACS_NO_PREFETCH
#define MACS_PREFETCH(line, nearness) __builtin_prefetch(line, 0, nearness)
#else
#define MACS_PREFETCH(line, nearness) ((void)(line))
#endif

/* Into the first-level cache: for tables that the second level mostly holds. */
static inline void macs_prefetch(const void *line) {
    MACS_PREFETCH(line, 3);
}

/* Into the second cache: for tables that memory holds. A core has more reads under way to there, as it keeps fewer
 * buffers for lines that come to the first one (Intel: 16, and 48); what is left of the way is short enough for other
 * packets' work to fill. */
static inline void macs_prefetch_far(const void *line) {
    MACS_PREFETCH(line, 2);
}

#undef MACS_PREFETCH

#endif
