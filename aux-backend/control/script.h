/* Runs many commands: the lines of a file or of a message. */
#ifndef MACS_CONTROL_SCRIPT_H
#define MACS_CONTROL_SCRIPT_H

#include "control/console.h"

/* So many errors are reported; further ones are only counted. */
#define MACS_SCRIPT_ERRORS 20u

/* Lines that are split into words together, so that the memory that each needs is prefetched in time. */
#define MACS_BLOCK_LINES 16u
#define MACS_BLOCK_WORDS (MACS_WORDS_MAX + 1024u)

struct macs_script_line {
    char **words;
    struct macs_prefetched prefetched;
    int count; /* 0: a blank line */
    bool zero; /* there is a byte of zero in it */
};

struct macs_script {
    const char *name; /* each error begins with NAME:LINE:, without name with LINE: */
    bool keep_going;  /* behind a line that failed */
    bool answers;     /* report what lines print */
    uint32_t lines;   /* run so far, blank ones too */
    uint32_t done;    /* lines that worked, blank ones not counted */
    uint32_t failed;
    /* The rest is the script's own. */
    char *text;
    size_t length, at;                               /* of the text; the lines before `at` have been cut */
    struct macs_script_line block[MACS_BLOCK_LINES]; /* the lines cut last */
    unsigned block_count, next;                      /* how many, and the one that is to be run */
    struct macs_progress progress;                   /* of that */
    struct macs_text answer;                         /* likewise */
    char *words[MACS_BLOCK_WORDS];
};

/* Begin with the lines of text[0 … length-1]; text[length] is there too. The text is changed, and stays where it is
 * until all is done. Counts go on from where they were. */
void macs_script_give(struct macs_script *script, char *text, size_t length);

/* Run lines until the console's slice is over: true, there are more. */
bool macs_script_run(struct macs_script *script, struct macs_console *console, struct macs_text *report);

/* The end of a script: report the number of further errors, and free its memory. */
void macs_script_finish(struct macs_script *script, struct macs_text *report);

/* Run a file's lines and tell on standard error what fails. The file may be a pipe, or have no end. 0, -1 when lines
 * failed (then so has what is not read behind a line that is too long), -errno when it cannot be read: -EINTR when
 * `wake` (a descriptor) became readable before its end. */
int macs_script_run_file(struct macs_console *console, const char *path, int wake);

#endif
