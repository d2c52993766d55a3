/* Notes: bytes under names that clients leave with the switch, for those who come after them. The switch looks at none.
 *
 * A client that knows more of what it has made than the switch does (the metadata of an entry) keeps it here: it is
 * there as long as the switch is, and goes with the changes that it belongs to in one message. A skip list by name, so
 * that notes are read in the order of their names. Threads: the control thread. Cost: O(log n) for a note.
 */
#ifndef MACS_CONTROL_NOTES_H
#define MACS_CONTROL_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACS_NOTES_LEVELS 12u
#define MACS_NOTES_MAX (512u << 20) /* bytes of all notes */

struct macs_note {
    uint32_t name_bytes, bytes;
    uint8_t *data;            /* the name, and the note behind it */
    struct macs_note *next[]; /* one a level */
};

struct macs_notes {
    struct macs_note *first[MACS_NOTES_LEVELS];
    size_t bytes;
    uint64_t dice;
};

void macs_notes_fini(struct macs_notes *notes);

/* Leave a note in place of what was under that name; without bytes there is none any more. 0, -ENOMEM, -ENOSPC. */
int macs_notes_set(struct macs_notes *notes, const uint8_t *name, uint32_t name_bytes, const uint8_t *data,
                   uint32_t bytes);

/* The first note whose name is behind the given one, or (`also`) the same; NULL: there is none. */
const struct macs_note *macs_notes_from(const struct macs_notes *notes, const uint8_t *name, uint32_t name_bytes,
                                        bool also);

/* Whether the note's name begins so. */
bool macs_note_begins(const struct macs_note *note, const uint8_t *prefix, uint32_t bytes);

#endif
