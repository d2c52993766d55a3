/* What a switch makes for a program: its tables and externs.
 *
 * Threads: the control thread. Errors: -errno, logged.
 */
#ifndef MACS_RUNTIME_SWITCH_PROGRAM_H
#define MACS_RUNTIME_SWITCH_PROGRAM_H

#include "runtime/switch.h"

/* Make them, then start what the target has. `*table_count`: how many tables have been made, also when it fails. */
int macs_switch_program_create(struct macs_switch *sw, const struct macs_program *program, unsigned *table_count);

/* So many of its tables, and its externs. No worker uses them. */
void macs_switch_program_destroy(const struct macs_program *program, unsigned table_count);

#endif
