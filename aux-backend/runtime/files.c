#include "runtime/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/shown.h"

#define DESCRIPTORS_MAX 4096 /* beyond that there are sockets and devices */

int macs_files_hold(const char *path) {
    struct stat file;
    return stat(path, &file) || !S_ISREG(file.st_mode) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
}

/* Standard streams may be the same file, and the log may be one of them: it is appended to. */
static bool may_share(int writer, int other) {
    return other <= STDERR_FILENO && (writer <= STDERR_FILENO || (fcntl(writer, F_GETFL) & O_APPEND));
}

static void tell(int descriptor) {
    char link[32], path[4096] = "";
    snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
    if (readlink(link, path, sizeof(path) - 1) < 0)
        path[0] = '\0';
    macs_tell(stderr, "error: the file '%s' would be written and is used for something else, too\n", path);
}

bool macs_files_apart(void) {
    struct stat file, other;
    for (int writer = 0; writer < DESCRIPTORS_MAX; writer++) {
        /* open for reading and writing: shared memory, not a file of ours */
        const int flags = fcntl(writer, F_GETFL);
        if (flags < 0 || (flags & O_ACCMODE) != O_WRONLY || fstat(writer, &file) || !S_ISREG(file.st_mode))
            continue;
        for (int used = 0; used < DESCRIPTORS_MAX; used++) {
            if (used == writer || fcntl(used, F_GETFD) < 0 || fstat(used, &other) || may_share(writer, used) ||
                (used > STDERR_FILENO && may_share(used, writer)))
                continue;
            if (file.st_dev == other.st_dev && file.st_ino == other.st_ino) {
                tell(writer);
                return false;
            }
        }
    }
    return true;
}
