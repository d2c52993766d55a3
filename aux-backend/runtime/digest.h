/* Digests: records that the program sends to the control clients that have subscribed.
 *
 * All digests of a switch share one bounded queue, so the order is that of the packets of a worker. A record for which
 * there is no room is counted as lost.
 * Threads: any worker puts records in and never waits; the control thread takes them out.
 */
#ifndef MACS_RUNTIME_DIGEST_H
#define MACS_RUNTIME_DIGEST_H

#include <macs/extern.h>

#include "runtime/bell.h"
#include "runtime/ring.h"

struct macs_digest_queue {
    struct macs_ring ring;
    struct macs_bell *bell;
    _Atomic uint64_t sent;
    _Atomic uint64_t lost;
};

struct macs_digest {
    struct macs_digest_queue *queue;
    uint32_t index; /* of the extern */
    uint32_t bytes; /* of a record */
};

/* A record in the ring. */
struct macs_digest_record {
    uint32_t index;
    uint8_t bytes[];
};

/* A queue for the program's digests; without digests nothing is allocated. 0 or -ENOMEM. */
int macs_digest_queue_init(struct macs_digest_queue *queue, const struct macs_program *program, struct macs_bell *bell);
void macs_digest_queue_fini(struct macs_digest_queue *queue);

/* Bytes of a record of that digest. */
uint32_t macs_digest_bytes(const struct macs_extern_desc *desc);

#endif
