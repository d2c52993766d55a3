/* Ready decisions: what is sent for a packet whose decision (macs/decisions.h) is found, as bytes of headers.
 *
 * Behind the stretch a program may do nothing but compute values and put headers together. Where these are a function
 * of the key, and of bytes of the frame that stay where they are, the decision keeps the beginning of the frame as it
 * is sent in place of the words that the stretch has come to. For a packet that finds it nothing of the program is run
 * any more: its frame gets longer or shorter at the front, and these bytes are written.
 *
 * While a packet that has made a decision goes on, the program tells of each value that it reads and that is no
 * function of the key (unready), where the packet goes, and which headers are sent. When the burst has its verdicts,
 * macs_ready_make looks at the frame.
 * Threads: as of the cache.
 * Cost: a packet that finds its decision takes a comparison of keys and a copy of words.
 */
#ifndef MACS_READY_H
#define MACS_READY_H

#include <macs/decisions.h>
#include <macs/run_to_completion.h>

/* In place of the bytes of a header whose length is not constant: no decision is made ready with it. */
#define MACS_READY_VARIES UINT16_MAX

/* A header that the parser may extract, in their order in a frame: its bytes, and the bit of the key, from its
 * beginning on, that tells whether it was. */
struct macs_ready_received {
    uint16_t bytes, bit;
};

/* A header that may be sent: its bytes, and its number among those received, -1: it never is. */
struct macs_ready_sent {
    uint16_t bytes;
    int16_t received;
};

/* Bits of all headers that may be sent, one after the other: fields that the decision tells and the program may have
 * changed, those that it tells and the program leaves, and those that it tells where a bit of `wrote` is set. */
enum { MACS_READY_CHANGED, MACS_READY_LEFT, MACS_READY_WROTE };

struct macs_ready_shape {
    const struct macs_ready_received *received;
    const struct macs_ready_sent *sent;
    const uint8_t *masks; /* MACS_READY_WROTE and `flags` of them, `bytes` each */
    uint32_t received_count, sent_count, flags, bytes;
};

/* What is kept first: the frame begins with `after` bytes in place of the `before` first ones; then `copied` words
 * are written, and `masked` ones behind them. There follow the port's number or the verdict of a drop, the words that
 * are copied, and a value and a mask for each of the others. */
struct macs_ready_head {
    uint16_t before, after, copied, masked;
};
enum { MACS_READY_HEAD, MACS_READY_TO, MACS_READY_WORDS };

/* A value that the packet's decision does not tell is read. */
static inline void macs_ready_unready(struct macs_worker *worker, uint32_t index) {
    worker->decisions->undecided[index].readies = false;
}

/* The port that the packet goes to, unless it is dropped. */
static inline void macs_ready_goes(struct macs_worker *worker, uint32_t index, uint32_t port) {
    worker->decisions->undecided[index].port = port;
}

static inline bool macs_ready_is_made(const struct macs_worker *worker, uint32_t index) {
    return worker->deciding && worker->decisions->undecided[index].readies;
}

static inline void macs_ready_sends(struct macs_worker *worker, uint32_t index, uint64_t sent, uint64_t wrote) {
    struct macs_undecided *const packet = &worker->decisions->undecided[index];
    packet->sends = true;
    packet->sent = sent;
    packet->wrote = wrote;
}

/* Have a frame begin as it is sent. Returns false, and leaves it, if it is too short or has no room. */
static inline bool macs_ready_put(odp_packet_t handle, const uint64_t *kept) {
    struct macs_ready_head head;
    memcpy(&head, kept, sizeof head);
    if (odp_packet_seg_len(handle) + head.after < head.before + 8u * (head.copied + head.masked))
        return false;
    uint8_t *data = odp_packet_data(handle);
    if (head.after > head.before)
        data = odp_packet_push_head(handle, (uint32_t)(head.after - head.before));
    else if (head.after < head.before)
        data = odp_packet_pull_head(handle, (uint32_t)(head.before - head.after));
    if (!data)
        return false;
    const uint64_t *word = kept + MACS_READY_WORDS;
    for (uint32_t i = 0; i < head.copied; i++, data += 8)
        memcpy(data, word++, 8);
    for (uint32_t i = 0; i < head.masked; i++, data += 8, word += 2) {
        uint64_t there;
        memcpy(&there, data, 8);
        there = (there & ~word[1]) | word[0];
        memcpy(data, &there, 8);
    }
    return true;
}

/* Whether a ready decision is there for the packet whose key is stored: then it is counted, and sent or dropped. */
static inline bool macs_ready_send(struct macs_worker *worker, const struct macs_common *common, odp_packet_t handle,
                                   uint32_t index, uint32_t key_words, macs_verdict *verdict) {
    struct macs_decisions *const cache = worker->decisions;
    const uint64_t *const decision = macs_decisions_find(cache, &cache->undecided[index], key_words);
    if (!decision)
        return false;
    const enum macs_decision_form form = (enum macs_decision_form)(decision[MACS_DECISION_COUNTED] >> 32);
    if (form == MACS_DECISION_BY_FIELDS)
        return false;
    const uint32_t length = odp_packet_len(handle);
    if (form == MACS_DECISION_SENDS && !macs_ready_put(handle, decision + MACS_DECISION_KEY + key_words))
        return false;
    const uint32_t to = (uint32_t)macs_decisions_count(cache, decision, key_words, length)[MACS_READY_TO];
    *verdict = form == MACS_DECISION_SENDS ? macs_verdict_of_port(common, to) : (macs_verdict)to;
    return true;
}

/* A packet that has made a decision has gone through the program, to a verdict: its decision is made ready, if it can
 * be. `handle`: the frame as it is sent. */
void macs_ready_make(struct macs_worker *worker, const struct macs_common *common, const struct macs_ready_shape *shape,
                     odp_packet_t handle, uint32_t index, macs_verdict verdict);

#endif
