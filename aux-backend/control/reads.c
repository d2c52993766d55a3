#include "control/reads.h"

#include <errno.h>

#include "control/elements.h"
#include "control/match_wire.h"
#include "control/profile_wire.h"
#include "control/value.h"
#include "runtime/ages.h"
#include "runtime/externs.h"
#include "runtime/meter.h"
#include "runtime/profile.h"

#define PART (512u << 10) /* bytes of a reply; an entry more may be in it */
#define FULL (MACS_AGAIN + 1)

struct reader {
    struct macs_console *console;
    struct macs_wire wire;
    struct macs_bytes *answer;
    const struct macs_table_desc *desc; /* of the table at hand */
    const char **why;
};

static enum macs_message_status wrong(struct reader *reader, const char *why) {
    *reader->why = why;
    return MACS_STATUS_WRONG;
}

static struct macs_entries *take_table(struct reader *reader) {
    const uint16_t table = macs_wire_u16(&reader->wire);
    if (reader->wire.cut || table >= reader->console->program->table_count)
        return NULL;
    reader->desc = reader->console->tables[table].table->desc;
    return &reader->console->tables[table];
}

static int put_entry(struct reader *reader, const struct macs_match *match, const struct macs_entry *entry) {
    return macs_entry_put(reader->console->program, reader->desc, match, entry, reader->answer) ? 0 : -ENOMEM;
}

static int put_visited(uint64_t handle, const struct macs_match *match, const struct macs_entry *entry,
                       void *argument) {
    (void)handle;
    struct reader *reader = argument;
    int status = put_entry(reader, match, entry);
    return status ? status : reader->answer->length > PART ? FULL : 0;
}

static int put_rule(struct reader *reader, uint64_t handle, const struct macs_match *match,
                    const struct macs_entry *entry) {
    return macs_wire_put_u64(reader->answer, handle) ? put_entry(reader, match, entry) : -ENOMEM;
}

static int put_visited_rule(uint64_t handle, const struct macs_match *match, const struct macs_entry *entry,
                            void *argument) {
    struct reader *reader = argument;
    int status = put_rule(reader, handle, match, entry);
    return status ? status : reader->answer->length > PART ? FULL : 0;
}

/* u64 cursor → u64 next cursor, entries as `put` has them. */
static enum macs_message_status read_entries(struct reader *reader, macs_entries_visit_fn *put) {
    struct macs_entries *entries = take_table(reader);
    struct macs_progress progress = {.at = macs_wire_u64(&reader->wire)};
    if (!entries || !macs_wire_whole(&reader->wire))
        return wrong(reader, "a table and a cursor are needed");
    if (!macs_wire_put_u64(reader->answer, 0))
        return wrong(reader, "no memory");
    reader->console->progress = &progress;
    int status = macs_console_walk(reader->console, entries, put, reader);
    reader->console->progress = NULL;
    if (status < 0)
        return wrong(reader, "no memory");
    macs_put_u32(reader->answer->data, (uint32_t)(progress.at >> 32));
    macs_put_u32(reader->answer->data + 4, (uint32_t)progress.at);
    return status ? MACS_STATUS_MORE : MACS_STATUS_OK;
}

static enum macs_message_status read_entry(struct reader *reader) {
    struct macs_entries *entries = take_table(reader);
    struct macs_match match;
    if (!entries || !macs_match_take(reader->desc, &reader->wire, &reader->console->buffer, &match) ||
        !macs_wire_whole(&reader->wire))
        return wrong(reader, "a table and a key are needed");
    const struct macs_entry *entry = reader->desc->ops ? reader->desc->ops->find(entries->table->state, &match) : NULL;
    if (!entry)
        return MACS_STATUS_FAILED;
    return put_entry(reader, &match, entry) ? wrong(reader, "no memory") : MACS_STATUS_OK;
}

