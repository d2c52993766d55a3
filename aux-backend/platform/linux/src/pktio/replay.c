/* Loads frames that are to be replayed; replay.h describes the format. */
#include "pktio/replay.h"
#include "pktio/pcap_file.h"

#include <stdlib.h>

typedef struct macs_odp_replay_form form_t;
typedef struct macs_odp_pcap_frame pcap_frame_t;

/* The file is read twice: to see what frames have in common, and to keep the rest. */
struct loader {
    struct macs_odp_replay *replay;
    const char *path;
    uint64_t *members; /* frames of each length */
    uint64_t count;    /* frames, of this time */
    uint64_t used;     /* bytes of records that are filled */
};

/* What is done with each frame of a file: false ends the reading. */
typedef bool visit_fn(struct loader *loader, const pcap_frame_t *frame);

/* Read through the file, to its end unless somebody says no. */
static int each(struct loader *loader, visit_fn *visit) {
    struct macs_odp_pcap_reader reader;
    pcap_frame_t frame;
    enum macs_odp_pcap_result result;
    const uint32_t room = loader->replay->room;
    if (macs_odp_pcap_open(&reader, loader->path, true) != 0)
        return -1;
    for (loader->count = 0; (result = macs_odp_pcap_next(&reader, &frame)) == MACS_ODP_PCAP_FRAME; loader->count++) {
        if (frame.len == 0 || frame.len > room) {
            macs_odp_log(ODP_LOG_ERR, "%s: frame %" PRIu64 " has %u bytes, a packet of the pool has room for %u\n",
                         loader->path, loader->count + 1, frame.len, room);
            break;
        }
        if (!visit(loader, &frame))
            break;
    }
    if (result == MACS_ODP_PCAP_SKIPPED)
        macs_odp_log(ODP_LOG_ERR, "%s: frame %" PRIu64 " was captured with more bytes than it had\n", loader->path,
                     loader->count + 1);
    macs_odp_pcap_close(&reader);
    return result == MACS_ODP_PCAP_END ? 0 : macs_odp_fail(EINVAL);
}

/* -- what frames of a length have in common ---------------------------------------------------------------------------
 *
 * Until all have been seen, `bytes` of a form is where the last byte that differs ends.
 */

static bool begin(form_t *form, const pcap_frame_t *frame) {
    const uint32_t lines = ODP_CACHE_LINE_ROUNDUP(frame->len);
    form->first = aligned_alloc(ODP_CACHE_LINE_SIZE, lines);
    if (form->first == NULL)
        return false;
    memset(form->first, 0, lines);
    memcpy(form->first, frame->data, frame->len);
    form->from = frame->len; /* nothing differs yet */
    form->bytes = 0;
    return true;
}

static bool compare(struct loader *loader, const pcap_frame_t *frame) {
    form_t *form = &loader->replay->forms[frame->len];
    loader->members[frame->len]++;
    if (form->first == NULL && !begin(form, frame)) {
        macs_odp_log(ODP_LOG_ERR, "%s: no memory for its frames\n", loader->path);
        return false;
    }
    const uint8_t *first = form->first, *data = frame->data;
    if (memcmp(data, first, form->from) != 0)
        for (form->from = 0; data[form->from] == first[form->from];)
            form->from++;
    if (memcmp(data + form->bytes, first + form->bytes, frame->len - form->bytes) != 0)
        for (form->bytes = frame->len; data[form->bytes - 1] == first[form->bytes - 1];)
            form->bytes--;
    return true;
}

/* Where the records of frames of that length go, and their size. */
static void choose_layout(form_t *form, uint32_t len) {
    const uint32_t lines = ODP_CACHE_LINE_ROUNDUP(len);
    const uint32_t differ = form->bytes > form->from ? form->bytes - form->from : 0;
    if (differ <= MACS_ODP_REPLAY_SHORT)
        form->bytes = MACS_ODP_REPLAY_SHORT;
    else
        form->bytes = differ <= MACS_ODP_REPLAY_LONGER ? MACS_ODP_REPLAY_LONGER : ODP_CACHE_LINE_ROUNDUP(differ);
    if (form->from > lines - form->bytes)
        form->from = lines - form->bytes;
    form->whole = form->bytes == lines;
    form->small =
        lines == ODP_CACHE_LINE_SIZE || (lines == 2 * ODP_CACHE_LINE_SIZE && form->bytes <= MACS_ODP_REPLAY_LONGER);
}

/* Choose the layout of all forms. Returns the bytes of all records. */
static uint64_t choose_layouts(struct loader *loader) {
    uint64_t bytes = 0;
    for (uint32_t len = 1; len <= loader->replay->room; len++) {
        form_t *form = &loader->replay->forms[len];
        if (form->first == NULL)
            continue;
        choose_layout(form, len);
        bytes += loader->members[len] * form->bytes;
    }
    return bytes;
}

