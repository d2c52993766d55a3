#include "control/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As memcmp(); a name that another one begins with is before it. */
static int compare(const struct macs_note *note, const uint8_t *name, uint32_t bytes) {
    const uint32_t common = note->name_bytes < bytes ? note->name_bytes : bytes;
    const int order = common ? memcmp(note->data, name, common) : 0;
    return order ? order : (note->name_bytes > bytes) - (note->name_bytes < bytes);
}

/* The links, one a level, that lead to the first note that is not before the name. */
static void find(struct macs_notes *notes, const uint8_t *name, uint32_t bytes, struct macs_note **links[]) {
    struct macs_note **level = notes->first;
    for (unsigned i = MACS_NOTES_LEVELS; i-- > 0; links[i] = &level[i])
        while (level[i] && compare(level[i], name, bytes) < 0)
            level = level[i]->next;
}

static void free_note(struct macs_notes *notes, struct macs_note *note) {
    notes->bytes -= note->name_bytes + note->bytes;
    free(note->data);
    free(note);
}

void macs_notes_fini(struct macs_notes *notes) {
    while (notes->first[0]) {
        struct macs_note *note = notes->first[0];
        notes->first[0] = note->next[0];
        free_note(notes, note);
    }
}

/* One level for every note, two for a quarter of them, and so on. */
static unsigned roll(struct macs_notes *notes) {
    unsigned levels = 1;
    notes->dice = notes->dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
    for (uint64_t bits = notes->dice >> 33; levels < MACS_NOTES_LEVELS && (bits & 3) == 0; bits >>= 2)
        levels++;
    return levels;
}

static uint8_t *joined(const uint8_t *name, uint32_t name_bytes, const uint8_t *data, uint32_t bytes) {
    uint8_t *both = malloc((size_t)name_bytes + bytes + 1);
    if (both && name_bytes)
        memcpy(both, name, name_bytes);
    if (both && bytes)
        memcpy(both + name_bytes, data, bytes);
    return both;
}

static int insert(struct macs_notes *notes, struct macs_note **links[], uint8_t *both, uint32_t name_bytes,
                  uint32_t bytes) {
    const unsigned levels = roll(notes);
    struct macs_note *note = malloc(sizeof(*note) + levels * sizeof(note->next[0]));
    if (!note) {
        free(both);
        return -ENOMEM;
    }
    *note = (struct macs_note){.name_bytes = name_bytes, .bytes = bytes, .data = both};
    for (unsigned i = 0; i < levels; i++) {
        note->next[i] = *links[i];
        *links[i] = note;
    }
    notes->bytes += (size_t)name_bytes + bytes;
    return 0;
}

static void remove_note(struct macs_notes *notes, struct macs_note **links[], struct macs_note *note) {
    for (unsigned i = 0; i < MACS_NOTES_LEVELS && *links[i] == note; i++)
        *links[i] = note->next[i];
    free_note(notes, note);
}

int macs_notes_set(struct macs_notes *notes, const uint8_t *name, uint32_t name_bytes, const uint8_t *data,
                   uint32_t bytes) {
    struct macs_note **links[MACS_NOTES_LEVELS];
    find(notes, name, name_bytes, links);
    struct macs_note *note = *links[0];
    if (note && compare(note, name, name_bytes) != 0)
        note = NULL;
    if (!bytes) {
        if (note)
            remove_note(notes, links, note);
        return 0;
    }
    const size_t others = notes->bytes - (note ? (size_t)name_bytes + note->bytes : 0);
    if (others + name_bytes + bytes > MACS_NOTES_MAX)
        return -ENOSPC;
    uint8_t *both = joined(name, name_bytes, data, bytes);
    if (!both)
        return -ENOMEM;
    if (!note)
        return insert(notes, links, both, name_bytes, bytes);
    notes->bytes = others + name_bytes + bytes;
    free(note->data);
    note->data = both;
    note->bytes = bytes;
    return 0;
}

const struct macs_note *macs_notes_from(const struct macs_notes *notes, const uint8_t *name, uint32_t name_bytes,
                                        bool also) {
    struct macs_note *const *level = notes->first;
    for (unsigned i = MACS_NOTES_LEVELS; i-- > 0;)
        while (level[i] && compare(level[i], name, name_bytes) < (also ? 0 : 1))
            level = level[i]->next;
    return level[0];
}

bool macs_note_begins(const struct macs_note *note, const uint8_t *prefix, uint32_t bytes) {
    return note->name_bytes >= bytes && (!bytes || memcmp(note->data, prefix, bytes) == 0);
}
