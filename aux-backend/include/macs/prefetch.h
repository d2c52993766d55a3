/* Prefetches of state that is about to be written. Built with MACS_NO_PREFETCH, to compare with, it does nothing. */
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
