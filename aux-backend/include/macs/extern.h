/* Stateful externs for generated code. All functions are inline, and none blocks.
 *
 * Counters, registers and meters have headers of their own.
 * Digests: a bounded queue. A record for which there is no room is counted as lost.
 */
#ifndef MACS_EXTERN_H
#define MACS_EXTERN_H

#include <macs/counter.h>
#include <macs/hold.h>
#include <macs/meter.h>
#include <macs/program.h>
#include <macs/register.h>
#include <macs/worker.h>

/* State of MACS_DIGEST. */
struct macs_digest;

/* Queue a record: its fields one after the other, each in whole bytes, most significant first (as in a packed key). */
void macs_digest_send(struct macs_digest *digest, const uint8_t *record, uint32_t bytes);

/* Write a log_msg line for this worker to the switch's log, {} replaced by the values in turn. Never blocks: what the
 * log cannot take in time is counted as lost. */
void macs_log_message(const struct macs_worker *worker, const char *format, const uint64_t *values, uint32_t count);

/* An assert() or assume() of the program failed at file:line. Counted, and reported like a log message. */
void macs_assert_failed(const struct macs_worker *worker, const char *where);

#endif
