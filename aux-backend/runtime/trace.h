/* Traces: frames as workers have received them, for a client that tells what becomes of each.
 *
 * A worker looks at a burst before the program does, and puts copies of the frames that the filter lets through into a
 * bounded queue. A frame for which there is no room is counted as lost.
 * Threads: workers take frames and never wait; the control thread starts, stops and takes them out.
 * Cost: none while nobody traces (macs_switch.watched).
 */
#ifndef MACS_RUNTIME_TRACE_H
#define MACS_RUNTIME_TRACE_H

#include <odp_api.h>
#include <stdatomic.h>
#include <stdint.h>

#include "runtime/ring.h"

#define MACS_TRACE_BYTES_MAX 256u /* that a filter asks for */
#define MACS_TRACE_ANY_PORT UINT32_MAX

struct macs_switch;

/* A frame passes if it came from that port and each byte under its mask is as it should be; of those the first one and
 * then each `every`th, at most `per_second` of them in a second, and `count` in all (0: no limit). */
struct macs_trace_filter {
    uint32_t port, every, per_second;
    uint64_t count;
    unsigned byte_count;
    struct {
        uint16_t offset;
        uint8_t value, mask;
    } bytes[MACS_TRACE_BYTES_MAX];
};

/* A frame in the queue. */
struct macs_traced {
    uint64_t time_ns; /* since the switch started */
    uint32_t length;
    uint16_t port;
    uint8_t bytes[];
};

struct macs_trace {
    struct macs_switch *sw;
    struct macs_trace_filter filter;
    struct macs_ring ring;
    _Atomic uint64_t matched, taken, lost;
    _Atomic uint64_t second; /* its number << 32 | frames that were taken in it */
};

/* Frames are taken from now on. 0, -ENOMEM, or -EBUSY: it goes on already, or workers hang. */
int macs_trace_start(struct macs_switch *sw, const struct macs_trace_filter *filter);
void macs_trace_stop(struct macs_switch *sw);

/* Called by a worker for each burst of a switch that is traced. */
void macs_trace_burst(struct macs_trace *trace, uint16_t port, const odp_packet_t packets[], unsigned count);

#endif
