/* Commands for action profiles and selectors, and for the entries of tables that have one. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "control/console.h"
#include "control/value.h"
#include "runtime/profile.h"

static bool is_profile(const struct macs_extern_desc *desc) {
    return desc->kind == MACS_ACTION_PROFILE || desc->kind == MACS_ACTION_SELECTOR;
}

/* The place among all externs of profile number `index`. */
static unsigned profile_at(const struct macs_program *program, unsigned index) {
    unsigned at = 0;
    for (;; at++)
        if (is_profile(&program->extern_descs[at]) && !index--)
            return at;
}

static const char *profile_name(const void *program, unsigned index) {
    return ((const struct macs_program *)program)->extern_descs[profile_at(program, index)].name;
}

/* The profile with that name, and one of its tables. False: there is none. */
struct found {
    const struct macs_extern_desc *desc;
    struct macs_profile *profile;
    struct macs_entries *entries;
};

static bool find_profile(struct macs_console *console, const char *word, struct found *found,
                         struct macs_text *answer) {
    const struct macs_program *program = console->program;
    unsigned count = 0;
    for (uint16_t i = 0; i < program->extern_count; i++)
        count += is_profile(&program->extern_descs[i]);
    struct macs_names names = {"action profile", count, profile_name, program};
    int index = macs_names_find(&names, word, answer);
    if (index < 0)
        return false;
    unsigned at = profile_at(program, (unsigned)index);
    found->desc = &program->extern_descs[at];
    found->profile = program->externs[at];
    found->entries = macs_console_table(console, found->desc->table, answer);
    return found->entries != NULL;
}

static int status_text(const struct found *found, int status, struct macs_text *answer) {
    const char *name = found->desc->name;
    switch (-status) {
    case 0:
        return 0;
    case ENOSPC:
        return macs_text_fail(answer, "%s is full (%" PRIu32 ")", name, found->desc->size);
    case ENOENT:
        return macs_text_fail(answer, "%s has no such member", name);
    case ESRCH:
        return macs_text_fail(answer, "%s has no such group", name);
    case EEXIST:
        return macs_text_fail(answer, "the member is in this group already");
    case EINVAL:
        return macs_text_fail(answer, "the member is not in this group");
    case EBUSY:
        return macs_text_fail(answer, "the member is in a group, or a worker hangs: it cannot be deleted now");
    default:
        return macs_text_fail(answer, "%s: %s", name, strerror(-status));
    }
}

static int parse_handle(const char *what, const char *word, uint32_t *handle, struct macs_text *answer) {
    uint64_t value;
    *handle = 0;
    if (!macs_value_uint64(word, &value) || value > UINT32_MAX)
        return macs_text_fail(answer, "'%.80s' is not a %s handle", word, what);
    *handle = (uint32_t)value;
    return 0;
}

/* An action and its data into console->value. */
static int parse_action(struct macs_console *console, const struct found *found, const char *word, unsigned count,
                        char **params, struct macs_text *answer) {
    const struct macs_table_desc *desc = found->entries->table->desc;
    int action = macs_console_action(desc, word, answer);
    if (action < 0)
        return -1;
    const struct macs_action_desc *described = &desc->actions[action];
    if (described->scope == MACS_DEFAULT_ONLY)
        return macs_text_fail(answer, "action %s is for the default entry only", described->name);
    if (count != described->param_count)
        return macs_text_fail(answer, "%s needs %u parameters, %u given", described->name, described->param_count,
                              count);
    return macs_params_parse(desc, (uint32_t)action, params, console->value, answer);
}

/* --- members --------------------------------------------------------------------------------------------------------
 */

static int create_member(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    struct found found;
    uint32_t handle;
    if (!find_profile(console, words[0], &found, answer) ||
        parse_action(console, &found, words[1], count - 2, words + 2, answer))
        return -1;
    int status = macs_profile_member_create(found.profile, 0, console->value, &handle);
    if (!status)
        macs_text_add(answer, "Member has been created with handle %" PRIu32 "\n", handle);
    return status_text(&found, status, answer);
}

static int modify_member(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    struct found found;
    uint32_t handle;
    if (!find_profile(console, words[0], &found, answer) || parse_handle("member", words[2], &handle, answer) ||
        parse_action(console, &found, words[1], count - 3, words + 3, answer))
        return -1;
    return status_text(&found, macs_profile_member_modify(found.profile, handle, console->value), answer);
}

static int delete_member(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct found found;
    uint32_t handle;
    if (!find_profile(console, words[0], &found, answer) || parse_handle("member", words[1], &handle, answer))
        return -1;
    return status_text(&found, macs_profile_member_delete(found.profile, handle), answer);
}

/* --- groups ---------------------------------------------------------------------------------------------------------
 */

static bool find_selector(struct macs_console *console, const char *word, struct found *found,
                          struct macs_text *answer) {
    if (!find_profile(console, word, found, answer))
        return false;
    if (found->desc->kind == MACS_ACTION_SELECTOR)
        return true;
    macs_text_fail(answer, "%s is an action profile without groups", found->desc->name);
    return false;
}

