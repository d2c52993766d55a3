#include "control/script.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a file that are read at once, and of a line in it at most. */
#define FILE_PART (1u << 20)

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

/* Lines that are cut into words together. While one of them is run, the memory that the others take is on its way. */
#define BLOCK_LINES 16u
#define BLOCK_WORDS (MACS_WORDS_MAX + 1024u)

struct line {
    char **words;
    struct macs_expected expected;
    int count; /* 0: a blank line */
    bool zero; /* there is a byte of zero in it */
};

struct block {
    struct line lines[BLOCK_LINES];
    unsigned count;
    char *words[BLOCK_WORDS];
};

/* Cut the lines at text[*at …] as far as the block has room; *at is behind them then. */
static void cut_lines(struct block *block, char *text, size_t length, size_t *at) {
    unsigned used = 0;
    for (block->count = 0; *at < length && block->count < BLOCK_LINES && used + MACS_WORDS_MAX <= BLOCK_WORDS;) {
        struct line *line = &block->lines[block->count++];
        char *end = memchr(text + *at, '\n', length - *at);
        size_t line_length = end ? (size_t)(end - text) - *at : length - *at;
        text[*at + line_length] = 0;
        line->words = &block->words[used];
        line->zero = memchr(text + *at, 0, line_length);
        line->count = line->zero ? 0 : macs_console_cut(text + *at, line->words);
        used += line->count > 0 ? (unsigned)line->count : 0;
        *at += line_length + 1;
    }
}

/* Have the memory on its way that the lines take. */
static void expect_lines(struct block *block, struct macs_console *console, struct macs_text *scratch) {
    for (unsigned i = 0; i < block->count; i++)
        block->lines[i].expected = macs_console_expect(console, block->lines[i].count, block->lines[i].words, scratch);
    for (unsigned step = 0; step < MACS_STORE_EXPECT_STEPS; step++)
        for (unsigned i = 0; i < block->count; i++)
            if (block->lines[i].expected.store)
                macs_store_expect(block->lines[i].expected.store, block->lines[i].expected.handle, step);
}

/* One line; false: it failed. */
static bool run_line(struct macs_script *script, struct macs_console *console, const struct line *line, uint32_t number,
                     struct macs_text *answer, struct macs_text *report) {
    int status = 0;
    if (line->zero)
        status = macs_text_fail(answer, "the line has a byte of zero in it");
    else if (!line->count)
        return true;
    else
        status = macs_console_do(console, line->count, line->words, answer);
    if (!status) {
        script->done++;
        if (script->answers)
            macs_text_bytes(report, answer->data ? answer->data : "", answer->length);
        return true;
    }
    script->failed++;
    report_error(script, number, answer, report);
    return false;
}

/* The lines of text[0 … length-1]; text[length] is there too. */
static void run_lines(struct macs_script *script, struct macs_console *console, char *text, size_t length,
                      struct macs_text *answer, struct macs_text *report) {
    struct block block;
    bool fine = true;
    console->quiet = !script->answers;
    for (size_t at = 0; at < length && (fine || script->keep_going);) {
        cut_lines(&block, text, length, &at);
        expect_lines(&block, console, answer);
        for (unsigned i = 0; i < block.count && (fine || script->keep_going); i++)
            fine = run_line(script, console, &block.lines[i], ++script->lines, answer, report);
    }
    console->quiet = false;
}

static void finish(const struct macs_script *script, struct macs_text *report) {
    if (script->failed > MACS_SCRIPT_ERRORS)
        macs_text_add(report, "and %" PRIu32 " more errors\n", script->failed - MACS_SCRIPT_ERRORS);
}

void macs_script_run(struct macs_script *script, struct macs_console *console, char *text, size_t length,
                     struct macs_text *report) {
    struct macs_text answer = {0};
    script->lines = script->done = script->failed = 0;
    run_lines(script, console, text, length, &answer, report);
    finish(script, report);
    macs_text_free(&answer);
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

static int run_parts(struct macs_script *script, struct macs_console *console, int file, int wake, struct part *part,
                     struct macs_text *report) {
    struct macs_text answer = {0};
    int status;
    while (!(status = read_part(file, wake, part)) && part->whole) {
        char next = part->text[part->whole]; /* the end mark of the last line goes there */
        run_lines(script, console, part->text, part->whole, &answer, report);
        part->text[part->whole] = next;
        part->length -= part->whole;
        memmove(part->text, part->text + part->whole, part->length);
    }
    if (status == -E2BIG) {
        script->failed++;
        macs_text_fail(&answer, "the line is longer than %u bytes; what is behind it has not been read", FILE_PART);
        report_error(script, script->lines + 1, &answer, report);
        status = 0;
    }
    macs_text_free(&answer);
    return status;
}

static int run_file(struct macs_script *script, struct macs_console *console, int wake, struct macs_text *report) {
    struct part part = {.text = malloc(FILE_PART + 1)};
    /* To open a named pipe does not wait for who writes to it: reading does, where a signal is seen. */
    int file = open(script->name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int status = file < 0 ? -errno : part.text ? run_parts(script, console, file, wake, &part, report) : -ENOMEM;
    finish(script, report);
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
        fprintf(stderr, "error: cannot read the entries file '%s': %s\n", path, strerror(-status));
    macs_text_free(&report);
    return status ? status : script.failed ? -1 : 0;
}