/* The entry of a handle, or of a key. */
static enum macs_message_status read_rule(struct reader *reader, bool by_key) {
    struct macs_entries *entries = take_table(reader);
    struct macs_match match;
    uint64_t handle = by_key ? 0 : macs_wire_u64(&reader->wire);
    if (!entries || (by_key && !macs_match_take(reader->desc, &reader->wire, &reader->console->buffer, &match)) ||
        !macs_wire_whole(&reader->wire))
        return wrong(reader, by_key ? "a table and a key are needed" : "a table and a handle are needed");
    const struct macs_entry *entry;
    if (!reader->desc->ops || (by_key && macs_entries_find(entries, &match, &handle)) ||
        macs_entries_get(entries, handle, &match, &entry))
        return MACS_STATUS_FAILED;
    return put_rule(reader, handle, &match, entry) ? wrong(reader, "no memory") : MACS_STATUS_OK;
}

static enum macs_message_status read_default(struct reader *reader) {
    struct macs_entries *entries = take_table(reader);
    if (!entries || !macs_wire_whole(&reader->wire))
        return wrong(reader, "a table is needed");
    const struct macs_entry *entry = macs_table_default(entries->table);
    return macs_wire_put_u32(reader->answer, reader->desc->shape.size) &&
                   macs_action_put(reader->console->program, reader->desc, entry, reader->answer)
               ? MACS_STATUS_OK
               : wrong(reader, "no memory");
}

static bool put_element(struct macs_bytes *answer, const struct macs_extern_desc *desc, void *state, uint32_t index) {
    uint8_t bytes[UINT16_MAX / 8 + 1];
    struct macs_meter_rates rates;
    switch ((enum macs_extern_kind)desc->kind) {
    case MACS_COUNTER:
    case MACS_DIRECT_COUNTER: {
        const struct macs_count count = macs_counter_get(state, index);
        return macs_wire_put_u64(answer, count.packets) && macs_wire_put_u64(answer, count.bytes);
    }
    case MACS_REGISTER:
        macs_element_get(state, desc, index, bytes);
        return macs_wire_put(answer, bytes, macs_value_bytes(desc->bits));
    default:
        bytes[0] = macs_meter_get(state, index, &rates);
        if (!bytes[0])
            rates = (struct macs_meter_rates){0};
        return macs_wire_put(answer, bytes, 1) && macs_wire_put_double(answer, rates.committed_rate * 1e9) &&
               macs_wire_put_double(answer, rates.committed_burst) &&
               macs_wire_put_double(answer, rates.peak_rate * 1e9) && macs_wire_put_double(answer, rates.peak_burst);
    }
}

/* u16 extern, u32 first, u32 count → elements; MORE: fewer than asked for. */
static enum macs_message_status read_elements(struct reader *reader) {
    const struct macs_program *program = reader->console->program;
    const uint16_t number = macs_wire_u16(&reader->wire);
    const uint32_t first = macs_wire_u32(&reader->wire), count = macs_wire_u32(&reader->wire);
    const struct macs_extern_desc *desc = number < program->extern_count ? &program->extern_descs[number] : NULL;
    if (!desc || !macs_wire_whole(&reader->wire) || first > desc->size || count > desc->size - first)
        return wrong(reader, "an extern and elements that it has are needed");
    if (desc->kind == MACS_DIGEST || desc->kind == MACS_ACTION_PROFILE || desc->kind == MACS_ACTION_SELECTOR ||
        desc->kind == MACS_CUSTOM_CRC)
        return wrong(reader, "the extern has no elements");
    for (uint32_t index = first; index < first + count; index++) {
        if (reader->answer->length > PART || (index % 64 == 63 && macs_console_slice_over(reader->console)))
            return MACS_STATUS_MORE;
        if (!put_element(reader->answer, desc, program->externs[number], index))
            return wrong(reader, "no memory");
    }
    return MACS_STATUS_OK;
}

/* u16 extern, u32 cursor → u32 next cursor, members or groups; MORE: not all of them. */
static enum macs_message_status read_profile(struct reader *reader, macs_profile_read_fn *read) {
    const struct macs_program *program = reader->console->program;
    const struct macs_profile_at at = macs_profile_take(program, &reader->wire);
    uint32_t cursor = macs_wire_u32(&reader->wire);
    if (!at.profile || !macs_wire_whole(&reader->wire))
        return wrong(reader, "an action profile and a cursor are needed");
    if (!macs_wire_put_u32(reader->answer, 0))
        return wrong(reader, "no memory");
    for (; cursor < at.profile->size && reader->answer->length <= PART; cursor++) {
        if (cursor % 64 == 63 && macs_console_slice_over(reader->console) && reader->answer->length > sizeof(cursor))
            break;
        if (!read(program, &at, cursor, reader->answer))
            return wrong(reader, "no memory");
    }
    macs_put_u32(reader->answer->data, cursor);
    return cursor < at.profile->size ? MACS_STATUS_MORE : MACS_STATUS_OK;
}

