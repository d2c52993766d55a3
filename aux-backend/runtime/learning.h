/* What packets have added to a table, until the table has it.
 *
 * Buckets of seven places; a key has two of them, the second for when the first is full. A worker that adds holds its
 * bucket's lock for some stores; one that finds it held for long gives up. Who looks for a key takes no lock: a record
 * is not changed while its tag stands. An entry's index is reserved for it before (the *stock*), so that direct
 * counters, meters and the entry's age are its own from the first hit on, and no more is promised than the table has
 * room for. A record's life: a worker fills it and puts its number on a ring. The control thread adds the entry to the
 * table. A grace period later every worker finds it there, and the tag goes. Another one later nobody reads the record
 * any more. Invariants: indices in the stock and in records without an entry, and entries, are no more than the table's
 * size. A tag other than FREE and GONE stands for a whole record. Threads: macs/learn.h by workers; the rest is the
 * control thread's, without macs_learning_create() and destroy.
 */
#ifndef MACS_RUNTIME_LEARNING_H
#define MACS_RUNTIME_LEARNING_H

#include <macs/learn.h>

#include "runtime/bell.h"
#include "runtime/ring.h"
#include "tables/common/indices.h"

#define MACS_LEARNING_WAYS 7u

struct macs_learning_bucket {
    _Atomic uint32_t lock;
    _Atomic uint32_t tags[MACS_LEARNING_WAYS];
};

/* The value and the packed key stand behind it. */
struct macs_learning_record {
    uint64_t word; /* the value as a data word, in tables of words */
    uint32_t next; /* in a list of the control thread's: number + 1; 0: none */
    uint32_t pad;
};

struct macs_learning {
    struct macs_table *table;
    struct macs_table_shape shape; /* with fields and actions */
    struct macs_bell *bell;
    uint64_t seed;                /* of hashes */
    struct macs_indices *indices; /* the table's */
    struct macs_learning_bucket *buckets;
    uint32_t bucket_mask;
    uint8_t *records; /* MACS_LEARNING_WAYS for each bucket */
    size_t stride, key_offset;
    struct macs_ring ring; /* numbers of records to be made entries */
    /* the stock: taken by workers, filled by the control thread */
    uint32_t *stock;
    uint32_t stock_size; /* a power of two */
    _Alignas(64) _Atomic uint32_t stock_head;
    _Alignas(64) _Atomic uint32_t stock_tail;
    _Alignas(64) _Atomic uint64_t added;
    _Atomic uint64_t refused; /* additions that workers could not make */
    /* the control thread's */
    uint64_t lost;                 /* that were promised, and the table did not take */
    uint32_t reserved;             /* indices in the stock, and of records that are no entries yet */
    uint32_t touched;              /* indices below this one have been given out */
    uint32_t made, leaving, going; /* lists of records: entries now; with a grace period under way; without a tag */
    bool waiting;                  /* for that grace period */
};

/* For a table that learns, once it is made. 0, -ENOMEM, or -ENOSYS where its kernel has no indices. */
int macs_learning_create(struct macs_learning **learning, struct macs_table *table, struct macs_bell *bell);
void macs_learning_destroy(struct macs_learning *learning);

/* A record that is to become an entry, or NULL; it stays the first until macs_learning_made(). */
struct macs_learning_record *macs_learning_next(struct macs_learning *learning);
void macs_learning_match(const struct macs_learning *learning, struct macs_learning_record *record,
                         struct macs_match *match, struct macs_entry **value);

/* The first is an entry, or (with `status`) cannot be one. `taken`: its index was taken all the same, and given back.
 */
void macs_learning_made(struct macs_learning *learning, int status, bool taken);

/* The entry of that key is gone: nobody is to find it among what was learned. */
void macs_learning_forget(struct macs_learning *learning, const uint8_t *key);

/* Take records back that are entries, as far as grace periods are over. True: there are more. */
bool macs_learning_clean(struct macs_learning *learning);

/* Reserve indices while there is room. `taken` is told of each index that was another entry's before. `wait`: for those
 * that wait for their readers, if there are no others. */
void macs_learning_fill(struct macs_learning *learning, bool wait, void (*taken)(uint32_t index, void *argument),
                        void *argument);

/* An index for an entry of the control plane: the stock's first. False: there is none in it. */
bool macs_learning_take(struct macs_learning *learning, uint32_t *index);
void macs_learning_put_back(struct macs_learning *learning, uint32_t index);

#endif
