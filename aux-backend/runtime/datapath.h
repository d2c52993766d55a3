/* The datapath of a worker: receive, pipelines, traffic manager, transmit. */
#ifndef MACS_RUNTIME_DATAPATH_H
#define MACS_RUNTIME_DATAPATH_H

#include "runtime/worker.h"

/* Choose how the program's packets go through the switch, from what the program is; once, when the worker is made. */
void macs_datapath_choose(struct macs_thread *thread);

/* Receive a burst from the input, process it and everything that it leads to, send what comes of it; or, software
 * pipelined, its prologue, and all else of the burst before. Returns how many packets were received. */
unsigned macs_datapath_poll(struct macs_thread *thread, const struct macs_input *input);

/* The same with a burst that was received from the input: 1 packet at least. */
void macs_datapath_run(struct macs_thread *thread, const struct macs_input *input, const odp_packet_t handles[],
                       unsigned count);

/* Nothing has come: finish the burst of which only the prologue has run, if there is one, and hold nothing. */
void macs_datapath_drain(struct macs_thread *thread);

#endif
