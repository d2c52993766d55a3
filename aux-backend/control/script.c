#include "control/script.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/shown.h"

/* Bytes of a line in a file at most, and of a file that are read at once: a line and its end. */
#define LINE_MAX_BYTES (1u << 20)
#define FILE_PART (LINE_MAX_BYTES + 1)

static void report_error(const struct macs_script *script, uint32_t number, const struct macs_text *why,
                         struct macs_text *report) {
    if (script->failed > MACS_SCRIPT_ERRORS)
        return;
    if (script->name)
        macs_text_add(report, "%s:", script->name);
    macs_text_add(report, "%" PRIu32 ": error: ", number);
    macs_text_bytes(report, why->data ? why->data : "", why->length);
    macs_text_add(report, "\n");
}

/* Split the next lines into words, as many as fit in the block. */
static void cut_lines(struct macs_script *script) {
    unsigned used = 0, count = 0;
    while (script->at < script->length && count < MACS_BLOCK_LINES && used + MACS_WORDS_MAX <= MACS_BLOCK_WORDS) {
        struct macs_script_line *line = &script->block[count++];
        char *begin = script->text + script->at, *end = memchr(begin, '\n', script->length - script->at);
        size_t length = end ? (size_t)(end - begin) : script->length - script->at;
        begin[length] = 0;
        line->words = &script->words[used];
        line->zero = memchr(begin, 0, length);
        line->count = line->zero ? 0 : macs_console_cut(begin, line->words);
        used += line->count > 0 ? (unsigned)line->count : 0;
        script->at += length + 1;
    }
    script->block_count = count;
    script->next = 0;
}

/* Prefetch the memory that the lines need. */
static void expect_lines(struct macs_script *script, struct macs_console *console) {
    struct macs_script_line *block = script->block;
    for (unsigned i = 0; i < script->block_count; i++)
        block[i].prefetched = macs_console_prefetch(console, block[i].count, block[i].words, &script->answer);
    for (unsigned step = 0; step < MACS_ENTRIES_PREFETCH_STEPS; step++)
        for (unsigned i = 0; i < script->block_count; i++)
            if (block[i].prefetched.entries)
                macs_entries_prefetch(block[i].prefetched.entries, block[i].prefetched.handle, step);
}

/* Called after each line. */
static void count_line(struct macs_script *script, int status, struct macs_text *report) {
    const struct macs_text *answer = &script->answer;
    script->lines++;
    script->next++;
    if (status) {
        script->failed++;
        report_error(script, script->lines, answer, report);
        return;
    }
    script->done++;
    if (script->answers)
        macs_text_bytes(report, answer->data ? answer->data : "", answer->length);
}

/* The next line of the block, or what is left of it; true: it takes another slice. */
static bool run_line(struct macs_script *script, struct macs_console *console, struct macs_text *report) {
    const struct macs_script_line *line = &script->block[script->next];
    if (!line->zero && !line->count) {
        script->lines++;
        script->next++;
        return false;
    }
    int status = line->zero ? macs_text_fail(&script->answer, "the line has a byte of zero in it")
                            : macs_console_do(console, &script->progress, line->count, line->words, &script->answer);
    if (status == MACS_AGAIN)
        return true;
    count_line(script, status, report);
    return false;
}

void macs_script_give(struct macs_script *script, char *text, size_t length) {
    script->text = text;
    script->length = length;
    script->at = 0;
    script->block_count = script->next = 0;
}

/* The lines of the block; true: one of them takes another slice. */
static bool run_block(struct macs_script *script, struct macs_console *console, struct macs_text *report) {
    while (script->next < script->block_count && (!script->failed || script->keep_going))
        if (run_line(script, console, report))
            return true;
    return false;
}

bool macs_script_run(struct macs_script *script, struct macs_console *console, struct macs_text *report) {
    bool again, more;
    console->quiet = !script->answers;
    do {
        if (script->next == script->block_count) {
            cut_lines(script);
            expect_lines(script, console);
        }
        again = run_block(script, console, report);
        more = script->at < script->length && (!script->failed || script->keep_going);
    } while (!again && more && !macs_console_slice_over(console));
    console->quiet = false;
    return again || more;
}

