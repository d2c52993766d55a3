/* The datapath of a worker: receive, pipelines, traffic manager, transmit. */
#ifndef MACS_RUNTIME_DATAPATH_H
#define MACS_RUNTIME_DATAPATH_H

#include "runtime/worker.h"

/* Choose the datapath for the program, once, when the worker is made. */
void macs_datapath_choose(struct macs_thread *thread);

/* Receive a burst from the input, process it and everything that it leads to, send what comes of it; or, software
 * pipelined, its prologue, and all else of the burst before. Returns how many packets were received. */
unsigned macs_datapath_poll(struct macs_thread *thread, const struct macs_input *input);

/* If the next burst is sampled (clocks.h), its time begins here. */
void macs_datapath_begin_sample(struct macs_thread *thread);

/* The burst is through: if it was sampled its time ends here. */
void macs_datapath_end_sample(struct macs_thread *thread, unsigned count);

/* The same for a burst that was received already: at least 1 packet. */
void macs_datapath_run(struct macs_thread *thread, const struct macs_input *input, const odp_packet_t handles[],
                       unsigned count);

/* Packets from ingress through the traffic manager and egress, and out. */
void macs_datapath_pass_on(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);

/* Packets that have waited in a queue, through egress and out. */
void macs_datapath_leave_queue(struct macs_thread *thread, struct macs_packet *packets[], unsigned count);

/* No frames were received: run the epilogue that is left, if any, and release the locks of registers. */
void macs_datapath_drain(struct macs_thread *thread);

#endif
