/* How many workers each part of a program has that is cut. */
#ifndef MACS_RUNTIME_PART_WORKERS_H
#define MACS_RUNTIME_PART_WORKERS_H

#include <macs/program.h>
#include <stdbool.h>

/* The first workers are those of the last part. */
struct macs_part_workers {
    unsigned count; /* of parts; 1: the program is not cut */
    unsigned each[MACS_PARTS_MAX];
};

/* The parts of this program. */
unsigned macs_part_workers_count(void);

/* Fill it in from what was given: for each part, or for none; and `behind` for the second of two parts, or 0. False:
 * that does not fit the program and the number of all workers, as is told on standard error. */
bool macs_part_workers_check(struct macs_part_workers *parts, unsigned behind, unsigned workers);

#endif
