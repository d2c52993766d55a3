/* The OpenDataPlane API (generation 1.50), as implemented on plain Linux.
 *
 * Names, types and meanings follow the API's specification. docs/odp.md lists its groups, and where this implementation
 * is smaller. What is not declared here is not implemented: a program that needs it does not compile. A program that
 * includes only this file also compiles with any other implementation of the API.
 */
#ifndef ODP_API_H_
#define ODP_API_H_

#include <odp/api/align.h>
#include <odp/api/atomic.h>
#include <odp/api/barrier.h>
#include <odp/api/buffer.h>
#include <odp/api/byteorder.h>
#include <odp/api/chksum.h>
#include <odp/api/cpu.h>
#include <odp/api/cpumask.h>
#include <odp/api/crypto.h>
#include <odp/api/debug.h>
#include <odp/api/errno.h>
#include <odp/api/event.h>
#include <odp/api/hash.h>
#include <odp/api/hints.h>
#include <odp/api/init.h>
#include <odp/api/packet.h>
#include <odp/api/packet_flags.h>
#include <odp/api/packet_io.h>
#include <odp/api/pool.h>
#include <odp/api/queue.h>
#include <odp/api/random.h>
#include <odp/api/rwlock.h>
#include <odp/api/shared_memory.h>
#include <odp/api/spinlock.h>
#include <odp/api/std.h>
#include <odp/api/std_types.h>
#include <odp/api/sync.h>
#include <odp/api/thread.h>
#include <odp/api/thrmask.h>
#include <odp/api/ticketlock.h>
#include <odp/api/time.h>
#include <odp/api/version.h>

#endif
