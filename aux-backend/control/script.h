/* Many commands at once: the lines of a file or of a message. */
#ifndef MACS_CONTROL_SCRIPT_H
#define MACS_CONTROL_SCRIPT_H

#include "control/console.h"

/* Errors that are told; the others are counted only. */
#define MACS_SCRIPT_ERRORS 20u

struct macs_script {
    const char *name; /* each error begins with NAME:LINE:, without name with LINE: */
    bool keep_going;  /* behind a line that failed */
    bool answers;     /* report what lines print */
    uint32_t lines;   /* read so far, blank ones too */
    uint32_t done;    /* lines that worked, blank ones not counted */
    uint32_t failed;
};

/* Run the lines of text[0 … length-1]; text[length] is there too, and all of it is changed. Fills done and failed. */
void macs_script_run(struct macs_script *script, struct macs_console *console, char *text, size_t length,
                     struct macs_text *report);

/* Run a file's lines and tell on standard error what fails. The file may be a pipe, or have no end. 0, -1 when lines
 * failed (then so has what is not read behind a line that is too long), -errno when it cannot be read: -EINTR when
 * `wake` (a descriptor) became readable before its end. */
int macs_script_run_file(struct macs_console *console, const char *path, int wake);

#endif
