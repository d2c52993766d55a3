/* A copy of a packet has the frame's bytes where the pool has put them, and the program's state, all of it and no
 * more; without memory there is none. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "runtime/copy.h"
#include "runtime/worker.h"

enum { STATE = 40, BEHIND = 8 };

static struct {
    struct macs_odp_packet head;
    struct macs_packet record;
    uint8_t state[STATE + BEHIND];
} made[2];
static uint8_t frame[100];
static odp_packet_t copied; /* what the pool gives */

odp_packet_t odp_packet_copy(odp_packet_t packet, odp_pool_t pool) {
    assert(packet == &made[0].head && pool == (odp_pool_t)frame);
    return copied;
}

int main(void) {
    static const struct macs_program program = {.state_bytes = sizeof(struct macs_packet) + STATE};
    static struct macs_switch sw = {.program = &program, .pool = (odp_pool_t)frame};
    static const struct macs_thread thread = {.sw = &sw};
    for (unsigned i = 0; i < 2; i++) {
        made[i].head = (struct macs_odp_packet){
            .data = frame + 10 * i, .len = 50 + 20 * i, .uarea_size = sizeof(made[0].record) + STATE};
        memset(&made[i].record, 0x11 + (int)i, sizeof(made[i].record) + STATE + BEHIND);
    }
    assert(macs_packet_of(&made[1].head) == &made[1].record);
    made[0].record.handle = &made[0].head;
    assert(macs_copy_packet(&thread, &made[0].record) == NULL); /* the pool is empty */
    copied = &made[1].head;
    struct macs_packet expected = made[0].record;
    expected.handle = copied;
    expected.data = frame + 10;
    expected.contiguous = 70;
    assert(macs_copy_packet(&thread, &made[0].record) == &made[1].record);
    assert(made[1].record.handle == expected.handle && made[1].record.data == expected.data);
    assert(!memcmp(&made[1].record, &expected, sizeof(expected)));
    for (unsigned i = 0; i < STATE + BEHIND; i++)
        assert(made[1].state[i] == (i < STATE ? 0x11 : 0x12) && made[0].state[i] == 0x11);
    puts("ok");
    return 0;
}
