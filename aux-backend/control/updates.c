#include "control/updates.h"

#include <errno.h>

#include "control/elements.h"
#include "control/match_wire.h"
#include "control/profile_wire.h"
#include "control/update_status.h"
#include "control/value.h"
#include "runtime/ages.h"
#include "runtime/externs.h"
#include "runtime/meter.h"

#define HEAD 5u              /* u32 length, u8 change */
#define UPDATES_MAX 1000000u /* in a message */
#define TOGETHER 16u         /* between two looks at the clock */

/* What a change is done to, and the number that is its answer. */
struct change {
    struct macs_console *console;
    struct macs_wire wire;
    uint32_t number;
    bool limits; /* it says what the entry's timeout is */
    uint64_t timeout_ns;
};

/* --- entries --------------------------------------------------------------------------------------------------------
 */

static struct macs_entries *take_table(struct change *change) {
    const uint16_t table = macs_wire_u16(&change->wire);
    return !change->wire.cut && table < change->console->program->table_count ? &change->console->tables[table] : NULL;
}

/* An action for an entry, or for the default entry, into console->value. */
static enum macs_update_status take_action(struct change *change, const struct macs_table_desc *desc, bool in_default) {
    const struct macs_entry *entry = change->console->value;
    const int status = macs_action_take(change->console->program, desc, &change->wire, change->console->value);
    if (status == -EINVAL)
        return MACS_UPDATE_WRONG;
    change->limits = desc->ages && !in_default && change->wire.left;
    change->timeout_ns = change->limits ? macs_wire_u64(&change->wire) : 0;
    if (!macs_wire_whole(&change->wire))
        return MACS_UPDATE_WRONG;
    if (!desc->value_set && entry->action < desc->action_count &&
        desc->actions[entry->action].scope == (in_default ? MACS_TABLE_ONLY : MACS_DEFAULT_ONLY))
        return MACS_UPDATE_WRONG;
    return status ? MACS_UPDATE_NONE : MACS_UPDATE_DONE;
}

/* By handle: that makes the map of handles, so that the next entry there has another one. */
static int take_out(struct macs_entries *entries, const struct macs_match *match) {
    uint64_t handle;
    int status = macs_entries_find(entries, match, &handle);
    return status ? status : macs_entries_delete(entries, handle);
}

static int modify(struct change *change, struct macs_entries *entries, const struct macs_match *match) {
    uint64_t handle;
    int status = macs_entries_change(entries, match, change->console->value);
    if (!status && change->limits && !(status = macs_entries_find(entries, match, &handle)))
        macs_ages_limit(entries->table->ages, macs_entries_index_of(entries, handle), change->timeout_ns);
    return status;
}

static int add(struct change *change, struct macs_entries *entries, const struct macs_match *match) {
    uint64_t handle;
    int status = macs_entries_add(entries, match, change->console->value, &handle);
    if (status)
        return status;
    change->number = macs_entries_index_of(entries, handle);
    if (change->limits)
        macs_ages_limit(entries->table->ages, change->number, change->timeout_ns);
    return 0;
}

static enum macs_update_status change_entry(struct change *change, uint8_t kind) {
    struct macs_console *console = change->console;
    struct macs_entries *entries = take_table(change);
    struct macs_match match;
    if (!entries || !macs_match_take(entries->table->desc, &change->wire, &console->buffer, &match))
        return MACS_UPDATE_WRONG;
    if (entries->table->desc->const_entries)
        return MACS_UPDATE_CONSTANT;
    if (kind == MACS_UPDATE_REMOVE)
        return macs_wire_whole(&change->wire) ? macs_update_status_of(take_out(entries, &match)) : MACS_UPDATE_WRONG;
    enum macs_update_status taken = take_action(change, entries->table->desc, false);
    if (taken != MACS_UPDATE_DONE)
        return taken;
    return macs_update_status_of(kind == MACS_UPDATE_MODIFY ? modify(change, entries, &match)
                                                            : add(change, entries, &match));
}

static enum macs_update_status change_default(struct change *change, uint8_t kind) {
    struct macs_entries *entries = take_table(change);
    if (!entries || entries->table->desc->value_set)
        return MACS_UPDATE_WRONG;
    if (entries->table->desc->const_default)
        return MACS_UPDATE_CONSTANT;
    if (kind == MACS_UPDATE_RESET_DEFAULT)
        return macs_wire_whole(&change->wire) ? macs_update_status_of(macs_entries_set_default(entries, NULL))
                                              : MACS_UPDATE_WRONG;
    enum macs_update_status taken = take_action(change, entries->table->desc, true);
    return taken == MACS_UPDATE_DONE ? macs_update_status_of(macs_entries_set_default(entries, change->console->value))
                                     : taken;
}

/* --- externs --------------------------------------------------------------------------------------------------------
 */

static enum macs_update_status set_counter(struct macs_wire *wire, void *state, uint32_t index) {
    struct macs_count count = {.packets = macs_wire_u64(wire)};
    count.bytes = macs_wire_u64(wire);
    if (!macs_wire_whole(wire))
        return MACS_UPDATE_WRONG;
    macs_counter_set(state, index, count);
    return MACS_UPDATE_DONE;
}

static enum macs_update_status set_register(struct macs_wire *wire, void *state, const struct macs_extern_desc *desc,
                                            uint32_t index) {
    const uint8_t *bytes = macs_wire_bytes(wire, macs_value_bytes(desc->bits));
    if (!bytes || !macs_wire_whole(wire) || (desc->bits % 8 && bytes[0] >> desc->bits % 8))
        return MACS_UPDATE_WRONG;
    return macs_element_set(state, desc, index, bytes) ? MACS_UPDATE_DONE : MACS_UPDATE_BUSY;
}

