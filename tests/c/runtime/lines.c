/* Lines of the log: what there was no room for is counted, and told once; a line is as long as it may be at most. */
#include "runtime/log.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/shown.h"

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
    assert(!strcmp(more(), "last\n") && !unlink(path));
    puts("ok");
    return 0;
}
