/* Test of when clients are told of entries that nothing has hit: once a period, or, where one of them does not read,
 * once that one has been waited for long enough; and of who makes workers ring. Linked with the runtime. Prints ok, or
 * what was wrong. */
#include <macs/qsbr.h>
#include <string.h>

#include "check.h"
#include "control/pushes.h"
#include "control/server.h"
#include "runtime/ages.h"
#include "tables/exact/exact_hash.h"

#define PERIOD_NS UINT64_C(100000000)
#define PATIENCE_NS UINT64_C(5000000000)
#define HALF (MACS_CLIENT_UNREAD_MAX / 2)

enum { SIZE = 64 };

static const struct macs_key_field field = {"key", 32, 0, MACS_EXACT, 0};
static const struct macs_action_desc action = {"a", NULL, 0, MACS_ANYWHERE};
static const struct macs_entry nothing;
static struct macs_table_desc desc = {
    .name = "t",
    .fields = &field,
    .actions = &action,
    .ops = &macs_exact_hash_ops,
    .default_value = &nothing,
    .shape = {.key_bytes = 4, .prefix_offset = 4, .value_bytes = sizeof(nothing), .size = SIZE},
    .field_count = 1,
    .action_count = 1,
    .ages = true};
static struct macs_table table;
const struct macs_program macs_program = {
    .table_count = 1, .table_descs = &desc, .tables = &table, .state_bytes = sizeof(struct macs_packet)};
static struct macs_switch sw; /* much of it is not used */
static struct macs_console console;
static struct macs_server server = {.console = &console};
static struct macs_client *reader, *slow;

/* Another entry that is to be told of. */
static void add(void) {
    static uint8_t key[4], ones[4] = {0xff, 0xff, 0xff, 0xff};
    const struct macs_match match = {.value = key, .mask = ones, .high = key, .prefix_bits = 32};
    uint64_t handle;
    key[3]++;
    CHECK(!macs_entries_add(&console.tables[0], &match, &nothing, &handle));
    macs_ages_limit(table.ages, macs_entries_index_of(&console.tables[0], handle), 1);
}

/* So many bytes wait for a client. */
static void wait_unread(struct macs_client *client, size_t bytes) {
    client->out.length = client->out_sent = 0;
    CHECK(macs_bytes_reserve(&client->out, bytes + 1));
    memset(client->out.data, 0, bytes);
    client->out.length = bytes;
}

/* How many entries a client is told of, of those that wait, when entries were looked at last that long ago; `before`:
 * bytes that wait for the slow one. -1: it took longer than `most`. */
static int told(uint64_t since_ns, size_t before, uint64_t most_ns, int *slow_told) {
    wait_unread(slow, before);
    reader->out.length = reader->out_sent = 0;
    const uint64_t begun_ns = macs_switch_now(&sw);
    server.ages_ns = begun_ns - since_ns;
    macs_pushes_send(&server);
    const bool late = macs_switch_now(&sw) - begun_ns >= most_ns;
    int counts[2] = {0};
    const struct macs_bytes *outs[2] = {&reader->out, &slow->out};
    for (unsigned i = 0; i < 2; i++) {
        const size_t at = i ? before : 0;
        if (outs[i]->length == at)
            continue;
        CHECK(outs[i]->data[at + 4] == MACS_MESSAGE_IDLE && outs[i]->data[at + 5] == MACS_STATUS_OK);
        CHECK(macs_get_u16(outs[i]->data + at + 6) == 0); /* whatever the client has asked last */
        counts[i] = (int)macs_get_u32(outs[i]->data + at + MACS_MESSAGE_HEAD + 2);
    }
    *slow_told = counts[1];
    return late ? -1 : counts[0];
}

static bool wanted(void) {
    macs_pushes_want(&server);
    return atomic_load(&sw.bell.wanted);
}

