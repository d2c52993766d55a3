/* The frames of a capture file in memory, compressed, to be copied into packets again and again; for the port mem:.
 *
 * Frames of the same length often have most bytes in common. Of each frame only a *record* is stored: the bytes between
 * the first and the last position in which any two frames of that length differ. All other bytes are copied from the
 * first frame of that length, which is in the cache. So a generated frame takes 16 or 32 bytes from memory, and the
 * bandwidth of memory hardly limits what is measured.
 * Invariant: frames are byte by byte those of the file.
 * Threads: any number of readers once it is loaded.
 */
#ifndef MACS_ODP_REPLAY_H
#define MACS_ODP_REPLAY_H

#include "core/internal.h"

#include <string.h>

#define MACS_ODP_REPLAY_UNIT 8u /* of a record's place: what an address counts in by itself */

/* Bytes of records that are not whole lines. */
#define MACS_ODP_REPLAY_SHORT 16u
#define MACS_ODP_REPLAY_LONGER 32u

/* What frames of a length have in common. */
struct macs_odp_replay_form {
    uint8_t *first;      /* the first of them, in whole cache lines; NULL: there is none of that length */
    uint32_t from;       /* where the record goes in the frame */
    uint32_t bytes : 30; /* of a record: short, longer or whole lines */
    uint32_t whole : 1;  /* that is all of the frame: nothing is in common */
    uint32_t small : 1;  /* the frame is one line, or two and the record no lines */
};

/* Small, as it comes from memory with the record. */
struct macs_odp_replay_frame {
    uint32_t at; /* of the record, in units */
    uint32_t len;
};

struct macs_odp_replay {
    uint8_t *records;
    struct macs_odp_replay_frame *frames; /* in the file's order */
    uint64_t count;
    struct macs_odp_replay_form *forms; /* by length, to the longest that a packet has room for */
    uint32_t room;
    uint64_t records_mapped, frames_mapped;
};

/* Room for so many frames, or NULL; `*mapped` is the length to unmap. */
struct macs_odp_replay_frame *macs_odp_replay_frames(uint64_t count, uint64_t *mapped);

/* All frames of the file, none of more bytes than `room`: 0; or -1 (logged), and then it is to be ended too. */
int macs_odp_replay_load(struct macs_odp_replay *replay, const char *path, uint32_t room);
void macs_odp_replay_end(struct macs_odp_replay *replay);

static inline const uint8_t *macs_odp_replay_record(const struct macs_odp_replay *replay,
                                                    struct macs_odp_replay_frame frame) {
    return replay->records + (uint64_t)frame.at * MACS_ODP_REPLAY_UNIT;
}

/* A frame that is not small; as much is prefetched from `ahead` on. */
void macs_odp_replay_copy_large(uint8_t *to, const struct macs_odp_replay_form *form, const uint8_t *record,
                                const uint8_t *ahead, uint32_t len);

/* Copy a frame, in whole cache lines; the record of one to come is prefetched meanwhile, into the second cache, as a
 * core has more reads under way to that one. */
static inline void macs_odp_replay_copy(const struct macs_odp_replay *replay, struct macs_odp_replay_frame frame,
                                        struct macs_odp_replay_frame coming, uint8_t *to) {
    const struct macs_odp_replay_form *form = &replay->forms[frame.len];
    const uint8_t *record = macs_odp_replay_record(replay, frame), *ahead = macs_odp_replay_record(replay, coming);
    if (odp_unlikely(!form->small)) {
        macs_odp_replay_copy_large(to, form, record, ahead, frame.len);
        return;
    }
    const uint8_t *first = form->whole ? record : form->first;
    const uint32_t from = form->from;
    const bool longer = form->bytes > MACS_ODP_REPLAY_SHORT;
    odp_prefetch_l2(ahead);
    memcpy(to, first, ODP_CACHE_LINE_SIZE);
    if (frame.len > ODP_CACHE_LINE_SIZE)
        memcpy(to + ODP_CACHE_LINE_SIZE, first + ODP_CACHE_LINE_SIZE, ODP_CACHE_LINE_SIZE);
    memcpy(to + from, record, MACS_ODP_REPLAY_SHORT);
    if (longer)
        memcpy(to + from + MACS_ODP_REPLAY_SHORT, record + MACS_ODP_REPLAY_SHORT,
               MACS_ODP_REPLAY_LONGER - MACS_ODP_REPLAY_SHORT);
}

#endif