static bool put_note(struct macs_bytes *answer, const struct macs_note *note) {
    uint8_t head[2];
    macs_put_u16(head, (uint16_t)note->name_bytes);
    return macs_wire_put(answer, head, sizeof(head)) && macs_wire_put(answer, note->data, note->name_bytes) &&
           macs_wire_put_u32(answer, note->bytes) && macs_wire_put(answer, note->data + note->name_bytes, note->bytes);
}

/* u16 bytes, how names begin, the last name that was read or nothing → notes. */
static enum macs_message_status read_notes(struct reader *reader) {
    const struct macs_notes *notes = &reader->console->notes;
    const uint16_t bytes = macs_wire_u16(&reader->wire);
    const uint8_t *prefix = macs_wire_bytes(&reader->wire, bytes), *last = reader->wire.at;
    const uint32_t last_bytes = (uint32_t)reader->wire.left;
    if (!prefix)
        return wrong(reader, "how names begin is needed");
    const struct macs_note *note =
        last_bytes ? macs_notes_from(notes, last, last_bytes, false) : macs_notes_from(notes, prefix, bytes, true);
    for (unsigned n = 1; note && macs_note_begins(note, prefix, bytes); note = note->next[0], n++) {
        if (reader->answer->length &&
            (reader->answer->length + note->bytes > PART || (n % 64 == 0 && macs_console_slice_over(reader->console))))
            return MACS_STATUS_MORE;
        if (!put_note(reader->answer, note))
            return wrong(reader, "no memory");
    }
    return MACS_STATUS_OK;
}

/* u16 table, u32 first, u32 count → timeouts and times; MORE: fewer than asked for. */
static enum macs_message_status read_ages(struct reader *reader) {
    struct macs_entries *entries = take_table(reader);
    const uint32_t first = macs_wire_u32(&reader->wire), count = macs_wire_u32(&reader->wire);
    const struct macs_ages *ages = entries ? entries->table->ages : NULL;
    if (!ages || !macs_wire_whole(&reader->wire) || first > ages->size || count > ages->size - first)
        return wrong(reader, "a table whose entries may time out and indices that it has are needed");
    const uint64_t now = macs_switch_now(reader->console->sw);
    for (uint32_t index = first; index < first + count; index++) {
        if (reader->answer->length > PART)
            return MACS_STATUS_MORE;
        if (!macs_wire_put_u64(reader->answer, macs_ages_timeout_ns(ages, index)) ||
            !macs_wire_put_u64(reader->answer, macs_ages_idle_ns(ages, index, now)))
            return wrong(reader, "no memory");
    }
    return MACS_STATUS_OK;
}

enum macs_message_status macs_reads_do(struct macs_console *console, const uint8_t *payload, size_t length,
                                       struct macs_bytes *answer, const char **why) {
    struct reader reader = {.console = console, .wire = {.at = payload, .left = length}, .answer = answer, .why = why};
    *why = NULL;
    const uint8_t kind = macs_wire_u8(&reader.wire);
    switch (kind) {
    case MACS_READ_ENTRIES:
        return read_entries(&reader, put_visited);
    case MACS_READ_ENTRY:
        return read_entry(&reader);
    case MACS_READ_DEFAULT:
        return read_default(&reader);
    case MACS_READ_ELEMENTS:
        return read_elements(&reader);
    case MACS_READ_MEMBERS:
        return read_profile(&reader, macs_members_read);
    case MACS_READ_GROUPS:
        return read_profile(&reader, macs_groups_read);
    case MACS_READ_NOTES:
        return read_notes(&reader);
    case MACS_READ_AGES:
        return read_ages(&reader);
    case MACS_READ_RULES:
        return read_entries(&reader, put_visited_rule);
    case MACS_READ_RULE:
    case MACS_READ_RULE_OF_KEY:
        return read_rule(&reader, kind == MACS_READ_RULE_OF_KEY);
    default:
        return wrong(&reader, "nothing of this kind can be read");
    }
}
