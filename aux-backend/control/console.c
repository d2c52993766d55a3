#include "control/console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/replace.h"
#include "runtime/switch_program.h"
#include "runtime/loops.h"

static const struct macs_command *const all_commands[] = {
    macs_table_commands,     macs_table_dump_commands, macs_extern_commands,  macs_multicast_commands,
    macs_mirroring_commands, macs_value_set_commands,  macs_profile_commands, macs_queue_commands,
    macs_switch_commands,    macs_program_commands,
};
#define COMMAND_LISTS (sizeof(all_commands) / sizeof(all_commands[0]))

static const struct macs_command *command_at(unsigned index) {
    for (unsigned list = 0; list < COMMAND_LISTS; list++)
        for (const struct macs_command *command = all_commands[list]; command->name; command++)
            if (!index--)
                return command;
    return NULL;
}

static const char *command_name(const void *list, unsigned index) {
    (void)list;
    return command_at(index)->name;
}

static int help(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)console;
    unsigned shown = 0;
    const struct macs_command *command;
    for (unsigned i = 0; (command = command_at(i)); i++) {
        if (count && strcmp(words[0], command->name) != 0)
            continue;
        macs_text_add(answer, "%s %s\n    %s\n", command->name, command->usage, command->help);
        shown++;
    }
    return shown ? 0 : macs_text_fail(answer, "no command '%.80s'", words[0]);
}

static const struct macs_command help_command = {"help", help, 0, 1, "[COMMAND]", "what commands there are"};

int macs_console_init(struct macs_console *console, struct macs_switch *sw, const struct macs_program *program) {
    size_t key_bytes = 1, value_bytes = sizeof(struct macs_entry);
    *console = (struct macs_console){.sw = sw, .program = program, .last_table = -1};
    for (uint16_t i = 0; i < program->table_count; i++) {
        const struct macs_table_shape *shape = &program->table_descs[i].shape;
        key_bytes = shape->key_bytes > key_bytes ? shape->key_bytes : key_bytes;
        console->learns |= program->table_descs[i].learns || program->table_descs[i].deletes;
        value_bytes = shape->value_bytes > value_bytes ? shape->value_bytes : value_bytes;
    }
    console->tables = calloc(program->table_count + 1u, sizeof(*console->tables));
    console->buffer.value = malloc(3 * key_bytes);
    console->value = aligned_alloc(64, (value_bytes + 63) & ~(size_t)63);
    int status = console->tables && console->buffer.value && console->value ? 0 : -ENOMEM;
    for (uint16_t i = 0; i < program->table_count && !status; i++)
        status = macs_entries_init(&console->tables[i], sw, program, i);
    if (status) {
        macs_console_fini(console);
        return status;
    }
    console->buffer.mask = console->buffer.value + key_bytes;
    console->buffer.high = console->buffer.mask + key_bytes;
    return 0;
}

void macs_console_fini(struct macs_console *console) {
    for (uint16_t i = 0; console->tables && i < console->program->table_count; i++)
        macs_entries_fini(&console->tables[i]);
    free(console->tables);
    macs_console_discard(console);
    macs_notes_fini(&console->notes);
    free(console->buffer.value);
    free(console->value);
    *console = (struct macs_console){0};
}

/* What was made for another console begins anew. */
static int take_over(struct macs_console *console, struct macs_console *next) {
    const int status = macs_switch_swap(console->sw, next->program);
    for (uint16_t i = 0; i < console->program->table_count; i++)
        macs_entries_fini(&console->tables[i]);
    free(console->tables);
    free(console->buffer.value);
    free(console->value);
    console->program = next->program;
    console->tables = next->tables;
    console->buffer = next->buffer;
    console->value = next->value;
    console->learns = next->learns;
    console->last_command = NULL;
    console->last_table = -1;
    console->next = NULL;
    free(next);
    return status;
}

int macs_console_load(struct macs_console *console, const struct macs_program *program) {
    macs_console_discard(console);
    struct macs_console *next = calloc(1, sizeof(*next));
    int status = next ? macs_switch_prepare(console->sw, program) : -ENOMEM;
    if (!status) {
        status = macs_console_init(next, console->sw, program);
        next->running = console;
        if (status)
            macs_switch_program_destroy(program, program->table_count);
    }
    if (status)
        free(next);
    else
        console->next = next;
    return status;
}

int macs_console_swap(struct macs_console *console) {
    return console->next ? take_over(console, console->next) : -ENOENT;
}

void macs_console_discard(struct macs_console *console) {
    struct macs_console *next = console->next;
    console->next = NULL;
    if (!next)
        return;
    const struct macs_program *program = next->program;
    macs_console_fini(next);
    macs_switch_program_destroy(program, program->table_count);
    free(next);
}

static const char *table_name(const void *list, unsigned index) {
    return ((const struct macs_table_desc *)list)[index].name;
}

struct macs_entries *macs_console_table(struct macs_console *console, const char *word, struct macs_text *why) {
    if (console->last_table >= 0 && !strcmp(word, console->last_table_word))
        return &console->tables[console->last_table];
    const struct macs_program *program = console->program;
    struct macs_names names = {"table", program->table_count, table_name, program->table_descs};
    int index = macs_names_find(&names, word, why);
    if (index < 0)
        return NULL;
    if (program->table_descs[index].value_set) {
        macs_text_fail(why, "%s is a parser value set; see pvs_add", program->table_descs[index].name);
        return NULL;
    }
    if (strlen(word) < sizeof(console->last_table_word)) {
        strcpy(console->last_table_word, word);
        console->last_table = index;
    }
    return &console->tables[index];
}