static void rings(void) {
    CHECK(!wanted());
    server.tracer = slow;
    CHECK(wanted());
    server.tracer = NULL;
    console.learns = true;
    CHECK(wanted());
    console.learns = false;
    sw.port_count = 2;
    server.takers[1] = slow;
    CHECK(wanted());
    macs_pushes_forget(&server, reader);
    CHECK(atomic_load(&sw.bell.wanted));
    macs_pushes_forget(&server, slow);
    CHECK(!atomic_load(&sw.bell.wanted));
    sw.port_count = 0;
    slow->subscribed = MACS_SUBSCRIBE_DIGESTS;
    CHECK(wanted());
    slow->subscribed = 0;
    CHECK(!wanted());
}

static void idle(void) {
    const uint8_t to_idle = MACS_SUBSCRIBE_IDLE;
    int others;
    add();
    CHECK(told(PATIENCE_NS, 0, UINT64_MAX, &others) == 0); /* nobody has subscribed: it waits */
    CHECK(macs_pushes_subscribe(&server, reader, &to_idle, 1) && atomic_load(&sw.bell.wanted));
    CHECK(told(PERIOD_NS, 0, UINT64_MAX, &others) == 1 && !others);
    CHECK(told(PERIOD_NS, 0, UINT64_MAX, &others) == 0 && !others);
    add();
    CHECK(told(PERIOD_NS / 2, 0, PERIOD_NS / 2, &others) <= 0);
    add();
    CHECK(told(PERIOD_NS, MACS_CLIENT_UNREAD_MAX, UINT64_MAX, &others) > 0 && !others); /* it has not subscribed */
    CHECK(macs_pushes_subscribe(&server, slow, &to_idle, 1));
    add();
    CHECK(told(PERIOD_NS, HALF - 1, UINT64_MAX, &others) == 1 && others == 1);
    add();
    CHECK(told(PERIOD_NS * 2, HALF, PERIOD_NS, &others) <= 0 && !others);
    CHECK(told(PATIENCE_NS - PERIOD_NS * 10, HALF, PERIOD_NS * 10, &others) <= 0);
    add();
    CHECK(told(PATIENCE_NS, HALF, UINT64_MAX, &others) >= 1 && others >= 1);
    add();
    CHECK(told(PATIENCE_NS, MACS_CLIENT_UNREAD_MAX - 1, UINT64_MAX, &others) == 1 && others == 1);
    add();
    CHECK(told(PATIENCE_NS, MACS_CLIENT_UNREAD_MAX, UINT64_MAX, &others) == 1 && !others); /* lost to it */
    CHECK(told(PATIENCE_NS, 0, UINT64_MAX, &others) == 0 && !others);
    add();
    desc.deletes = true; /* the switch deletes it: nobody is asked to */
    CHECK(told(PATIENCE_NS, 0, UINT64_MAX, &others) == 0 && !others);
    desc.deletes = false;
    CHECK(told(PERIOD_NS, 0, UINT64_MAX, &others) == 1 && others == 1);
}

/* --- frames --- */

enum { FRAMES = 400, FRAME_BYTES = 9000, PORT = 300, STEP = 256 << 10 };

static odp_pool_t pool;

static void send_frame(uint16_t port, uint16_t number) {
    const uint8_t begin[2] = {(uint8_t)(number >> 8), (uint8_t)number};
    odp_packet_t packet = odp_packet_alloc(pool, FRAME_BYTES);
    CHECK(packet != ODP_PACKET_INVALID && !odp_packet_copy_from_mem(packet, 0, sizeof(begin), begin));
    macs_packet_of(packet)->egress_port = port;
    CHECK(macs_ctl_send(&sw.ctl_pushed, &packet, 1) == 1);
}

/* Read all that waits for a client: frames of that port, whose numbers go on from *number in such steps. */
static void read_frames(struct macs_client *client, uint16_t port, uint16_t *number, uint16_t by) {
    const uint8_t *at = client->out.data, *end = at + client->out.length;
    while (at < end) {
        const uint8_t *next = at + MACS_MESSAGE_HEAD + macs_get_u32(at);
        CHECK(at[4] == MACS_MESSAGE_FRAMES && next <= end && next - at <= STEP + FRAME_BYTES + 14);
        for (at += MACS_MESSAGE_HEAD; at < next; at += 6 + FRAME_BYTES, *number = (uint16_t)(*number + by))
            CHECK(macs_get_u16(at) == port && macs_get_u32(at + 2) == FRAME_BYTES && macs_get_u16(at + 6) == *number);
        CHECK(at == next);
    }
    client->out.length = client->out_sent = 0;
}

