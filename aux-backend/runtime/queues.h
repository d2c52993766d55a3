/* Queues between ingress and egress, of programs that have them (macs_program.waited_at).
 *
 * A port has one queue for each priority, each with a depth and a rate. A packet that comes to an empty queue whose
 * rate lets it go, of a port that takes frames, does not wait: it goes on in its burst, and finds a depth of 0. Others
 * wait. When a packet comes, its queue tells it when it may go on, as the rate says; of those that may, the ones of the
 * higher priority go first. What comes to a full queue is dropped. A port that takes no more frames holds those that
 * are through egress until it does, and all behind them wait. Source: BMv2's simple_switch (bm_sim/queueing.h:
 * QueueingLogicPriRL). Threads: a worker has the packets that it received, in lists of its own; workers share what a
 * queue's rate and depth are measured by. The control thread sets depths and rates.
 */
#ifndef MACS_RUNTIME_QUEUES_H
#define MACS_RUNTIME_QUEUES_H

#include <macs/waited.h>

#include "runtime/worker.h"

#define MACS_PRIORITIES_MAX 32u
#define MACS_QUEUE_DEPTH 64u /* unless set_queue_depth says another */

/* A queue, as workers share it. */
struct macs_queue {
    _Atomic uint32_t depth;   /* packets at most */
    _Atomic uint32_t waiting; /* packets */
    _Atomic uint64_t packet_ns;
    _Atomic uint64_t bits;    /* a second; 0: any number */
    _Atomic uint64_t packets; /* likewise */
    _Atomic uint64_t free_ns; /* when the next packet may go on */
    _Atomic uint64_t dropped;
};

struct macs_queues {
    unsigned priorities;
    _Atomic uint32_t inside;    /* packets that wait, or that a port has not taken yet, of all workers */
    struct macs_queue queues[]; /* by slot, then by priority; behind them what those of a port begin with */
};

/* Packets in order, by macs_waited.next. */
struct macs_waiting {
    struct macs_packet *first, *last;
};

/* A worker's packets. */
struct macs_backlog {
    uint64_t busy;                            /* bit s: packets wait for slot s */
    uint64_t blocked;                         /* bit s: it has not taken all frames */
    bool ends;                                /* nothing waits any more */
    struct macs_waiting held[MACS_PORTS_MAX]; /* through egress; by slot */
    struct macs_waiting waiting[];            /* as the queues are */
};

/* Of a program with queues, for that many priorities: 0 or -ENOMEM. */
int macs_queues_create(struct macs_queues **created, unsigned priorities);
void macs_queues_destroy(struct macs_queues *queues);
int macs_backlog_create(struct macs_backlog **created, unsigned priorities);

static inline struct macs_queue *macs_queue_of(struct macs_queues *queues, unsigned slot, unsigned priority) {
    return &queues->queues[slot * queues->priorities + priority];
}

/* A port has come to that slot. Control thread. */
void macs_queues_begin_port(struct macs_queues *queues, unsigned slot);

/* Packets a second, bits a second; 0: no limit. Control thread. */
void macs_queue_set_rate(struct macs_queue *queue, uint64_t packets, uint64_t bits);

/* A packet comes from ingress: true, it goes on; false, it waits or was dropped, and is no more the caller's. */
bool macs_queues_enter(struct macs_thread *thread, struct macs_packet *packet);

/* A clone has the priority of its session, whatever that of the packet is. */
void macs_queues_begin(struct macs_thread *thread, struct macs_packet *packet, uint8_t priority);

/* Packets of a port that may go on, at most `most`: the ones of higher priority first. Returns how many. */
unsigned macs_queues_take_due(struct macs_thread *thread, unsigned slot, struct macs_packet *packets[], unsigned most);

/* All frames that a port has not taken: it is not blocked any more. */
struct macs_waiting macs_queues_take_held(struct macs_thread *thread, unsigned slot);

/* The first of the packets, which is not among them any more, or NULL. */
struct macs_packet *macs_waiting_take(const struct macs_thread *thread, struct macs_waiting *list);

/* How long nothing can go on, UINT64_MAX where nothing waits. */
uint64_t macs_queues_idle_ns(const struct macs_thread *thread);

/* Hold frames that a port has not taken. */
void macs_queues_hold(struct macs_thread *thread, unsigned slot, const odp_packet_t packets[], unsigned count);

static inline bool macs_queues_blocked(const struct macs_thread *thread, unsigned slot) {
    return thread->backlog->blocked >> slot & 1;
}

#endif
