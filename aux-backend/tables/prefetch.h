/* Fetch of a cache line that a lookup is going to read; nothing where MACS_NO_PREFETCH is defined. */
#ifndef MACS_TABLES_PREFETCH_H
#define MACS_TABLES_PREFETCH_H

static inline void macs_prefetch(const void *line) {
#ifndef MACS_NO_PREFETCH
    __builtin_prefetch(line);
#else
    (void)line;
#endif
}

#endif
