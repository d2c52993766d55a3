/* Lines of the log: what there was no room for is counted, and told once; a line is as long as it may be at most. So
 * are messages of the program, with the time, the worker, and a value in the place of each pair of braces. */
#include "runtime/log.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/shown.h"
#include "runtime/worker.h"

#include <macs/extern.h>

enum { SLOTS = 4096 };

static char path[] = "/tmp/macsad-lines-XXXXXX";

/* What the file has beyond what was read before. */
static const char *more(void) {
    static char text[SLOTS * 8 + MACS_LOG_LINE + 100];
    static long at;
    FILE *file = fopen(path, "r");
    assert(file && !fseek(file, at, SEEK_SET));
    const size_t length = fread(text, 1, sizeof(text) - 1, file);
    at += (long)length;
    text[length] = '\0';
    fclose(file);
    return text;
}

static struct macs_switch sw;
static struct macs_thread thread = {.worker = {.index = 3}, .sw = &sw};

/* What a message comes to behind its head. */
static const char *logged(const char *format, const uint64_t *values, uint32_t count) {
    static const char head[] = "[12.000345] worker 3: ";
    macs_log_message(&thread.worker, format, values, count);
    macs_log_drain(&sw.log);
    const char *text = more();
    assert(!strncmp(text, head, strlen(head)));
    return text + strlen(head);
}

static void check_messages(void) {
    const uint64_t values[] = {0, UINT64_MAX, 7};
    char format[2 * MACS_LOG_LINE];
    const size_t room = MACS_LOG_LINE - strlen("[12.000345] worker 3: ");
    thread.worker.now_ns = UINT64_C(12000345678);
    assert(!strcmp(logged("", NULL, 0), "\n") && !strcmp(logged("{}", values, 1), "0\n"));
    assert(!strcmp(logged("a{}{}b {}", values, 3), "a018446744073709551615b 7\n"));
    assert(!strcmp(logged("{} {} {", values, 1), "0 {} {\n") && !strcmp(logged("{x}{}}", values, 3), "{x}0}\n"));
    for (size_t length = room - 2; length <= room + 2; length++) { /* the last digits have no room any more */
        memset(format, 'd', length);
        strcpy(format + length, "{}");
        const char *text = logged(format, values + 1, 1);
        const char last = length < room ? "81"[length + 2 - room] : 'd';
        assert(strlen(text) == room + 1 && text[room] == '\n' && text[room - 1] == last);
    }
    macs_assert_failed(&thread.worker, "a.p4:5");
    macs_assert_failed(&thread.worker, format);
    macs_log_drain(&sw.log);
    const char *text = more(), *first = "[12.000345] worker 3: assertion failed: a.p4:5\n";
    assert(!strncmp(text, first, strlen(first)) && strlen(text) == strlen(first) + MACS_LOG_LINE + 1);
    assert(thread.stats.asserts == 2 && !sw.log.lost);
}

/* What comes to standard error of a message that is told at once. */
static const char *told(struct macs_log *log) {
    static char text[200];
    char name[] = "/tmp/macsad-told-XXXXXX";
    const int file = mkstemp(name), before = dup(STDERR_FILENO);
    assert(file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    macs_log_write(log, "error: %d%s", 5, "\x1b]");
    assert(dup2(before, STDERR_FILENO) >= 0 && !close(before));
    const ssize_t length = pread(file, text, sizeof(text) - 1, 0);
    assert(length >= 0 && !close(file) && !unlink(name));
    text[length] = '\0';
    return text;
}

/* It is in the log, too, behind what was queued before and has been written; once if that is standard error. */
static void check_errors(void) {
    struct macs_log to_errors;
    assert(macs_log_open(&to_errors, "/nonexistent/log") == -ENOENT);
    assert(!macs_log_open(&to_errors, NULL));
    assert(!strcmp(told(&to_errors), "error: 5\\x1b]\n") && !*more() && !macs_log_failed(&to_errors));
    macs_log_close(&to_errors);
    assert(!strcmp(told(&sw.log), "error: 5\\x1b]\n") && !strcmp(more(), "error: 5\\x1b]\n"));
    assert(!macs_log_open(&to_errors, "/dev/full"));
    assert(!macs_log_failed(&to_errors) && *told(&to_errors) && macs_log_failed(&to_errors));
    macs_log_close(&to_errors);
    macs_log_close(&to_errors); /* nothing any more */
}

int main(void) {
    struct macs_log log;
    char line[MACS_LOG_LINE + 2];
    close(mkstemp(path));
    assert(!macs_log_open(&log, path));
    for (unsigned i = 0; i < SLOTS + 3; i++)
        macs_log_post(&log, "a", 1);
    macs_log_drain(&log);
    const char *text = more();
    assert(strlen(text) == 2 * SLOTS + strlen("(3 log lines lost)\n") && strstr(text, "\n(3 log lines lost)\n"));
    macs_log_drain(&log);
    assert(!*more());
    for (unsigned i = 0; i < SLOTS + 1; i++)
        macs_log_post(&log, "b", 1);
    macs_log_drain(&log);
    assert(strstr(more(), "b\n(1 log lines lost)\n"));
    memset(line, 'c', sizeof(line));
    for (unsigned longer = 0; longer < 2; longer++) {
        macs_log_post(&log, line, MACS_LOG_LINE + longer);
        macs_log_drain(&log);
        assert(strlen(more()) == MACS_LOG_LINE + 1);
    }
    macs_log_post(&log, "last", 4);
    assert(!macs_log_failed(&log));
    macs_log_close(&log); /* what is queued is written */
    assert(!strcmp(more(), "last\n"));
    assert(!macs_log_open(&sw.log, path)); /* and what is there stays */
    check_messages();
    check_errors();
    macs_log_close(&sw.log);
    assert(!unlink(path));
    puts("ok");
    return 0;
}
