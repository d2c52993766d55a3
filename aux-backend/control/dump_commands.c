/* Commands that show tables. */
#include <inttypes.h>
#include <string.h>

#include "control/console.h"
#include "control/value.h"
#include "runtime/ages.h"

static const char *const kind_names[] = {
    [MACS_EXACT] = "exact", [MACS_LPM] = "lpm",           [MACS_TERNARY] = "ternary",
    [MACS_RANGE] = "range", [MACS_OPTIONAL] = "optional",
};
static const char *const kind_labels[] = {
    [MACS_EXACT] = "EXACT", [MACS_LPM] = "LPM",           [MACS_TERNARY] = "TERNARY",
    [MACS_RANGE] = "RANGE", [MACS_OPTIONAL] = "OPTIONAL",
};

void macs_console_print_action(const struct macs_table_desc *desc, const struct macs_entry *entry,
                               struct macs_text *answer) {
    if (entry->action >= desc->action_count) { /* MACS_INDIRECT_… */
        macs_text_add(answer, "%s: %" PRIu32 "\n", entry->action == MACS_INDIRECT_GROUP ? "Group" : "Member",
                      ((const struct macs_indirect *)entry)->handle);
        return;
    }
    const struct macs_action_desc *action = &desc->actions[entry->action];
    macs_text_add(answer, "Action entry: %s - ", action->name);
    for (uint16_t i = 0; i < action->param_count; i++) {
        uint8_t bytes[UINT16_MAX / 8 + 1];
        macs_param_bytes(&action->params[i], entry, bytes);
        macs_text_add(answer, i ? ", " : "");
        macs_text_hex(answer, bytes, macs_value_bytes(action->params[i].bits));
    }
    macs_text_add(answer, "\n");
}

/* In milliseconds, of tables whose entries may time out. */
static void print_age(const struct macs_entries *entries, const struct macs_entry *entry, struct macs_text *answer) {
    const struct macs_ages *ages = entries->table->ages;
    if (ages)
        macs_text_add(answer, "Life: %" PRIu64 "ms since hit, timeout is %" PRIu64 "ms\n",
                      macs_ages_idle_ns(ages, entry->index, macs_switch_now(entries->sw)) / 1000000,
                      macs_ages_timeout_ns(ages, entry->index) / 1000000);
}

static void print_entry(const struct macs_entries *entries, uint64_t handle, const struct macs_match *match,
                        const struct macs_entry *entry, struct macs_text *answer) {
    const struct macs_table_desc *desc = entries->table->desc;
    macs_text_add(answer, "Dumping entry 0x%" PRIx64 "\nMatch key:\n", handle);
    for (uint16_t i = 0; i < desc->field_count; i++) {
        macs_text_add(answer, "* %-20s: %-10s", desc->fields[i].name, kind_labels[desc->fields[i].kind]);
        macs_match_print_field(answer, desc, i, match);
        macs_text_add(answer, "\n");
    }
    if (macs_match_has_priority(desc))
        macs_text_add(answer, "Priority: %" PRId32 "\n", macs_match_priority(match->priority));
    macs_console_print_action(desc, entry, answer);
    print_age(entries, entry, answer);
}

#define FULL (MACS_AGAIN + 1)

struct dump {
    const struct macs_entries *entries;
    struct macs_text *answer;
};

static int dump_visited(uint64_t handle, const struct macs_match *match, const struct macs_entry *entry,
                        void *argument) {
    const struct dump *dump = argument;
    macs_text_add(dump->answer, "**********\n");
    print_entry(dump->entries, handle, match, entry, dump->answer);
    /* Leave room for the end. */
    return dump->answer->length > MACS_TEXT_MAX - (64u << 10) ? FULL : 0;
}

static int table_dump(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries)
        return -1;
    const struct macs_table_desc *desc = entries->table->desc;
    if (!console->progress->begun)
        macs_text_add(answer, "==========\nTABLE ENTRIES\n");
    struct dump dump = {entries, answer};
    int status = macs_console_walk(console, entries, dump_visited, &dump);
    if (status == MACS_AGAIN)
        return status;
    if (status < 0)
        return macs_console_status(desc, status, answer);
    if (status == FULL)
        macs_text_add(answer, "**********\n(there are more: %" PRIu32 " entries)\n", macs_entries_count(entries));
    macs_text_add(answer, "==========\nDumping default entry\n");
    macs_console_print_action(desc, atomic_load(&entries->table->default_entry), answer);
    macs_text_add(answer, "==========\n");
    return 0;
}

