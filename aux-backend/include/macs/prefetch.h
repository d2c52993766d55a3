/* Prefetches state that is going to be written; does nothing where MACS_NO_PREFETCH is defined. */
#ifndef MACS_PREFETCH_H
#define MACS_PREFETCH_H

static inline void macs_prefetch_to_write(const void *address) {
#ifdef MACS_NO_PREFETCH
    (void)address;
#else
    __builtin_prefetch(address, 1, 3);
#endif
}

#endif
