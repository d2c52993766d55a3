/* A door: a file of commands, as --entries takes it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control/script.h"
#include "switch.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    door();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char name[32];
    if (door_changes_ports(data, size))
        return 0;
    int file = memfd_create("entries", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
    macs_script_run_file(&door()->console, name, -1);
    close(file);
    door_clear(door());
    return 0;
}
