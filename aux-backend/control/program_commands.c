/* Commands that replace the program of a running switch. */
#include <errno.h>
#include <string.h>

#include "control/console.h"
#include "control/learned.h"
#include "runtime/library.h"

/* A client that asks for the loaded program must leave it first: it is about to go, or to be another one's console. */
static int refuse_next(struct macs_text *answer) {
    return macs_text_fail(answer, "this client asks for the program that is loaded (NEXT)");
}

static int load_program(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    const char *why;
    if (console->running)
        return refuse_next(answer);
    if (!console->sw->options.replaceable)
        return macs_text_fail(answer, "the switch was not started with --replaceable");
    const struct macs_program *program = macs_library_open(words[0], &why);
    if (!program)
        return macs_text_fail(answer, "%.300s: %.300s", words[0], why);
    const int status = macs_console_load(console, program);
    if (status == -E2BIG)
        return macs_text_fail(answer, "program %s needs more room with each packet than there is", program->name);
    if (status == -ENOTSUP)
        return macs_text_fail(answer, "programs that are cut in two do not follow others, nor are they followed, "
                                      "nor one with sharded registers");
    return status ? macs_text_fail(answer, "program %s: %s", program->name, strerror(-status)) : 0;
}

static int swap_programs(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count, (void)words;
    if (console->running)
        return refuse_next(answer);
    if (console->next)
        macs_learned_settle(console->next);
    const int status = macs_console_swap(console);
    if (status == -ENOENT)
        return macs_text_fail(answer, "no program is loaded");
    if (status) { /* no worker is left */
        console->quit = true;
        return macs_text_fail(answer, "the program cannot run: %s; the switch ends", strerror(-status));
    }
    return 0;
}

const struct macs_command macs_program_commands[] = {
    {"load_program", load_program, 1, 1, "LIBRARY", "make another program ready, which macsad has compiled"},
    {"swap_programs", swap_programs, 0, 0, "", "it takes the place of the one that runs; ports stay open"},
    {0},
};
