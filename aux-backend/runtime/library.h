/* A program that is compiled as a shared library, for a switch that runs another one (--replaceable).
 *
 * It must have been compiled with the same backend. What was loaded stays in memory: names of the program may be in
 * use. Threads: the control thread.
 */
#ifndef MACS_RUNTIME_LIBRARY_H
#define MACS_RUNTIME_LIBRARY_H

#include <macs/program.h>

/* The program in the file, which is none that was loaded before; NULL: `why` says what is wrong. */
const struct macs_program *macs_library_open(const char *path, const char **why);

#endif
