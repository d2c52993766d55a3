/* Checks that no file that a switch writes is another one that it uses.
 *
 * Ports, the log and the entries file are opened before anything is written. Open files are compared by device and
 * inode, not by path: links, and paths such as /dev/fd/3, name other files.
 */
#ifndef MACS_RUNTIME_FILES_H
#define MACS_RUNTIME_FILES_H

#include <stdbool.h>

/* Keep a regular file that is read later from being written meanwhile: a descriptor to be closed, or -1. */
int macs_files_hold(const char *path);

/* Whether no regular file that is open for writing is open a second time; else tells standard error which. */
bool macs_files_apart(void);

#endif
