/* Ports that come and go while packets flow.
 *
 * A port has a slot. Workers look at the slots anew when the version of the ports changes, between two bursts, and then
 * say so: what was a port's before that is out of their hands.
 * Threads: the control thread.
 */
#ifndef MACS_RUNTIME_PORTS_H
#define MACS_RUNTIME_PORTS_H

#include "runtime/switch.h"

/* How long workers may take to come to the end of a burst. */
#define MACS_PORTS_WAIT_NS UINT64_C(1000000000)

enum macs_ports_status {
    MACS_PORTS_DONE,
    MACS_PORTS_THERE,      /* there is one of that number */
    MACS_PORTS_NONE,       /* there is none */
    MACS_PORTS_FULL,       /* no slot is free */
    MACS_PORTS_NOT_OPENED, /* the log says why */
    MACS_PORTS_BUSY,       /* a worker hangs */
};

/* Open a port and let workers receive from it. `name` is copied. */
enum macs_ports_status macs_ports_add(struct macs_switch *sw, uint16_t number, const char *name);

/* The files of all ports are known to be apart: captures of this one begin, and unless it is down it receives. 0 or
 * -errno; the log says why. */
int macs_ports_start(struct macs_switch *sw, unsigned slot);

/* Take a port away. What it has received and nobody has looked at counts as missed, what waits for it is dropped. BUSY:
 * it goes when it is told so once more. */
enum macs_ports_status macs_ports_remove(struct macs_switch *sw, uint16_t number);

/* Take a port down: it receives nothing, and frames to it are dropped as to a port that is not there. What waits for it
 * is dropped, too. Or let it receive and send again. BUSY: as above. NOT_OPENED: it cannot start again. */
enum macs_ports_status macs_ports_down(struct macs_switch *sw, uint16_t number);
enum macs_ports_status macs_ports_up(struct macs_switch *sw, uint16_t number);

/* Other workers receive now: deal out the queues of all ports anew. */
void macs_ports_deal(struct macs_switch *sw);

/* Have workers look at the ports anew, and wait until all have: DONE or BUSY. */
enum macs_ports_status macs_ports_tell(struct macs_switch *sw);

#endif
