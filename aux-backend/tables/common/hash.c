/* Random seeds for the hash of keys. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* getentropy */
#endif
#include "hash.h"

#include <time.h>
#include <unistd.h>

uint64_t macs_hash_seed(void) {
    uint64_t seed = 0;
    if (getentropy(&seed, sizeof seed) != 0) /* a kernel or sandbox without it: the clock and the stack's address */
        seed = macs_hash_fold((uint64_t)time(NULL) ^ (uintptr_t)&seed, MACS_HASH_PHI);
    return seed;
}
