#include "switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/script.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static void start(struct door *door) {
    char *arguments[] = {"door", "--port=0=ctl:", "--port=1=ctl:", "--port=2=ctl:", "--port=3=ctl:", "--buffers=4096"};
    struct macs_options options;
    CHECK(macs_options_parse(&options, sizeof(arguments) / sizeof(*arguments), arguments, "door") == MACS_OPTIONS_RUN);
    CHECK(macs_switch_create(&door->sw, &macs_program, &options) == 0);
    for (unsigned slot = 0; slot < door->sw->port_count; slot++)
        CHECK(macs_port_start(&door->sw->ports[slot], &door->sw->log) == 0);
    CHECK(macs_console_init(&door->console, door->sw, door->sw->program) == 0);
    const char *entries = getenv("MACSAD_DOOR_ENTRIES");
    CHECK(!entries || macs_script_run_file(&door->console, entries, -1) == 0);
}

struct door *door(void) {
    static struct door made;
    if (!made.sw)
        start(&made);
    return &made;
}

bool door_changes_ports(const uint8_t *data, size_t size) {
    return memmem(data, size, "port_", 5) != NULL;
}

void door_work(struct door *door, uint32_t burst, uint32_t sub_batch) {
    struct macs_switch *sw = door->sw;
    struct macs_thread *thread = sw->workers[0];
    macs_qsbr_online(sw->qsbr, thread->reader);
    unsigned received;
    do {
        received = 0;
        for (unsigned i = 0; i < thread->input_count; i++) {
            thread->worker.burst = burst;
            thread->worker.sub_batch = sub_batch;
            received += macs_datapath_poll(thread, &thread->inputs[i]);
        }
        macs_datapath_drain(thread);
        macs_qsbr_quiescent(sw->qsbr, thread->reader);
        for (odp_packet_t sent; (sent = macs_ctl_collect(&sw->ctl_out)) != ODP_PACKET_INVALID;)
            odp_packet_free(sent);
    } while (received);
    macs_qsbr_offline(thread->reader);
    struct macs_stats_sum sum;
    macs_stats_sum(sw, &sum);
    CHECK(sum.received + sum.copies == sum.sent + sum.dropped);
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        CHECK(macs_ctl_settled(&sw->ports[slot]));
}

static void run(struct door *door, const char *command, const char *name) {
    char *words[] = {(char *)(uintptr_t)command, (char *)(uintptr_t)name};
    struct macs_progress progress = {0};
    struct macs_text answer = {0};
    int status;
    do {
        macs_console_begin_slice(&door->console);
        status = macs_console_do(&door->console, &progress, 2, words, &answer);
    } while (status == MACS_AGAIN);
    CHECK(status == 0);
    macs_text_free(&answer);
}

void door_clear(struct door *door) {
    door->console.quit = false;
    for (unsigned i = 0; i < door->sw->program->table_count; i++) {
        const struct macs_table_desc *desc = &door->sw->program->table_descs[i];
        if (!desc->const_entries)
            run(door, desc->value_set ? "pvs_clear" : "table_clear", desc->name);
    }
}
