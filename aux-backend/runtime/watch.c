#include "runtime/watch.h"

#include "runtime/capture.h"
#include "runtime/trace.h"

void macs_watch_received(struct macs_thread *thread, const struct macs_input *input, const odp_packet_t handles[],
                         unsigned count) {
    struct macs_switch *sw = thread->sw;
    struct macs_trace *trace = atomic_load_explicit(&sw->trace, memory_order_acquire);
    if (sw->capture) {
        struct macs_captured captured = macs_capture_take(handles, count);
        macs_capture_write(sw->capture, input->slot, MACS_IN, &captured, count);
    }
    if (trace)
        macs_trace_burst(trace, input->port->number, handles, count);
}
