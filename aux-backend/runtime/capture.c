#include "runtime/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES 4096u

struct file_head {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t zone, accuracy, longest, link;
};

struct record {
    uint32_t seconds, microseconds, kept, length;
};

int macs_capture_create(struct macs_capture **created, const char *folder) {
    struct macs_capture *capture = malloc(sizeof(*capture));
    if (!capture)
        return -ENOMEM;
    capture->folder = folder;
    atomic_init(&capture->lost, 0);
    for (unsigned slot = 0; slot < MACS_PORTS_MAX; slot++)
        capture->files[slot][MACS_IN] = capture->files[slot][MACS_OUT] = -1;
    *created = capture;
    return 0;
}

void macs_capture_destroy(struct macs_capture *capture) {
    for (unsigned slot = 0; capture && slot < MACS_PORTS_MAX; slot++)
        macs_capture_close(capture, slot);
    free(capture);
}

/* All of it; false: not all could be written. */
static bool write_all(int file, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    while (count) {
        const ssize_t written = write(file, at, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}

/* The interface of a port: what stands behind its driver; a port without a name by its number. */
static void name_file(char path[], const struct macs_capture *capture, unsigned number, const char *name,
                      const char *direction) {
    char kept[256];
    const char *behind = strrchr(name, ':');
    snprintf(kept, sizeof(kept), "%s", behind ? behind + 1 : name);
    for (char *at = kept; *at; at++)
        *at = *at == '/' || *at == ',' ? '_' : *at;
    if (kept[0])
        snprintf(path, PATH_BYTES, "%s/%s_%s.pcap", capture->folder, kept, direction);
    else
        snprintf(path, PATH_BYTES, "%s/port%u_%s.pcap", capture->folder, number, direction);
}

int macs_capture_open(struct macs_capture *capture, unsigned slot, unsigned number, const char *name) {
    static const char *const directions[] = {[MACS_IN] = "in", [MACS_OUT] = "out"};
    for (unsigned direction = 0; direction < MACS_DIRECTIONS; direction++) {
        char path[PATH_BYTES];
        name_file(path, capture, number, name, directions[direction]);
        const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        capture->files[slot][direction] = file;
        if (file < 0) {
            const int error = errno;
            macs_capture_close(capture, slot);
            return -error;
        }
    }
    return 0;
}

/* A pipe, or a terminal, is as it is. */
static bool empty(int file) {
    struct stat found;
    return fstat(file, &found) == 0 && (!S_ISREG(found.st_mode) || ftruncate(file, 0) == 0);
}

int macs_capture_begin(struct macs_capture *capture, unsigned slot) {
    const struct file_head head = {.magic = 0xa1b2c3d4, .major = 2, .minor = 4, .longest = 262144, .link = 1};
    for (unsigned direction = 0; direction < MACS_DIRECTIONS; direction++) {
        const int file = capture->files[slot][direction];
        if (!empty(file) || !write_all(file, &head, sizeof(head)))
            return -errno;
    }
    return 0;
}

void macs_capture_close(struct macs_capture *capture, unsigned slot) {
    for (unsigned direction = 0; direction < MACS_DIRECTIONS; direction++) {
        if (capture->files[slot][direction] >= 0)
            close(capture->files[slot][direction]);
        capture->files[slot][direction] = -1;
    }
}

struct macs_captured macs_capture_take(const odp_packet_t packets[], unsigned count) {
    struct macs_captured captured = {.count = count};
    struct timespec now;
    size_t total = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    for (unsigned i = 0; i < count; i++)
        captured.ends[i] = total += sizeof(struct record) + odp_packet_len(packets[i]);
    captured.bytes = malloc(total);
    for (unsigned i = 0; captured.bytes && i < count; i++) {
        const uint32_t length = odp_packet_len(packets[i]);
        const struct record record = {(uint32_t)now.tv_sec, (uint32_t)(now.tv_nsec / 1000), length, length};
        uint8_t *place = captured.bytes + captured.ends[i] - length;
        memcpy(place - sizeof(record), &record, sizeof(record));
        odp_packet_copy_to_mem(packets[i], 0, length, place);
    }
    return captured;
}

/* A write appends as a whole, so that frames of several workers do not mix. */
void macs_capture_write(struct macs_capture *capture, unsigned slot, enum macs_direction direction,
                        struct macs_captured *captured, unsigned count) {
    const int file = capture->files[slot][direction];
    if (count && (!captured->bytes || file < 0 || !write_all(file, captured->bytes, captured->ends[count - 1])))
        atomic_fetch_add_explicit(&capture->lost, count, memory_order_relaxed);
    free(captured->bytes);
}
