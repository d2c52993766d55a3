/* Ready decisions are made: see macs/ready.h. Threads: the worker's own. */
#include <macs/ready.h>

#include <macs/cause.h>

#define HEADERS 64     /* bits of `sent` */
#define BYTES_MAX 1024 /* of headers that are sent */

/* The beginning of a frame as it is sent: bits that the decision tells, and those of them that are to be written. */
struct beginning {
    uint32_t before, after; /* bytes of headers as they were received, and are sent */
    uint8_t told[BYTES_MAX], written[BYTES_MAX];
};

static bool is_set(const uint64_t *key, uint32_t bit) {
    return ((const uint8_t *)key)[bit / 8] >> (7 - bit % 8) & 1;
}

/* Where headers were received; the bytes of all of them. Returns false if one varies in length. */
static bool received_at(const struct macs_ready_shape *shape, const uint64_t *key, int32_t *at, uint32_t *bytes) {
    *bytes = 0;
    for (uint32_t i = 0; i < shape->received_count; i++) {
        const bool there = is_set(key, shape->received[i].bit);
        if (there && shape->received[i].bytes == MACS_READY_VARIES)
            return false;
        at[i] = there ? (int32_t)*bytes : -1;
        *bytes += there ? shape->received[i].bytes : 0;
    }
    return *bytes <= UINT16_MAX;
}

static bool sent_bytes(const struct macs_ready_shape *shape, uint64_t sent, uint32_t *bytes) {
    *bytes = 0;
    for (uint32_t i = 0; i < shape->sent_count; i++) {
        if (!(sent >> i & 1))
            continue;
        if (shape->sent[i].bytes == MACS_READY_VARIES)
            return false;
        *bytes += shape->sent[i].bytes;
    }
    return *bytes <= BYTES_MAX;
}

/* The bits of a byte of all headers that may be sent which the program may have changed. */
static uint8_t bits_of(const struct macs_ready_shape *shape, uint32_t byte, uint64_t wrote) {
    uint8_t bits = shape->masks[MACS_READY_CHANGED * shape->bytes + byte];
    for (uint32_t i = 0; i < shape->flags; i++)
        if (wrote >> i & 1)
            bits |= shape->masks[(MACS_READY_WROTE + i) * shape->bytes + byte];
    return bits;
}

/* What of a frame is told by its decision. Returns false if a header has moved, of which not all is. */
static bool look_at(const struct macs_ready_shape *shape, const struct macs_undecided *packet, struct beginning *made) {
    int32_t at[HEADERS];
    if (!received_at(shape, packet->key, at, &made->before) || !sent_bytes(shape, packet->sent, &made->after))
        return false;
    uint32_t to = 0, of_all = 0;
    for (uint32_t i = 0; i < shape->sent_count; i++) {
        const struct macs_ready_sent *const header = &shape->sent[i];
        const uint32_t bytes = header->bytes == MACS_READY_VARIES ? 0 : header->bytes;
        if (packet->sent >> i & 1) {
            const int32_t from = header->received < 0 ? -1 : at[header->received];
            const bool stays = from >= 0 && made->before - (uint32_t)from == made->after - to;
            for (uint32_t byte = 0; byte < bytes; byte++) {
                const uint8_t written = bits_of(shape, of_all + byte, packet->wrote);
                const uint8_t left = shape->masks[MACS_READY_LEFT * shape->bytes + of_all + byte];
                const uint8_t told = from < 0 ? 0xff : written | left; /* what is not received is zero */
                if (!stays && told != 0xff)
                    return false;
                made->told[to + byte] = told;
                made->written[to + byte] = stays ? written : told;
            }
            to += bytes;
        }
        of_all += bytes;
    }
    return true;
}

/* Store what is written, by words. Returns false if that takes more than there is room for, or the frame is shorter. */
static bool store(const struct beginning *made, const uint8_t *data, uint32_t length, uint64_t *kept, uint32_t room) {
    uint32_t end = made->after;
    while (end && !made->written[end - 1])
        end--;
    struct macs_ready_head head = {(uint16_t)made->before, (uint16_t)made->after, 0, 0};
    uint64_t *word = kept + MACS_READY_WORDS;
    bool whole = true;
    for (uint32_t at = 0; at < end; at += 8) {
        uint64_t value, told = 0, written = 0;
        const uint32_t bytes = made->after - at < 8 ? made->after - at : 8;
        memcpy(&told, made->told + at, bytes);
        memcpy(&written, made->written + at, bytes);
        whole = whole && told == UINT64_MAX;
        if (at + 8 > length || word + (whole ? 1 : 2) > kept + room)
            return false;
        memcpy(&value, data + at, 8);
        head.copied = (uint16_t)(head.copied + whole);
        head.masked = (uint16_t)(head.masked + !whole);
        *word++ = whole ? value : value & written;
        if (!whole)
            *word++ = written;
    }
    memcpy(kept + MACS_READY_HEAD, &head, sizeof head);
    return true;
}

void macs_ready_make(struct macs_worker *worker, const struct macs_common *common, const struct macs_ready_shape *shape,
                     odp_packet_t handle, uint32_t index, macs_verdict verdict) {
    const struct macs_decisions *const cache = worker->decisions;
    const struct macs_undecided *const packet = &cache->undecided[index];
    uint64_t *const decision = packet->decision, kept[1 << 8];
    const uint32_t room = cache->shape.kept_words;
    struct beginning made = {0};
    const bool is_mine = !macs_decisions_differ(decision + MACS_DECISION_KEY, packet->key, cache->shape.key_words);
    if (!packet->readies || !is_mine || decision[MACS_DECISION_COUNTED] >> 32 || room < MACS_READY_WORDS)
        return;
    enum macs_decision_form form = MACS_DECISION_DROPS;
    kept[MACS_READY_HEAD] = 0;
    kept[MACS_READY_TO] = verdict;
    if (packet->sends) {
        form = MACS_DECISION_SENDS;
        const uint32_t length = odp_packet_len(handle);
        if (verdict != macs_verdict_of_port(common, packet->port) || !look_at(shape, packet, &made) || !made.after ||
            length + made.before != packet->length + made.after ||
            !store(&made, odp_packet_data(handle), odp_packet_seg_len(handle), kept, room))
            return;
        kept[MACS_READY_TO] = packet->port;
    } else if (verdict < MACS_VERDICT_DROP || verdict == MACS_VERDICT_CONTINUE) {
        return;
    }
    memcpy(decision + MACS_DECISION_KEY + cache->shape.key_words, kept, room * sizeof *kept);
    decision[MACS_DECISION_COUNTED] = (uint32_t)decision[MACS_DECISION_COUNTED] | (uint64_t)form << 32;
}
