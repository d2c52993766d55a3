/* The message READ: entries and elements in binary form, part by part. docs/control.md has the forms.
 *
 * Threads: the control thread.
 */
#ifndef MACS_CONTROL_READS_H
#define MACS_CONTROL_READS_H

#include "control/wire.h"

/* Append what the payload asks for, as far as a part and the slice go: the status of the reply. What is wrong is told
 * in `why`, which stays NULL otherwise. */
enum macs_message_status macs_reads_do(struct macs_console *console, const uint8_t *payload, size_t length,
                                       struct macs_bytes *answer, const char **why);

#endif
