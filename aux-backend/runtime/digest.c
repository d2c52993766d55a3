#include "runtime/digest.h"

#include <string.h>

#define DIGEST_SLOTS 4096u

uint32_t macs_digest_bytes(const struct macs_extern_desc *desc) {
    uint32_t bytes = 0;
    for (uint16_t field = 0; field < desc->field_count; field++)
        bytes += (desc->fields[field].bits + 7u) / 8;
    return bytes;
}

int macs_digest_queue_init(struct macs_digest_queue *queue, const struct macs_program *program,
                           struct macs_bell *bell) {
    queue->bell = bell;
    atomic_init(&queue->sent, 0);
    atomic_init(&queue->lost, 0);
    uint32_t longest = 0;
    bool any = false;
    for (uint16_t i = 0; i < program->extern_count; i++) {
        if (program->extern_descs[i].kind != MACS_DIGEST)
            continue;
        uint32_t bytes = macs_digest_bytes(&program->extern_descs[i]);
        longest = bytes > longest ? bytes : longest;
        any = true;
    }
    return any ? macs_ring_init(&queue->ring, DIGEST_SLOTS, (uint32_t)sizeof(struct macs_digest_record) + longest) : 0;
}

void macs_digest_queue_fini(struct macs_digest_queue *queue) {
    macs_ring_fini(&queue->ring);
}

/* Digest records are short: a longer one does not fit on a worker's stack. */
#define DIGEST_RECORD_MAX 4096u

void macs_digest_send(struct macs_digest *digest, const uint8_t *record, uint32_t bytes) {
    _Alignas(struct macs_digest_record) uint8_t whole[sizeof(struct macs_digest_record) + DIGEST_RECORD_MAX];
    struct macs_digest_queue *queue = digest->queue;
    bool fits = bytes == digest->bytes && bytes <= DIGEST_RECORD_MAX;
    if (fits) {
        struct macs_digest_record *head = (void *)whole;
        head->index = digest->index;
        memcpy(head->bytes, record, bytes);
        fits = macs_ring_push(&queue->ring, whole, (uint32_t)sizeof(*head) + bytes);
    }
    if (fits)
        macs_bell_ring(queue->bell);
    atomic_fetch_add_explicit(fits ? &queue->sent : &queue->lost, 1, memory_order_relaxed);
}