static int table_dump_entry(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    uint64_t handle;
    if (!entries)
        return -1;
    if (!macs_value_uint64(words[1], &handle))
        return macs_text_fail(answer, "'%.80s' is not a handle", words[1]);
    struct macs_match match;
    const struct macs_entry *entry;
    int status = macs_entries_get(entries, handle, &match, &entry);
    if (!status)
        print_entry(entries, handle, &match, entry, answer);
    return macs_console_status(entries->table->desc, status, answer);
}

static int table_num_entries(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries)
        return -1;
    macs_text_add(answer, "%" PRIu32 "\n", macs_entries_count(entries));
    return 0;
}

static void print_table(const struct macs_table_desc *desc, struct macs_text *answer) {
    macs_text_add(answer, "%-30s [", desc->name);
    for (uint16_t i = 0; i < desc->field_count; i++)
        macs_text_add(answer, "%s%s(%s, %u)", i ? ",\t" : "", desc->fields[i].name, kind_names[desc->fields[i].kind],
                      desc->fields[i].bits);
    macs_text_add(answer, "]\n");
}

static void print_action_shape(const struct macs_action_desc *action, struct macs_text *answer) {
    macs_text_add(answer, "%-30s [", action->name);
    for (uint16_t i = 0; i < action->param_count; i++)
        macs_text_add(answer, "%s%s(%u)", i ? ",\t" : "", action->params[i].name, action->params[i].bits);
    macs_text_add(answer, "]\n");
}

static void print_actions(const struct macs_table_desc *desc, struct macs_text *answer) {
    for (uint16_t i = 0; i < desc->action_count; i++)
        print_action_shape(&desc->actions[i], answer);
}

static int show_tables(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    for (uint16_t i = 0; i < console->program->table_count; i++)
        if (!console->program->table_descs[i].value_set)
            print_table(&console->program->table_descs[i], answer);
    return 0;
}

/* True: a table before `table`, or the table itself before `action`, has this action too. */
static bool shown_before(const struct macs_program *program, uint16_t table, uint16_t action) {
    const char *name = program->table_descs[table].actions[action].name;
    for (uint16_t i = 0; i <= table; i++) {
        const struct macs_table_desc *desc = &program->table_descs[i];
        for (uint16_t j = 0; j < (i < table ? desc->action_count : action); j++)
            if (!strcmp(desc->actions[j].name, name))
                return true;
    }
    return false;
}

static int show_actions(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    const struct macs_program *program = console->program;
    for (uint16_t i = 0; i < program->table_count; i++)
        for (uint16_t j = 0; j < program->table_descs[i].action_count; j++)
            if (!shown_before(program, i, j))
                print_action_shape(&program->table_descs[i].actions[j], answer);
    return 0;
}

static int table_show_actions(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries)
        return -1;
    print_actions(entries->table->desc, answer);
    return 0;
}

static int table_info(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries)
        return -1;
    const struct macs_table_desc *desc = entries->table->desc;
    print_table(desc, answer);
    macs_text_add(answer, "%" PRIu32 " of %" PRIu32 " entries", macs_entries_count(entries), desc->shape.size);
    const char *const way = desc->ops && desc->ops->way ? desc->ops->way(entries->table->state) : NULL;
    if (desc->ops)
        macs_text_add(answer, ", kernel %s%s%s, %" PRIu64 " bytes", desc->ops->name, way ? " by " : "", way ? way : "",
                      desc->ops->memory_bytes(entries->table->state));
    if (desc->ops && desc->ops->reader_bytes)
        macs_text_add(answer, ", %" PRIu64 " of which lookups read", desc->ops->reader_bytes(entries->table->state));
    macs_text_add(answer, "\n********************************************************************************\n");
    print_actions(desc, answer);
    return 0;
}

const struct macs_command macs_table_dump_commands[] = {
    {"table_dump", table_dump, 1, 1, "TABLE", "show a table's entries"},
    {"table_dump_entry", table_dump_entry, 2, 2, "TABLE HANDLE", "show an entry"},
    {"table_num_entries", table_num_entries, 1, 1, "TABLE", "how many entries a table has"},
    {"table_info", table_info, 1, 1, "TABLE", "a table's key, actions, kernel and memory"},
    {"table_show_actions", table_show_actions, 1, 1, "TABLE", "a table's actions and their parameters"},
    {"show_tables", show_tables, 0, 0, "", "all tables and their keys"},
    {"show_actions", show_actions, 0, 0, "", "all actions and their parameters"},
    {0},
};
