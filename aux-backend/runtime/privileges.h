/* Privileges: what a switch may do once its ports are open.
 *
 * Linux gives each thread capabilities of its own. Every thread that processes packets or serves clients gives up all
 * that its ports do not need for good: what comes in from outside could only take over what is left. docs/privileges.md
 * lists what each kind of port needs.
 */
#ifndef MACS_RUNTIME_PRIVILEGES_H
#define MACS_RUNTIME_PRIVILEGES_H

#include "runtime/options.h"

/* Of the calling thread, and of those that it makes from now on. 0 or -errno. */
int macs_privileges_drop(const struct macs_options *options);

#endif