/* All packets of the pool are free. */
static void check_pool(void) {
    odp_packet_t packets[FRAMES];
    CHECK(odp_packet_alloc_multi(pool, FRAME_BYTES, packets, FRAMES) == FRAMES);
    odp_packet_free_multi(packets, FRAMES);
}

static void frames(void) {
    odp_pool_param_t param;
    odp_pool_param_init(&param);
    param.type = ODP_POOL_PACKET;
    param.pkt.num = FRAMES;
    param.pkt.len = param.pkt.seg_len = FRAME_BYTES;
    param.pkt.uarea_size = sizeof(struct macs_packet);
    CHECK((pool = odp_pool_create("frames", &param)) != ODP_POOL_INVALID);
    sw.port_count = 3;
    for (uint16_t slot = 0; slot < 3; slot++)
        sw.slot_of[PORT + slot] = (uint8_t)(slot + 1);
    server.takers[0] = reader;
    server.takers[1] = slow; /* nobody gets those of the third */
    reader->out.length = slow->out.length = 0;
    CHECK(!macs_pushes_wait(&server));
    for (uint16_t i = 0; i < FRAMES; i++)
        send_frame(PORT, i);
    uint16_t number = 0;
    for (unsigned turns = 0; number < FRAMES; turns++) {
        CHECK(turns < 4 && macs_pushes_wait(&server));
        macs_pushes_send(&server);
        const size_t waits = macs_client_waiting(reader);
        CHECK(waits < MACS_CLIENT_UNREAD_MAX + STEP + 2 * FRAME_BYTES && !macs_client_waiting(slow));
        CHECK(!macs_pushes_wait(&server)); /* there are no more, or the client reads first */
        macs_pushes_send(&server);
        CHECK(macs_client_waiting(reader) == waits);
        read_frames(reader, PORT, &number, 1);
    }
    check_pool();
    for (uint16_t i = 0; i < 90; i++)
        send_frame((uint16_t)(PORT + i % 3), i);
    macs_pushes_send(&server);
    uint16_t of_reader = 0, of_slow = 1;
    read_frames(reader, PORT, &of_reader, 3);
    read_frames(slow, PORT + 1, &of_slow, 3);
    CHECK(of_reader == 90 && of_slow == 91);
    check_pool();
    server.takers[0] = server.takers[1] = NULL;
    sw.port_count = 0;
    CHECK(!odp_pool_destroy(pool));
}

int main(void) {
    odp_instance_t instance;
    CHECK(!odp_init_global(&instance, NULL, NULL) && !odp_init_local(instance, ODP_THREAD_CONTROL));
    sw.start = odp_time_global();
    sw.bell.heard = -1;
    CHECK(!macs_qsbr_create(&sw.qsbr));
    CHECK(!macs_ctl_out_open(&sw.ctl_pushed, "pushed", &sw.log));
    sw.program = &macs_program;
    CHECK(!macs_table_init(&table, &desc, sw.qsbr) && (table.ages = macs_ages_create(SIZE)));
    CHECK(!macs_console_init(&console, &sw, &macs_program));
    CHECK((reader = server.clients[3] = macs_client_create(-1)));
    CHECK((slow = server.clients[MACS_CLIENTS_MAX - 1] = macs_client_create(-1)));
    reader->tag = slow->tag = 7;
    rings();
    idle();
    frames();
    macs_client_destroy(reader);
    macs_client_destroy(slow);
    macs_console_fini(&console);
    macs_table_close(&table);
    macs_ages_destroy(table.ages);
    macs_ctl_out_close(&sw.ctl_pushed);
    macs_qsbr_destroy(sw.qsbr);
    CHECK(!odp_term_local() && !odp_term_global(instance));
    puts("ok");
    return 0;
}