void macs_script_finish(struct macs_script *script, struct macs_text *report) {
    if (script->failed > MACS_SCRIPT_ERRORS) {
        const uint32_t more = script->failed - MACS_SCRIPT_ERRORS;
        macs_text_add(report, "and %" PRIu32 " more error%s\n", more, more > 1 ? "s" : "");
    }
    macs_text_free(&script->answer);
}

/* A part of a file, whole lines at its front: the file is never in memory as a whole, and need not have an end. */
struct part {
    char *text; /* FILE_PART bytes, and one more */
    size_t length;
    size_t whole; /* bytes of its whole lines */
    bool end;
};

/* The next bytes, as soon as there are any. 0, or -errno: -EINTR when `wake` becomes readable first. */
static int read_more(int file, int wake, struct part *part) {
    struct pollfd fds[] = {{.fd = wake, .events = POLLIN}, {.fd = file, .events = POLLIN}};
    while (poll(fds, 2, -1) < 0)
        if (errno != EINTR)
            return -errno;
    if (fds[0].revents)
        return -EINTR;
    ssize_t got = read(file, part->text + part->length, FILE_PART - part->length);
    if (got < 0)
        return errno == EAGAIN ? 0 : -errno;
    part->length += (size_t)got;
    part->end = !got;
    return 0;
}

/* Read on until the part is full or the file ends. 0, or -errno: -E2BIG when there is no whole line in it. */
static int read_part(int file, int wake, struct part *part) {
    while (part->length < FILE_PART && !part->end) {
        int status = read_more(file, wake, part);
        if (status)
            return status;
    }
    part->whole = part->length;
    while (!part->end && part->whole && part->text[part->whole - 1] != '\n')
        part->whole--;
    return part->length && !part->whole ? -E2BIG : 0;
}

/* Whether a descriptor is readable by now. */
static bool readable(int descriptor) {
    struct pollfd fd = {.fd = descriptor, .events = POLLIN};
    return poll(&fd, 1, 0) > 0;
}

/* The whole lines of a part. 0, or -EINTR when `wake` becomes readable first. */
static int run_part(struct macs_script *script, struct macs_console *console, struct part *part, int wake,
                    struct macs_text *report) {
    macs_script_give(script, part->text, part->whole);
    do {
        if (readable(wake))
            return -EINTR;
        macs_console_begin_slice(console);
    } while (macs_script_run(script, console, report));
    part->length -= part->whole;
    memmove(part->text, part->text + part->whole, part->length);
    return 0;
}

static int run_parts(struct macs_script *script, struct macs_console *console, int file, int wake, struct part *part,
                     struct macs_text *report) {
    int status;
    while (!(status = read_part(file, wake, part)) && part->whole)
        if ((status = run_part(script, console, part, wake, report)))
            return status;
    if (status == -E2BIG) {
        script->failed++;
        macs_text_fail(&script->answer, "the line is longer than %u bytes; what is behind it has not been read",
                       LINE_MAX_BYTES);
        report_error(script, script->lines + 1, &script->answer, report);
        status = 0;
    }
    return status;
}

static int run_file(struct macs_script *script, struct macs_console *console, int wake, struct macs_text *report) {
    struct part part = {.text = malloc(FILE_PART + 1)};
    /* Opening a named pipe does not wait for its writer; reading does, and can be interrupted by a signal. */
    int file = open(script->name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int status = file < 0 ? -errno : part.text ? run_parts(script, console, file, wake, &part, report) : -ENOMEM;
    macs_script_finish(script, report);
    free(part.text);
    if (file >= 0)
        close(file);
    return status;
}

int macs_script_run_file(struct macs_console *console, const char *path, int wake) {
    struct macs_script script = {.name = path, .keep_going = true};
    struct macs_text report = {0};
    int status = run_file(&script, console, wake, &report);
    fwrite(report.data ? report.data : "", 1, report.length, stderr);
    if (status && status != -EINTR)
        macs_tell(stderr, "error: cannot read the entries file '%s': %s\n", path, strerror(-status));
    macs_text_free(&report);
    return status ? status : script.failed ? -1 : 0;
}
