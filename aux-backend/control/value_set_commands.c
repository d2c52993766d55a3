/* Commands for parser value sets. A value set is a table whose entries have no actions. */
#include <errno.h>
#include <inttypes.h>

#include "control/console.h"

static const char *table_name(const void *list, unsigned index) {
    return ((const struct macs_table_desc *)list)[index].name;
}

static struct macs_entries *find_set(struct macs_console *console, const char *word, struct macs_text *answer) {
    const struct macs_program *program = console->program;
    unsigned first = 0; /* the sets stand behind the tables */
    while (first < program->table_count && !program->table_descs[first].value_set)
        first++;
    struct macs_names names = {"parser value set", program->table_count - first, table_name,
                               program->table_descs + first};
    int index = macs_names_find(&names, word, answer);
    return index < 0 ? NULL : &console->tables[first + (unsigned)index];
}

/* The set of the first word, and the member that the others are. */
static struct macs_entries *parse_member(struct macs_console *console, unsigned count, char **words,
                                         struct macs_match *match, struct macs_text *answer) {
    struct macs_entries *entries = find_set(console, words[0], answer);
    if (!entries)
        return NULL;
    const struct macs_table_desc *desc = entries->table->desc;
    *match = (struct macs_match){.priority = 0};
    if (count - 1 != desc->field_count) {
        macs_text_fail(answer, "%s needs %u values, %u given", desc->name, desc->field_count, count - 1);
        return NULL;
    }
    return macs_match_parse(desc, words + 1, &console->buffer, match, answer) ? NULL : entries;
}

static int pvs_status(const struct macs_table_desc *desc, int status, struct macs_text *answer) {
    if (status == -EEXIST)
        return macs_text_fail(answer, "%s has this member already", desc->name);
    if (status == -ENOENT)
        return macs_text_fail(answer, "%s has no such member", desc->name);
    if (status == -ENOSPC)
        return macs_text_fail(answer, "%s is full (%" PRIu32 " members)", desc->name, desc->shape.size);
    return macs_console_status(desc, status, answer);
}

static int pvs_add(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    struct macs_match match;
    const struct macs_entry member = {0};
    uint64_t handle;
    struct macs_entries *entries = parse_member(console, count, words, &match, answer);
    return entries ? pvs_status(entries->table->desc, macs_entries_add(entries, &match, &member, &handle), answer) : -1;
}

static int pvs_remove(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    struct macs_match match;
    uint64_t handle;
    struct macs_entries *entries = parse_member(console, count, words, &match, answer);
    if (!entries)
        return -1;
    int status = macs_entries_find(entries, &match, &handle);
    return pvs_status(entries->table->desc, status ? status : macs_entries_delete(entries, handle), answer);
}

static int pvs_clear(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = find_set(console, words[0], answer);
    int status = entries ? macs_console_clear(console, entries) : -1;
    return !entries || status == MACS_AGAIN ? status : pvs_status(entries->table->desc, status, answer);
}

struct shown {
    const struct macs_table_desc *desc;
    struct macs_text *answer;
};

static int show_member(uint64_t handle, const struct macs_match *match, const struct macs_entry *entry,
                       void *argument) {
    (void)handle, (void)entry;
    const struct shown *shown = argument;
    for (uint16_t i = 0; i < shown->desc->field_count; i++) {
        macs_text_add(shown->answer, i ? " " : "");
        macs_match_print_field(shown->answer, shown->desc, i, match);
    }
    macs_text_add(shown->answer, "\n");
    return 0;
}

static int pvs_get(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = find_set(console, words[0], answer);
    if (!entries)
        return -1;
    struct shown shown = {entries->table->desc, answer};
    int status = macs_console_walk(console, entries, show_member, &shown);
    return status == MACS_AGAIN ? status : pvs_status(entries->table->desc, status, answer);
}

const struct macs_command macs_value_set_commands[] = {
    {"pvs_add", pvs_add, 2, MACS_WORDS_MAX, "SET VALUE...", "add a member to a parser value set, one value a field"},
    {"pvs_remove", pvs_remove, 2, MACS_WORDS_MAX, "SET VALUE...", "take a member out of a parser value set"},
    {"pvs_clear", pvs_clear, 1, 1, "SET", "take all members out of a parser value set"},
    {"pvs_get", pvs_get, 1, 1, "SET", "show a parser value set"},
    {0},
};
