/* Marks memory as not to be used, for the address sanitizer; does nothing in other builds. */
#ifndef MACS_ODP_POISON_H
#define MACS_ODP_POISON_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define MACS_ODP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MACS_ODP_ASAN 1
#endif
#endif

#ifdef MACS_ODP_ASAN
#include <sanitizer/asan_interface.h>
#endif

static inline void macs_odp_poison(void *memory, size_t bytes, bool poison) {
#ifdef MACS_ODP_ASAN
    if (poison)
        __asan_poison_memory_region(memory, bytes);
    else
        __asan_unpoison_memory_region(memory, bytes);
#else
    (void)memory, (void)bytes, (void)poison;
#endif
}

#endif
