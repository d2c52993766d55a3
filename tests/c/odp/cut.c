/* Finishes frames from the standard input as a port would, for tests that know what must come of them.
 *
 * Argument: "cut"; "guess"; "complete", the checksum that the header tells of; or "fuzz", which cuts and guesses each
 * frame with random bytes changed and writes nothing.
 * Input: records of length (4 bytes, this machine's order), virtio_net_hdr (10 bytes, likewise), frame. Output: for
 * each record its results, each a length and a frame, and a length of 0. */
#include "check.h"
#include "packet/offload.h"

static struct macs_odp_super super;

static void put(const uint8_t *frame, uint32_t len) {
    CHECK(fwrite(&len, sizeof(len), 1, stdout) == 1 && fwrite(frame, 1, len, stdout) == len);
}

static void cut(const struct virtio_net_hdr *header, bool show) {
    if (macs_odp_super_start(&super, header) != 0)
        CHECK(!macs_odp_super_pending(&super));
    while (macs_odp_super_pending(&super)) {
        uint32_t len = macs_odp_super_next_len(&super);
        uint8_t *segment = malloc(len); /* of its own, so that a sanitizer sees the end */
        CHECK(segment != NULL);
        macs_odp_super_next(&super, segment);
        if (show)
            put(segment, len);
        free(segment);
    }
}

/* Without a header: nobody tells which checksum is open. */
static void complete(const struct virtio_net_hdr *header, uint32_t len, bool show) {
    uint8_t *frame = malloc(len + 1);
    CHECK(frame != NULL);
    memcpy(frame + 1, super.frame, len);
    if (header == NULL)
        macs_odp_checksum_guess(frame + 1, len);
    else
        macs_odp_checksum_complete(frame + 1, len, header->csum_start, header->csum_offset);
    if (show)
        put(frame + 1, len);
    free(frame);
}

static uint32_t next_random(void) {
    static uint32_t state = 1;
    return (state = state * 1664525u + 1013904223u) >> 8;
}

static void fuzz(const struct virtio_net_hdr *header, uint32_t whole) {
    static uint8_t frame[MACS_ODP_SUPER_MAX];
    memcpy(frame, super.frame, whole);
    for (int round = 0; round < 3000; round++) {
        struct virtio_net_hdr changed = *header;
        uint32_t len = round % 4 == 0 ? next_random() % (whole + 1) : whole;
        memcpy(super.frame, frame, whole);
        for (uint32_t count = next_random() % 4, i = 0; i < count; i++)
            super.frame[next_random() % whole % 120] = (uint8_t)next_random();
        if (round % 8 == 0)
            changed.flags = 0;
        if (round % 16 == 1)
            changed.csum_start = (uint16_t)(next_random() % 200);
        super.len = 0;
        complete(NULL, len, false);
        super.len = len;
        cut(&changed, false);
    }
}

int main(int argc, char **argv) {
    struct virtio_net_hdr header;
    uint32_t len, end = 0;
    CHECK(argc == 2);
    while (fread(&len, sizeof(len), 1, stdin) == 1) {
        CHECK(len <= sizeof(super.frame) && fread(&header, sizeof(header), 1, stdin) == 1);
        CHECK(fread(super.frame, 1, len, stdin) == len);
        super.len = len;
        if (strcmp(argv[1], "fuzz") == 0) {
            fuzz(&header, len);
            continue;
        }
        if (strcmp(argv[1], "cut") == 0)
            cut(&header, true);
        else
            complete(strcmp(argv[1], "complete") == 0 ? &header : NULL, len, true);
        CHECK(fwrite(&end, sizeof(end), 1, stdout) == 1);
    }
    return 0;
}