/* A rate must be a number, and small enough for its tokens to be one. */
static bool is_rate(double value) {
    return value >= 0 && value < 1e19;
}

static enum macs_update_status set_meter(struct macs_wire *wire, void *state, uint32_t index) {
    const uint8_t configured = macs_wire_u8(wire);
    struct macs_meter_rates rates = {.committed_rate = macs_wire_double(wire) / 1e9};
    rates.committed_burst = macs_wire_double(wire);
    rates.peak_rate = macs_wire_double(wire) / 1e9;
    rates.peak_burst = macs_wire_double(wire);
    if (!macs_wire_whole(wire) || configured > 1 || !is_rate(rates.committed_rate) || !is_rate(rates.committed_burst) ||
        !is_rate(rates.peak_rate) || !is_rate(rates.peak_burst) || rates.committed_rate > rates.peak_rate)
        return MACS_UPDATE_WRONG;
    macs_meter_set(state, index, configured ? &rates : NULL);
    return MACS_UPDATE_DONE;
}

static enum macs_update_status change_element(struct change *change) {
    const struct macs_program *program = change->console->program;
    const uint16_t number = macs_wire_u16(&change->wire);
    const uint32_t index = macs_wire_u32(&change->wire);
    if (change->wire.cut || number >= program->extern_count || index >= program->extern_descs[number].size)
        return MACS_UPDATE_WRONG;
    const struct macs_extern_desc *desc = &program->extern_descs[number];
    switch ((enum macs_extern_kind)desc->kind) {
    case MACS_COUNTER:
    case MACS_DIRECT_COUNTER:
        return set_counter(&change->wire, program->externs[number], index);
    case MACS_REGISTER:
        return set_register(&change->wire, program->externs[number], desc, index);
    case MACS_METER:
    case MACS_DIRECT_METER:
        return set_meter(&change->wire, program->externs[number], index);
    default:
        return MACS_UPDATE_WRONG;
    }
}

/* A note in the place of what was under its name; who reads notes goes on behind a name, so that it is not empty. */
static enum macs_update_status leave_note(struct change *change) {
    struct macs_wire *wire = &change->wire;
    const uint16_t name_bytes = macs_wire_u16(wire);
    const uint8_t *name = macs_wire_bytes(wire, name_bytes);
    if (!name || !name_bytes)
        return MACS_UPDATE_WRONG;
    return macs_update_status_of(
        macs_notes_set(&change->console->notes, name, name_bytes, wire->at, (uint32_t)wire->left));
}

/* --- messages -------------------------------------------------------------------------------------------------------
 */

static enum macs_update_status do_change(struct change *change, uint8_t kind) {
    switch (kind) {
    case MACS_UPDATE_ADD:
    case MACS_UPDATE_MODIFY:
    case MACS_UPDATE_REMOVE:
        return change_entry(change, kind);
    case MACS_UPDATE_SET_DEFAULT:
    case MACS_UPDATE_RESET_DEFAULT:
        return change_default(change, kind);
    case MACS_UPDATE_ELEMENT:
        return change_element(change);
    case MACS_UPDATE_ADD_MEMBER:
    case MACS_UPDATE_MODIFY_MEMBER:
    case MACS_UPDATE_REMOVE_MEMBER:
        return macs_member_change(change->console, &change->wire, kind);
    case MACS_UPDATE_ADD_GROUP:
    case MACS_UPDATE_MODIFY_GROUP:
    case MACS_UPDATE_REMOVE_GROUP:
        return macs_group_change(change->console, &change->wire, kind);
    case MACS_UPDATE_NOTE:
        return leave_note(change);
    default:
        return MACS_UPDATE_WRONG;
    }
}

const char *macs_updates_begin(struct macs_client_request *request) {
    request->progress = (struct macs_progress){.at = 1};
    request->stopped = request->failed = false;
    macs_text_clear(&request->answer);
    if (!request->length)
        return "no flags";
    unsigned count = 0;
    for (size_t at = 1; at < request->length; count++) {
        const size_t left = request->length - at;
        const uint32_t length = left >= HEAD ? macs_get_u32(request->payload + at) : 0;
        if (left < HEAD || length > left - HEAD)
            return "a change is cut off";
        at += HEAD + length;
    }
    return count > UPDATES_MAX ? "too many changes" : NULL;
}

bool macs_updates_run(struct macs_console *running, struct macs_client_request *request) {
    const bool keep_going = request->payload[0] & MACS_BULK_CONTINUE;
    struct macs_console *console =
        request->payload[0] & MACS_UPDATE_NEXT && !running->running ? running->next : running;
    for (unsigned done = 1; request->progress.at < request->length; done++) {
        const uint8_t *head = request->payload + request->progress.at;
        struct change change = {.console = console, .wire = {.at = head + HEAD, .left = macs_get_u32(head)}};
        request->progress.at += HEAD + change.wire.left;
        uint8_t answer[5] = {MACS_UPDATE_NOT_TRIED};
        const bool alone = head[4] != MACS_UPDATE_NOTE; /* else it goes with the change before it */
        if (!console)
            answer[0] = MACS_UPDATE_WRONG;
        else if (!request->stopped && (alone || !request->failed))
            answer[0] = (uint8_t)do_change(&change, head[4]);
        macs_put_u32(answer + 1, change.number);
        request->failed = answer[0] != MACS_UPDATE_DONE;
        request->stopped |= request->failed && !keep_going;
        macs_text_bytes(&request->answer, (const char *)answer, sizeof(answer));
        if (done % TOGETHER == 0 && request->progress.at < request->length && macs_console_slice_over(running))
            return false;
    }
    return true;
}
