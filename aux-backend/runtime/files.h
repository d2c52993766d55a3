/* The files of a switch: none that it writes may be another one that it uses.
 *
 * Ports, the log and the entries are opened before anything is written. Their paths say little (links, "/dev/fd/3"), so
 * that what is compared is what the process has open, by device and inode.
 */
#ifndef MACS_RUNTIME_FILES_H
#define MACS_RUNTIME_FILES_H

#include <stdbool.h>

/* Keep a regular file that is read later from being written meanwhile: a descriptor to be closed, or -1. */
int macs_files_hold(const char *path);

/* Whether no regular file that is open for writing is open a second time; else tells standard error which. */
bool macs_files_apart(void);

#endif