static int create_group(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct found found;
    uint32_t handle;
    if (!find_selector(console, words[0], &found, answer))
        return -1;
    int status = macs_profile_group_create(found.profile, 0, &handle);
    if (!status)
        macs_text_add(answer, "Group has been created with handle %" PRIu32 "\n", handle);
    return status_text(&found, status, answer);
}

static int delete_group(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct found found;
    uint32_t handle;
    if (!find_selector(console, words[0], &found, answer) || parse_handle("group", words[1], &handle, answer))
        return -1;
    return status_text(&found, macs_profile_group_delete(found.profile, handle), answer);
}

typedef int change_fn(struct macs_profile *profile, uint32_t group, uint32_t member);

/* PROFILE MEMBER GROUP */
static int change_group(struct macs_console *console, char **words, change_fn *change, struct macs_text *answer) {
    struct found found;
    uint32_t member, group;
    if (!find_selector(console, words[0], &found, answer) || parse_handle("member", words[1], &member, answer) ||
        parse_handle("group", words[2], &group, answer))
        return -1;
    return status_text(&found, change(found.profile, group, member), answer);
}

static int add_to_group(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return change_group(console, words, macs_profile_group_add, answer);
}

static int remove_from_group(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return change_group(console, words, macs_profile_group_remove, answer);
}

/* --- dumps ----------------------------------------------------------------------------------------------------------
 */

/* False: there is none, and nothing is printed. */
static bool print_member(const struct found *found, uint32_t handle, const char *before, struct macs_text *answer) {
    const struct macs_entry *member = macs_profile_member(found->profile, handle);
    if (!member)
        return false;
    macs_text_add(answer, "%sDumping member %" PRIu32 "\n", before, handle);
    macs_console_print_action(found->entries->table->desc, member, answer);
    return true;
}

static bool print_group(const struct found *found, uint32_t handle, const char *before, struct macs_text *answer) {
    if (!macs_profile_group_is_there(found->profile, handle))
        return false;
    macs_text_add(answer, "%sDumping group %" PRIu32 "\nMembers: [", before, handle);
    for (uint32_t i = 0; i < macs_profile_group_count(found->profile, handle); i++)
        macs_text_add(answer, "%s%" PRIu32, i ? ", " : "", macs_profile_group_member(found->profile, handle, i));
    macs_text_add(answer, "]\n");
    return true;
}

struct dumped {
    const struct found *found;
    struct macs_text *answer;
};

/* Members, then groups: a sweep over twice as many numbers. */
static void dump_next(uint32_t number, void *argument) {
    const struct dumped *dumped = argument;
    const uint32_t size = dumped->found->profile->size;
    if (number == size)
        macs_text_add(dumped->answer, "==========\nGROUPS\n");
    (number < size ? print_member : print_group)(dumped->found, number % size, "**********\n", dumped->answer);
}

static int dump_profile(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct found found;
    if (!find_profile(console, words[0], &found, answer))
        return -1;
    if (!console->progress->begun)
        macs_text_add(answer, "==========\nMEMBERS\n");
    const bool groups = found.desc->kind == MACS_ACTION_SELECTOR;
    struct dumped dumped = {&found, answer};
    return macs_console_sweep(console, groups ? 2 * found.profile->size : found.profile->size, dump_next, &dumped);
}

static int dump_member(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct found found;
    uint32_t handle;
    if (!find_profile(console, words[0], &found, answer) || parse_handle("member", words[1], &handle, answer))
        return -1;
    return status_text(&found, print_member(&found, handle, "", answer) ? 0 : -ENOENT, answer);
}

static int dump_group(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    struct found found;
    uint32_t handle;
    if (!find_selector(console, words[0], &found, answer) || parse_handle("group", words[1], &handle, answer))
        return -1;
    return status_text(&found, print_group(&found, handle, "", answer) ? 0 : -ESRCH, answer);
}

/* --- entries --------------------------------------------------------------------------------------------------------
 */

/* Whether the table has a profile with that member or group; then a reference to it is put into console->value. */
static int parse_reference(struct macs_console *console, const struct macs_table_desc *desc, const char *word,
                           uint32_t action, struct macs_text *answer) {
    const struct macs_program *program = console->program;
    uint32_t handle;
    if (!desc->profile)
        return macs_text_fail(answer, "table %s has no action profile", desc->name);
    const struct macs_extern_desc *described = &program->extern_descs[desc->profile - 1];
    const struct macs_profile *profile = program->externs[desc->profile - 1];
    bool group = action == MACS_INDIRECT_GROUP;
    if (parse_handle(group ? "group" : "member", word, &handle, answer))
        return -1;
    if (group ? !macs_profile_group_is_there(profile, handle) : !macs_profile_member(profile, handle))
        return macs_text_fail(answer, "%s has no %s %" PRIu32, described->name, group ? "group" : "member", handle);
    memset(console->value, 0, desc->shape.value_bytes);
    *(struct macs_indirect *)console->value = (struct macs_indirect){.head = {.action = action}, .handle = handle};
    return 0;
}

