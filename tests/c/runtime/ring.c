/* Test of the bounded queue: three producers, one consumer. Every record arrives once and whole or was refused, and
 * those of one producer in their order. Prints ok, or what was wrong. */
#include "runtime/ring.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define PRODUCERS 3u
#define RECORDS 20000u

struct record {
    uint32_t producer;
    uint32_t number;
    uint8_t filling[40];
};

static struct macs_ring ring;
static _Atomic unsigned refused, finished;

static void *produce(void *argument) {
    uint32_t producer = (uint32_t)(uintptr_t)argument;
    for (uint32_t number = 0; number < RECORDS; number++) {
        struct record record = {.producer = producer, .number = number};
        memset(record.filling, (int)(number & 0xff), sizeof(record.filling));
        uint32_t length = (uint32_t)(sizeof(record) - number % sizeof(record.filling));
        if (!macs_ring_push(&ring, &record, length)) {
            refused++;
            sched_yield();
        }
    }
    finished++;
    return NULL;
}

static const char *check(const struct record *record, uint32_t length, uint32_t next[]) {
    if (record->producer >= PRODUCERS || record->number < next[record->producer])
        return "a record is out of order";
    if (length != sizeof(*record) - record->number % sizeof(record->filling))
        return "a record has another length";
    for (uint32_t i = 0; i < length - 8; i++)
        if (record->filling[i] != (record->number & 0xff))
            return "a record is not whole";
    next[record->producer] = record->number + 1;
    return NULL;
}

static const char *consume(unsigned *received) {
    uint32_t next[PRODUCERS] = {0};
    for (;;) {
        bool last = finished == PRODUCERS;
        uint32_t length;
        const void *record;
        while ((record = macs_ring_peek(&ring, &length))) {
            const char *wrong = check(record, length, next);
            if (wrong)
                return wrong;
            macs_ring_pop(&ring);
            ++*received;
        }
        if (last)
            return NULL;
        sched_yield();
    }
}

int main(void) {
    pthread_t threads[PRODUCERS];
    unsigned received = 0;
    if (macs_ring_init(&ring, 64, sizeof(struct record)))
        return 1;
    uint8_t longer[sizeof(struct record) + 1] = {0};
    const char *wrong = macs_ring_push(&ring, longer, sizeof(longer)) ? "too long a record was taken" : NULL;
    for (uint32_t i = 0; i < PRODUCERS; i++)
        if (pthread_create(&threads[i], NULL, produce, (void *)(uintptr_t)i))
            return 1;
    const char *consumed = consume(&received);
    for (uint32_t i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    macs_ring_fini(&ring);
    wrong = wrong ? wrong : consumed;
    if (!wrong && received + refused != PRODUCERS * RECORDS)
        wrong = "records are missing";
    printf("%s: %u received, %u refused\n", wrong ? wrong : "ok", received, refused);
    return wrong != NULL;
}
