#include "runtime/library.h"

#include <dlfcn.h>
#include <stdbool.h>

#define LIBRARIES_MAX 1024u

static const struct macs_program *opened[LIBRARIES_MAX];
static unsigned opened_count;

static bool is_known(const struct macs_program *program) {
    for (unsigned i = 0; i < opened_count; i++)
        if (opened[i] == program)
            return true;
    return false;
}

const struct macs_program *macs_library_open(const char *path, const char **why) {
    *why = "too many programs have been loaded";
    if (opened_count == LIBRARIES_MAX)
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *why = library ? "there is no program in it" : dlerror();
    const struct macs_program *program = library ? dlsym(library, "macs_program") : NULL;
    if (!program)
        return NULL;
    *why = "it has been loaded before";
    if (program == &macs_program || is_known(program))
        return NULL;
    opened[opened_count++] = program;
    return program;
}