/* TABLE KEY… => HANDLE [PRIORITY] */
static int add_indirect(struct macs_console *console, unsigned count, char **words, uint32_t action,
                        struct macs_text *answer) {
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries)
        return -1;
    const struct macs_table_desc *desc = entries->table->desc;
    unsigned priority_words = macs_match_has_priority(desc) ? 1 : 0, keys = desc->field_count;
    if (desc->const_entries)
        return macs_text_fail(answer, "the entries of table %s are constant", desc->name);
    if (count != 1 + keys + 2 + priority_words || strcmp(words[1 + keys], "=>") != 0)
        return macs_text_fail(answer, "table %s needs %u key fields, '=>', a handle%s", desc->name, keys,
                              priority_words ? ", a priority" : "");
    struct macs_match match = {.priority = 0};
    uint64_t priority = 0, handle;
    if (priority_words && (!macs_value_uint64(words[count - 1], &priority) || priority > INT32_MAX))
        return macs_text_fail(answer, "'%.80s' is not a priority (a number; the smaller wins)", words[count - 1]);
    if (priority_words)
        match.priority = macs_match_priority((int32_t)priority);
    if (parse_reference(console, desc, words[keys + 2], action, answer) ||
        macs_match_parse(desc, words + 1, &console->buffer, &match, answer))
        return -1;
    int status = macs_entries_add(entries, &match, console->value, &handle);
    if (!status && !console->quiet)
        macs_text_add(answer, "Entry has been added with handle %" PRIu64 "\n", handle);
    return macs_console_status(desc, status, answer);
}

static int indirect_add(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    return add_indirect(console, count, words, MACS_INDIRECT_MEMBER, answer);
}

static int indirect_add_with_group(struct macs_console *console, unsigned count, char **words,
                                   struct macs_text *answer) {
    return add_indirect(console, count, words, MACS_INDIRECT_GROUP, answer);
}

/* TABLE HANDLE */
static int set_default(struct macs_console *console, char **words, uint32_t action, struct macs_text *answer) {
    struct macs_entries *entries = macs_console_table(console, words[0], answer);
    if (!entries)
        return -1;
    const struct macs_table_desc *desc = entries->table->desc;
    if (desc->const_default)
        return macs_text_fail(answer, "the default action of table %s is constant", desc->name);
    if (parse_reference(console, desc, words[1], action, answer))
        return -1;
    return macs_console_status(desc, macs_entries_set_default(entries, console->value), answer);
}

static int indirect_set_default(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return set_default(console, words, MACS_INDIRECT_MEMBER, answer);
}

static int indirect_set_default_with_group(struct macs_console *console, unsigned count, char **words,
                                           struct macs_text *answer) {
    (void)count;
    return set_default(console, words, MACS_INDIRECT_GROUP, answer);
}

const struct macs_command macs_profile_commands[] = {
    {"act_prof_create_member", create_member, 2, MACS_WORDS_MAX, "PROFILE ACTION [PARAMETER...]", "create a member"},
    {"act_prof_modify_member", modify_member, 3, MACS_WORDS_MAX, "PROFILE ACTION MEMBER [PARAMETER...]",
     "change a member's action"},
    {"act_prof_delete_member", delete_member, 2, 2, "PROFILE MEMBER", "delete a member that is in no group"},
    {"act_prof_create_group", create_group, 1, 1, "PROFILE", "create an empty group"},
    {"act_prof_delete_group", delete_group, 2, 2, "PROFILE GROUP", "delete a group"},
    {"act_prof_add_member_to_group", add_to_group, 3, 3, "PROFILE MEMBER GROUP", "put a member into a group"},
    {"act_prof_remove_member_from_group", remove_from_group, 3, 3, "PROFILE MEMBER GROUP",
     "take a member out of a group"},
    {"act_prof_dump", dump_profile, 1, 1, "PROFILE", "show all members and groups"},
    {"act_prof_dump_member", dump_member, 2, 2, "PROFILE MEMBER", "show a member"},
    {"act_prof_dump_group", dump_group, 2, 2, "PROFILE GROUP", "show a group's members"},
    {"table_indirect_add", indirect_add, 3, MACS_WORDS_MAX, "TABLE KEY... => MEMBER [PRIORITY]",
     "add an entry that names a member"},
    {"table_indirect_add_with_group", indirect_add_with_group, 3, MACS_WORDS_MAX, "TABLE KEY... => GROUP [PRIORITY]",
     "add an entry that names a group"},
    {"table_indirect_set_default", indirect_set_default, 2, 2, "TABLE MEMBER", "let the default entry name a member"},
    {"table_indirect_set_default_with_group", indirect_set_default_with_group, 2, 2, "TABLE GROUP",
     "let the default entry name a group"},
    {0},
};