/* -- the records ------------------------------------------------------------------------------------------------------
 */

/* Whether a frame is of its form: the file may have changed. */
static bool suits(const form_t *form, const pcap_frame_t *frame) {
    const uint32_t end = form->from + form->bytes;
    return form->first != NULL && memcmp(frame->data, form->first, form->from) == 0 &&
           (end >= frame->len || memcmp(frame->data + end, form->first + end, frame->len - end) == 0);
}

static bool keep(struct loader *loader, const pcap_frame_t *frame) {
    struct macs_odp_replay *replay = loader->replay;
    const form_t *form = &replay->forms[frame->len];
    if (loader->count == replay->count || loader->used + form->bytes > replay->records_mapped || !suits(form, frame))
        return false;
    const uint32_t rest = frame->len > form->from ? frame->len - form->from : 0;
    memcpy(replay->records + loader->used, frame->data + form->from, rest < form->bytes ? rest : form->bytes);
    replay->frames[loader->count] =
        (struct macs_odp_replay_frame){.at = (uint32_t)(loader->used / MACS_ODP_REPLAY_UNIT), .len = frame->len};
    loader->used += form->bytes;
    return true;
}

static int keep_all(struct loader *loader) {
    struct macs_odp_replay *replay = loader->replay;
    uint64_t page;
    const uint64_t bytes = choose_layouts(loader);
    if (loader->count == 0 || bytes / MACS_ODP_REPLAY_UNIT > UINT32_MAX) {
        macs_odp_log(ODP_LOG_ERR, "%s: %s frames\n", loader->path, loader->count ? "too many" : "no");
        return macs_odp_fail(EINVAL);
    }
    replay->count = loader->count;
    replay->frames = macs_odp_replay_frames(replay->count, &replay->frames_mapped);
    replay->records = macs_odp_map(bytes, MACS_ODP_PAGES_BEST, &replay->records_mapped, &page);
    if (replay->frames == NULL || replay->records == NULL)
        return macs_odp_fail(ENOMEM);
    if (each(loader, keep) == 0 && loader->count == replay->count)
        return 0;
    macs_odp_log(ODP_LOG_ERR, "%s: cannot be read twice (a pipe?), or changes\n", loader->path);
    return macs_odp_fail(EINVAL);
}

struct macs_odp_replay_frame *macs_odp_replay_frames(uint64_t count, uint64_t *mapped) {
    uint64_t page;
    return macs_odp_map(count * sizeof(struct macs_odp_replay_frame), MACS_ODP_PAGES_BEST, mapped, &page);
}

int macs_odp_replay_load(struct macs_odp_replay *replay, const char *path, uint32_t room) {
    struct loader loader = {.replay = replay, .path = path};
    *replay = (struct macs_odp_replay){.room = room};
    replay->forms = calloc((size_t)room + 1, sizeof(*replay->forms));
    loader.members = calloc((size_t)room + 1, sizeof(*loader.members));
    int status = replay->forms != NULL && loader.members != NULL ? 0 : macs_odp_fail(ENOMEM);
    if (status == 0)
        status = each(&loader, compare);
    if (status == 0)
        status = keep_all(&loader);
    free(loader.members);
    return status;
}

void macs_odp_replay_end(struct macs_odp_replay *replay) {
    for (uint32_t len = 0; replay->forms != NULL && len <= replay->room; len++)
        free(replay->forms[len].first);
    free(replay->forms);
    if (replay->records != NULL)
        macs_odp_unmap(replay->records, replay->records_mapped);
    if (replay->frames != NULL)
        macs_odp_unmap(replay->frames, replay->frames_mapped);
}

/* -- copies -----------------------------------------------------------------------------------------------------------
 */

static void copy_lines(uint8_t *to, const uint8_t *from, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes; at += ODP_CACHE_LINE_SIZE)
        memcpy(to + at, from + at, ODP_CACHE_LINE_SIZE);
}

void macs_odp_replay_copy_large(uint8_t *to, const form_t *form, const uint8_t *record, const uint8_t *ahead,
                                uint32_t len) {
    const uint32_t bytes = form->bytes;
    if (!form->whole)
        copy_lines(to, form->first, len);
    to += form->from;
    if (bytes > MACS_ODP_REPLAY_LONGER) {
        for (uint32_t at = 0; at < bytes; at += ODP_CACHE_LINE_SIZE) {
            odp_prefetch_l2(ahead + at);
            memcpy(to + at, record + at, ODP_CACHE_LINE_SIZE);
        }
    } else {
        odp_prefetch_l2(ahead);
        memcpy(to, record, MACS_ODP_REPLAY_SHORT);
        memcpy(to + bytes - MACS_ODP_REPLAY_SHORT, record + bytes - MACS_ODP_REPLAY_SHORT, MACS_ODP_REPLAY_SHORT);
    }
}
