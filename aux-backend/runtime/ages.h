/* Idle timeouts: which entries of a table were not hit for longer than they may.
 *
 * An entry is told of once, and again when it was hit since or was given another timeout: P4Runtime spec 1.4.1, section
 * 9.1 (idle_timeout_ns).
 * Threads: the control thread.
 */
#ifndef MACS_RUNTIME_AGES_H
#define MACS_RUNTIME_AGES_H

#include <macs/ages.h>

#include "runtime/switch.h"

/* What entries are: timeout 0: none. */
struct macs_age {
    uint64_t timeout_ns;
    uint64_t told; /* the last hit at the time when it was told of, + 1; 0: it was not */
};

/* Of a table of `size` entries; NULL: no memory. */
struct macs_ages *macs_ages_create(uint32_t size);
void macs_ages_destroy(struct macs_ages *ages);

/* How long the entry may go without a hit, or without a restart of its time; 0: for ever. */
uint64_t macs_ages_timeout_ns(const struct macs_ages *ages, uint32_t index);

/* Whether the entry has gone so long. */
bool macs_ages_is_over(const struct macs_ages *ages, uint32_t index, uint64_t now_ns);

/* The entry is new: as if it were hit now, without a timeout. */
void macs_ages_begin(struct macs_ages *ages, uint32_t index, uint64_t now_ns);

/* The entry is gone. */
void macs_ages_end(struct macs_ages *ages, uint32_t index);

/* 0: none. */
void macs_ages_limit(struct macs_ages *ages, uint32_t index, uint64_t timeout_ns);

/* Since the last hit, or since the entry was added. */
uint64_t macs_ages_idle_ns(const struct macs_ages *ages, uint32_t index, uint64_t now_ns);

/* Look at the next `most` indices: one whose entry is to be told of now, from then on as told of; -1: there is none
 * (more) among them. `*left` begins as `most`. */
int64_t macs_ages_next(struct macs_ages *ages, uint32_t *left, uint64_t now_ns);

#endif
