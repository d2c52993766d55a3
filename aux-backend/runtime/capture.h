/* Captures: what each port receives and sends, in pcap files, for as long as the switch runs (--pcap DIR).
 *
 * Files are NAME_in.pcap and NAME_out.pcap, NAME that of the port's interface. What is in them is what workers have
 * received, and what ports have taken. A burst is on its way to the file before it is processed or forgotten: a switch
 * that is killed loses nothing of it. Frames that cannot be written are counted.
 * Threads: workers write, and wait for each other; the control thread opens and closes.
 */
#ifndef MACS_RUNTIME_CAPTURE_H
#define MACS_RUNTIME_CAPTURE_H

#include <odp_api.h>
#include <stdatomic.h>
#include <stdint.h>

#include "runtime/options.h"

enum macs_direction { MACS_IN, MACS_OUT, MACS_DIRECTIONS };

struct macs_capture {
    const char *folder;
    int files[MACS_PORTS_MAX][MACS_DIRECTIONS];
    _Atomic uint64_t lost; /* frames */
};

/* Frames of a burst as they will be in a file. They are taken before a port is given them, and written when it is known
 * how many it has taken. */
struct macs_captured {
    uint8_t *bytes;
    size_t ends[256]; /* behind each */
    unsigned count;
};

/* 0 or -ENOMEM. */
int macs_capture_create(struct macs_capture **created, const char *folder);
void macs_capture_destroy(struct macs_capture *capture);

/* Open the files of a port, as they are: 0 or -errno. */
int macs_capture_open(struct macs_capture *capture, unsigned slot, unsigned number, const char *name);

/* Empty them, when they are known not to be files of something else: 0 or -errno. */
int macs_capture_begin(struct macs_capture *capture, unsigned slot);
void macs_capture_close(struct macs_capture *capture, unsigned slot);

/* Frames, at most 256. */
struct macs_captured macs_capture_take(const odp_packet_t packets[], unsigned count);

/* Write the first so many of them, and forget all. */
void macs_capture_write(struct macs_capture *capture, unsigned slot, enum macs_direction direction,
                        struct macs_captured *captured, unsigned count);

#endif
