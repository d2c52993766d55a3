/* The begin and the end of a burst, in every form of the datapath. */
#ifndef MACS_RUNTIME_BURSTS_H
#define MACS_RUNTIME_BURSTS_H

#include "runtime/worker.h"

/* Fill the records of received packets; broken frames are dropped. Returns how many are left. */
unsigned macs_burst_bind(struct macs_thread *thread, const odp_packet_t handles[], unsigned count,
                         struct macs_packet *packets[]);

/* Take the locks that the worker has to itself. */
void macs_burst_begin(struct macs_thread *thread);

/* Send the packets that are left in port buffers, add the deferred counts, release locks. */
void macs_burst_finish(struct macs_thread *thread);

/* The same for a received burst, which is counted. */
void macs_burst_end(struct macs_thread *thread, struct macs_port *port, unsigned received);

/* The same while the next burst is in flight: this one's deferred counts may wait for the end of that. */
void macs_burst_end_early(struct macs_thread *thread, struct macs_port *port, unsigned received);

#endif
