#include "runtime/front.h"

#include <macs/run_to_completion.h>

#include "runtime/bursts.h"
#include "runtime/transmit.h"

uint64_t macs_front_burst(struct macs_thread *thread, struct macs_port *port, const odp_packet_t handles[],
                          unsigned received) {
    uint64_t bytes = macs_extent_of(handles, received).bytes;
    struct macs_packet *packets[MACS_BURST_MAX];
    unsigned count = macs_burst_bind(thread, handles, received, packets), put = 0;
    macs_burst_begin(thread);
    if (count)
        thread->sw->program->ingress(&thread->worker, packets, count);
    macs_burst_end(thread, port, received - count);
    while (put < count) {
        put += macs_handover_put(thread->to_back, &packets[put], count - put);
        if (put < count)
            odp_cpu_pause();
    }
    return bytes;
}
