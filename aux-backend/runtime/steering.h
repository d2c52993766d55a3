/* Steering: each frame goes to the worker that its registers' cells belong to (macs/steer.h).
 *
 * It is decided when the switch is made: there are several workers, the program's columns tell so
 * many apart, and each port can be told which frames are for which queue. Our own ODP for Linux has a call for that
 * beside ODP's; elsewhere registers have locks.
 * A port may still give a queue frames that are for another one: one that has fewer queues, or whose kernel looked at
 * the frame before it was complete. So workers look again, and hand over what is not theirs, in order.
 */
#ifndef MACS_RUNTIME_STEERING_H
#define MACS_RUNTIME_STEERING_H

#include <macs/steer.h>

#include "runtime/worker.h"

/* Decide, and tell the ports, which are open and have not begun; the queues for what is handed over are theirs. 0 or
 * -errno, logged. */
int macs_steering_begin(struct macs_switch *sw);

/* A port has been opened since: workers look at all of its frames. 0 or -errno, logged. */
int macs_steering_add(struct macs_switch *sw, struct macs_port *port);

/* The worker that a frame is for, of a switch that steers. */
uint32_t macs_steering_worker(const struct macs_switch *sw, odp_packet_t packet);

/* Hand over what is not for this worker. Returns how many are left, at the begin of `handles`. */
int macs_steering_keep(struct macs_thread *thread, struct macs_port *port, odp_packet_t handles[], int count);

/* An instruction of the kernel's classic BPF. */
struct macs_steer_instruction {
    uint16_t code;
    uint8_t yes, no;
    uint32_t operand;
};

/* The same function as a filter of packet sockets: it returns the columns. The frame's head is where the kernel has the
 * link layer, a VLAN tag may be beside it. Returns how many instructions there are; 0: more than `most`. */
uint32_t macs_steering_filter(const struct macs_steering *steering, struct macs_steer_instruction made[],
                              uint32_t most);

#endif
