/* Log messages of ODP: they go to standard error. The first error is kept, for the last message of a switch that fails.
 *
 * Threads: any.
 */
#ifndef MACS_RUNTIME_ODP_LOG_H
#define MACS_RUNTIME_ODP_LOG_H

#include <odp_api.h>

/* For odp_init_t.log_fn. Returns the characters written. */
int macs_odp_says(odp_log_level_t level, const char *format, ...) ODP_PRINTF_FORMAT(2, 3);

/* The first error said, without the end of its line; what `error` (a number of errno.h's, 0: unknown) means when none
 * has been. Valid until the process ends. */
const char *macs_odp_reason(int error);

#endif
