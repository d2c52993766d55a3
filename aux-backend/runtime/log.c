#include "runtime/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "runtime/shown.h"

#define LOG_SLOTS 4096u

int macs_log_open(struct macs_log *log, const char *path) {
    atomic_init(&log->lost, 0);
    log->lost_reported = 0;
    int status = macs_ring_init(&log->lines, LOG_SLOTS, MACS_LOG_LINE);
    if (status)
        return status;
    log->file = path ? fopen(path, "ae") : stderr;
    if (!log->file) {
        status = -errno;
        macs_ring_fini(&log->lines);
    }
    return status;
}

void macs_log_close(struct macs_log *log) {
    if (!log->file)
        return;
    macs_log_drain(log);
    if (log->file != stderr)
        fclose(log->file);
    log->file = NULL;
    macs_ring_fini(&log->lines);
}

bool macs_log_failed(const struct macs_log *log) {
    return log->file != stderr && ferror(log->file);
}

void macs_log_post(struct macs_log *log, const char *line, uint32_t length) {
    if (!macs_ring_push(&log->lines, line, length < MACS_LOG_LINE ? length : MACS_LOG_LINE))
        atomic_fetch_add_explicit(&log->lost, 1, memory_order_relaxed);
}

void macs_log_drain(struct macs_log *log) {
    uint32_t length;
    const char *line;
    /* No more than one queue's worth at a time: a worker that logs without end must not hold the control thread. */
    for (uint32_t n = 0; n < LOG_SLOTS && (line = macs_ring_peek(&log->lines, &length)); n++) {
        macs_shown_line(log->file, line, length);
        fputc('\n', log->file);
        macs_ring_pop(&log->lines);
    }
    uint64_t lost = atomic_load_explicit(&log->lost, memory_order_relaxed);
    if (lost != log->lost_reported)
        fprintf(log->file, "(%" PRIu64 " log lines lost)\n", lost - log->lost_reported);
    log->lost_reported = lost;
    fflush(log->file);
}

static void write_line(FILE *file, const char *format, va_list arguments) {
    macs_tell_arguments(file, format, arguments);
    fputc('\n', file);
    fflush(file);
}

void macs_log_write(struct macs_log *log, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_line(stderr, format, arguments);
    va_end(arguments);
    if (log->file == stderr)
        return;
    va_start(arguments, format);
    write_line(log->file, format, arguments);
    va_end(arguments);
}
