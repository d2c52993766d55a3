/* Causes of drops: why a packet was not sent. Every received frame is sent or counted under one of them. */
#ifndef MACS_CAUSE_H
#define MACS_CAUSE_H

enum macs_cause {
    MACS_CAUSE_PROGRAM = 0, /* the P4 program dropped it */
    MACS_CAUSE_NO_PORT,     /* its egress port does not exist or is down */
    MACS_CAUSE_TX_FULL,     /* the interface did not take it */
    MACS_CAUSE_TOO_LONG,    /* longer than the interface or the pool takes, after the deparser */
    MACS_CAUSE_NO_BUFFER,   /* no memory for a copy or for its headers */
    MACS_CAUSE_RX_ERROR,    /* received broken (ODP's error flags, more headers than fit in one segment) */
    MACS_CAUSE_NO_GROUP,    /* its multicast group has no members */
    MACS_CAUSE_LOOPS,       /* it went through the program too often, or too many packets do at once */
    MACS_CAUSE_CIPHER,      /* its payload cannot be ciphered: not whole blocks, or no session to be had */
    MACS_CAUSE_ENDLESS,     /* it was in a loop of the program when the switch ended */
    MACS_CAUSE_QUEUE_FULL,  /* the queue of its egress port was full */
    MACS_CAUSE_NO_QUEUE,    /* its priority is that of no queue */
    MACS_CAUSES
};

/* From here on causes are places of the program at which it dropped the packet (macs_program.places): they count as
 * MACS_CAUSE_PROGRAM, too. */
#define MACS_CAUSE_PLACE 16u
#define MACS_CAUSE_PLACES 111u
_Static_assert((unsigned)MACS_CAUSES <= MACS_CAUSE_PLACE, "causes and places have numbers of their own");

#endif