static const char *action_name(const void *list, unsigned index) {
    return ((const struct macs_action_desc *)list)[index].name;
}

int macs_console_action(const struct macs_table_desc *desc, const char *word, struct macs_text *why) {
    struct macs_names names = {"action", desc->action_count, action_name, desc->actions};
    int index = macs_names_find(&names, word, why);
    if (index < 0)
        macs_text_add(why, " (table %s)", desc->name);
    return index;
}

int macs_console_status(const struct macs_table_desc *desc, int status, struct macs_text *answer) {
    switch (-status) {
    case 0:
        return 0;
    case ENOSPC:
        return macs_text_fail(answer, "table %s is full (%u entries)", desc->name, desc->shape.size);
    case ENOENT:
        return macs_text_fail(answer, "table %s has no such entry", desc->name);
    case EEXIST:
        return macs_text_fail(answer, "table %s has an entry with this key already", desc->name);
    case ENODEV:
        return macs_text_fail(answer, "table %s has no key: it has a default entry only", desc->name);
    case EBUSY:
        return macs_text_fail(answer, "a worker hangs: table %s cannot be changed now", desc->name);
    default:
        return macs_text_fail(answer, "table %s: %s", desc->name, strerror(-status));
    }
}

int macs_console_cut(char *line, char *words[]) {
    int count = 0;
    for (char *at = line;;) {
        while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
            at++;
        if (!*at || *at == '#')
            return count;
        if (count == (int)MACS_WORDS_MAX)
            return -1;
        words[count++] = at;
        while (*at && *at != ' ' && *at != '\t' && *at != '\r' && *at != '\n')
            at++;
        if (*at)
            *at++ = 0;
    }
}

static const struct macs_command *find_command(const struct macs_console *console, const char *name) {
    if (console->last_command && !strcmp(name, console->last_command->name))
        return console->last_command;
    if (!strcmp(name, help_command.name))
        return &help_command;
    for (unsigned list = 0; list < COMMAND_LISTS; list++)
        for (const struct macs_command *command = all_commands[list]; command->name; command++)
            if (!strcmp(name, command->name))
                return command;
    return NULL;
}

static int unknown_command(const char *name, struct macs_text *answer) {
    unsigned count = 0;
    while (command_at(count))
        count++;
    struct macs_names names = {"command", count, command_name, NULL};
    return macs_names_find(&names, name, answer);
}

/* Why a worker was waited for in vain, as far as that is known. */
static void tell_of_loop(const struct macs_switch *sw, struct macs_text *answer) {
    unsigned worker;
    const struct macs_loop *loop = macs_loops_stuck(sw, &worker);
    if (loop)
        macs_text_add(answer, "; worker %u has been in a loop at %s for %.1f s", worker, loop->stuck_at,
                      (double)loop->stuck_ns / 1e9);
}

int macs_console_do(struct macs_console *console, struct macs_progress *progress, int count, char *words[],
                    struct macs_text *answer) {
    if (!progress->begun)
        macs_text_clear(answer);
    if (count < 0)
        return macs_text_fail(answer, "more than %u words", MACS_WORDS_MAX);
    if (!count)
        return 0;
    const struct macs_command *command = find_command(console, words[0]);
    if (!command)
        return unknown_command(words[0], answer);
    console->last_command = command;
    unsigned given = (unsigned)count - 1;
    if (given < command->min_words || given > command->max_words)
        return macs_text_fail(answer, "usage: %s %s", command->name, command->usage);
    console->progress = progress;
    uint32_t given_up = macs_qsbr_given_up(console->sw->qsbr);
    int status = command->run(console, given, words + 1, answer);
    *progress = (struct macs_progress){.begun = status == MACS_AGAIN, .at = progress->at};
    if (status != MACS_AGAIN)
        progress->at = 0;
    if (status < 0 && macs_qsbr_given_up(console->sw->qsbr) != given_up)
        tell_of_loop(console->sw, answer);
    return status;
}

/* --- slices ---------------------------------------------------------------------------------------------------------
 */

#define SLICE_NS 2000000u

/* Steps between two looks at the clock, which takes as long as a step or two. */
#define STEPS 64u

static uint64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void macs_console_begin_slice(struct macs_console *console) {
    console->slice_end_ns = clock_ns() + SLICE_NS;
    if (console->next)
        console->next->slice_end_ns = console->slice_end_ns;
}

bool macs_console_slice_over(const struct macs_console *console) {
    return clock_ns() >= console->slice_end_ns;
}

int macs_console_walk(struct macs_console *console, struct macs_entries *entries, macs_entries_visit_fn *visit,
                      void *argument) {
    uint64_t *at = &console->progress->at;
    for (;;) {
        int status = macs_entries_walk(entries, at, STEPS, visit, argument);
        if (status || macs_entries_at_end(entries, *at))
            return status;
        if (macs_console_slice_over(console))
            return MACS_AGAIN;
    }
}

int macs_console_clear(struct macs_console *console, struct macs_entries *entries) {
    uint64_t *at = &console->progress->at;
    for (;;) {
        int status = macs_entries_clear(entries, at, STEPS);
        if (status || macs_entries_at_end(entries, *at))
            return status;
        if (macs_console_slice_over(console))
            return MACS_AGAIN;
    }
}

int macs_console_sweep(struct macs_console *console, uint32_t count, void (*each)(uint32_t number, void *argument),
                       void *argument) {
    uint64_t *at = &console->progress->at;
    while (*at < count) {
        for (unsigned step = 0; step < STEPS && *at < count; step++)
            each((uint32_t)(*at)++, argument);
        if (*at < count && macs_console_slice_over(console))
            return MACS_AGAIN;
    }
    return 0;
}
