/* The log of the switch. Workers put lines into a bounded queue; the control thread writes them.
 *
 * Threads: macs_log_post from any, and it never blocks; the others from the control thread.
 */
#ifndef MACS_RUNTIME_LOG_H
#define MACS_RUNTIME_LOG_H

#include <stdio.h>

#include "runtime/ring.h"

/* Bytes of a line at most; longer ones are cut. */
#define MACS_LOG_LINE 256u

struct macs_log {
    FILE *file;
    struct macs_ring lines;
    _Atomic uint64_t lost;
    uint64_t lost_reported;
};

/* `path` NULL: standard error. 0 or -errno. */
int macs_log_open(struct macs_log *log, const char *path);
/* Writes what is queued, then closes. */
void macs_log_close(struct macs_log *log);

/* Queue a line (without its end). */
void macs_log_post(struct macs_log *log, const char *line, uint32_t length);

/* Write what is queued. */
void macs_log_drain(struct macs_log *log);

/* True: lines could not be written to its file. */
bool macs_log_failed(const struct macs_log *log);

/* Tell what is wrong with the switch itself: a line at once, to the log and to standard error, printf-like. */
__attribute__((format(printf, 2, 3))) void macs_log_write(struct macs_log *log, const char *format, ...);

#endif
