/* Drops the privileges that a switch no longer needs once its ports are open.
 *
 * Linux gives each thread its own set of capabilities. Every thread that processes packets or serves clients drops for
 * good all that its ports do not need. docs/privileges.md lists what each kind of port needs.
 */
#ifndef MACS_RUNTIME_PRIVILEGES_H
#define MACS_RUNTIME_PRIVILEGES_H

#include "runtime/options.h"

/* Of the calling thread, and of those that it makes from now on. 0 or -errno. */
int macs_privileges_drop(const struct macs_options *options);

#endif
