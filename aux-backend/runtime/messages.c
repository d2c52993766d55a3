/* Messages of the P4 program: log_msg, assert. */
#include <inttypes.h>
#include <macs/extern.h>
#include <stdio.h>
#include <string.h>

#include "runtime/worker.h"

struct line {
    uint32_t length;
    char text[MACS_LOG_LINE];
};

static void append(struct line *line, const char *text, size_t length) {
    size_t room = sizeof(line->text) - line->length;
    length = length < room ? length : room;
    memcpy(line->text + line->length, text, length);
    line->length += (uint32_t)length;
}

static void append_head(struct line *line, const struct macs_worker *worker) {
    char head[48];
    int length = snprintf(head, sizeof(head), "[%" PRIu64 ".%06" PRIu64 "] worker %u: ", worker->now_ns / 1000000000,
                          worker->now_ns / 1000 % 1000000, worker->index);
    append(line, head, length > 0 ? (size_t)length : 0);
}

void macs_log_message(const struct macs_worker *worker, const char *format, const uint64_t *values, uint32_t count) {
    struct line line = {.length = 0};
    append_head(&line, worker);
    uint32_t used = 0;
    for (const char *at = format; *at;) {
        if (at[0] == '{' && at[1] == '}' && used < count) {
            char digits[24];
            int length = snprintf(digits, sizeof(digits), "%" PRIu64, values[used++]);
            append(&line, digits, length > 0 ? (size_t)length : 0);
            at += 2;
        } else {
            append(&line, at++, 1);
        }
    }
    macs_log_post(&macs_thread_of(worker)->sw->log, line.text, line.length);
}

void macs_assert_failed(const struct macs_worker *worker, const char *where) {
    struct macs_thread *thread = macs_thread_of(worker);
    struct line line = {.length = 0};
    append_head(&line, worker);
    append(&line, "assertion failed: ", 18);
    append(&line, where, strlen(where));
    macs_stats_add(&thread->stats.asserts, 1);
    macs_log_post(&thread->sw->log, line.text, line.length);
}
