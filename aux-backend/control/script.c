#include "control/script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a file that are read at once; longer lines make it more. */
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

/* A part of a file, whole lines at its front. */
struct part {
    char *text; /* with room for one more byte */
    size_t length, capacity;
};

/* Read on until the part has a whole line or the file ends. 0 with the length of its whole lines, or -errno. */
static int read_part(FILE *file, struct part *part, size_t *whole) {
    do {
        if (part->length == part->capacity) {
            char *more = realloc(part->text, (part->capacity ? 2 * part->capacity : FILE_PART) + 1);
            if (!more)
                return -ENOMEM;
            part->text = more;
            part->capacity = part->capacity ? 2 * part->capacity : FILE_PART;
        }
        errno = 0;
        part->length += fread(part->text + part->length, 1, part->capacity - part->length, file);
        if (ferror(file))
            return errno ? -errno : -EIO;
        *whole = part->length;
        while (!feof(file) && *whole && part->text[*whole - 1] != '\n')
            --*whole;
    } while (!*whole && !feof(file));
    return 0;
}

/* Millions of lines pass through a buffer: the file is never in memory as a whole. */
static int run_file(struct macs_script *script, struct macs_console *console, FILE *file, struct macs_text *report) {
    struct macs_text answer = {0};
    struct part part = {0};
    size_t whole = 0;
    int status;
    while (!(status = read_part(file, &part, &whole)) && whole) {
        char next = part.text[whole]; /* the end mark of the last line goes there */
        run_lines(script, console, part.text, whole, &answer, report);
        part.text[whole] = next;
        part.length -= whole;
        memmove(part.text, part.text + whole, part.length);
    }
    finish(script, report);
    free(part.text);
    macs_text_free(&answer);
    return status;
}

int macs_script_run_file(struct macs_console *console, const char *path) {
    struct macs_script script = {.name = path, .keep_going = true};
    struct macs_text report = {0};
    FILE *file = fopen(path, "re");
    int status = file ? run_file(&script, console, file, &report) : -errno;
    fwrite(report.data ? report.data : "", 1, report.length, stderr);
    if (status)
        fprintf(stderr, "error: cannot read the entries file '%s': %s\n", path, strerror(-status));
    macs_text_free(&report);
    if (file)
        fclose(file);
    return status ? status : script.failed ? -1 : 0;
}
