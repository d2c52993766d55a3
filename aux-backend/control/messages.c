#include "control/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/describe.h"
#include "control/learned.h"
#include "control/protocol.h"
#include "control/pushes.h"
#include "control/reads.h"
#include "control/traces.h"
#include "control/script.h"
#include "control/updates.h"
#include "runtime/adapt.h"
#include "runtime/queues.h"
#include "runtime/rest.h"
#include "runtime/steering.h"

#define HOLD_NS UINT64_C(1000000000) /* that workers rest at most */

static void reply(struct macs_client *client, uint8_t type, uint8_t status, const void *payload, size_t length) {
    macs_client_send(client, type, status, client->tag, payload, length);
}

static void reply_text(struct macs_client *client, uint8_t type, uint8_t status, const struct macs_text *text) {
    reply(client, type, status, text->data ? text->data : "", text->length);
}

static void wrong(struct macs_client *client, uint8_t type, const char *why) {
    reply(client, type, MACS_STATUS_WRONG, why, strlen(why));
}

/* Of the program that the client asks for. */
static struct macs_console *console_for(const struct macs_server *server, const struct macs_client *client) {
    struct macs_console *next = server->console->next;
    return client->of_next && next ? next : server->console;
}

/* Say at its end that an answer is not whole. */
static void tell_cut(struct macs_text *answer) {
    static const char told[] = "(cut)\n";
    const size_t length = sizeof(told) - 1;
    if (!answer->cut)
        return;
    answer->cut = false;
    if (answer->length > MACS_TEXT_MAX - length)
        answer->length = MACS_TEXT_MAX - length;
    macs_text_bytes(answer, told, length);
}

static bool command(struct macs_server *server, struct macs_client *client) {
    struct macs_client_request *request = &client->request;
    int status = request->one_line ? macs_console_do(console_for(server, client), &request->progress,
                                                     request->word_count, request->words, &request->answer)
                                   : macs_text_fail(&request->answer, "a command is one line of text");
    if (status == MACS_AGAIN)
        return false;
    tell_cut(&request->answer);
    reply_text(client, MACS_MESSAGE_COMMAND, status ? MACS_STATUS_FAILED : MACS_STATUS_OK, &request->answer);
    return true;
}

static bool bulk(struct macs_server *server, struct macs_client *client) {
    struct macs_script *script = &client->request.script;
    struct macs_text *answer = &client->request.answer;
    if (!client->request.length) {
        wrong(client, MACS_MESSAGE_BULK, "no flags");
        return true;
    }
    if (macs_script_run(script, console_for(server, client), answer))
        return false;
    macs_script_finish(script, answer);
    tell_cut(answer);
    if (!answer->data) {
        wrong(client, MACS_MESSAGE_BULK, "no memory");
        return true;
    }
    macs_put_u32((uint8_t *)answer->data, script->done);
    macs_put_u32((uint8_t *)answer->data + 4, script->failed);
    reply_text(client, MACS_MESSAGE_BULK, script->failed ? MACS_STATUS_FAILED : MACS_STATUS_OK, answer);
    return true;
}

/* A frame into a `ctl:` port, for the worker that it is for. */
static int inject_frame(struct macs_switch *sw, struct macs_port *port, const uint8_t *frame, uint32_t bytes) {
    odp_packet_t packet;
    const int status = macs_ctl_packet(port, sw->pool, frame, bytes, &packet);
    return status ? status : macs_ctl_inject(port, packet, sw->steered ? macs_steering_worker(sw, packet) : 0);
}

static void inject(struct macs_server *server, struct macs_client *client, const uint8_t *payload, size_t length) {
    struct macs_switch *sw = server->console->sw;
    struct macs_port *port = length >= 2 ? macs_switch_port(sw, macs_get_u16(payload)) : NULL;
    if (!port || !port->ctl) {
        wrong(client, MACS_MESSAGE_INJECT, "not the number of a ctl: port");
        return;
    }
    uint32_t accepted = 0;
    int status = 0;
    for (size_t at = 2; at < length && !status; accepted += !status) {
        uint32_t bytes = length - at >= 4 ? macs_get_u32(payload + at) : 0;
        if (length - at < 4 || bytes > length - at - 4) {
            wrong(client, MACS_MESSAGE_INJECT, "a frame is cut off");
            return;
        }
        status = inject_frame(sw, port, payload + at + 4, bytes);
        at += 4 + bytes;
    }
    if (status == -EMSGSIZE) {
        wrong(client, MACS_MESSAGE_INJECT, "a frame is empty or longer than the switch's packets");
        return;
    }
    uint8_t count[4];
    macs_put_u32(count, accepted);
    reply(client, MACS_MESSAGE_INJECT, MACS_STATUS_OK, count, sizeof(count));
}

static void set_batch(struct macs_server *server, struct macs_client *client, const uint8_t *payload, size_t length) {
    struct macs_switch *sw = server->console->sw;
    if (length != 4 || macs_adapt_overrule(sw, macs_get_u16(payload), macs_get_u16(payload + 2))) {
        wrong(client, MACS_MESSAGE_SET, "burst and sub-batch are two numbers of 16 bits, at most 256");
        return;
    }
    uint32_t burst, sub_batch;
    uint8_t now[4];
    macs_switch_get_batch(sw, &burst, &sub_batch);
    macs_put_u16(now, (uint16_t)burst);
    macs_put_u16(now + 2, (uint16_t)sub_batch);
    reply(client, MACS_MESSAGE_SET, MACS_STATUS_OK, now, sizeof(now));
}

static void json(struct macs_server *server, struct macs_client *client, uint8_t type, bool of_next) {
    const struct macs_console *console = of_next ? server->console->next : console_for(server, client);
    struct macs_text *answer = &client->request.answer;
    macs_text_clear(answer);
    if (!console) {
        wrong(client, type, "no program is loaded");
        return;
    }
    if (type == MACS_MESSAGE_STATS)
        macs_describe_stats(console->sw, answer);
    else
        macs_describe_program(console->sw, console->program, answer);
    reply_text(client, type, MACS_STATUS_OK, answer);
}

/* Changes; a message that is not whole does nothing. */
static bool update(struct macs_server *server, struct macs_client *client) {
    struct macs_client_request *request = &client->request;
    if (!request->progress.begun) {
        const char *why = macs_updates_begin(request);
        if (why) {
            wrong(client, MACS_MESSAGE_UPDATE, why);
            return true;
        }
        request->progress.begun = true;
    }
    if (!macs_updates_run(console_for(server, client), request))
        return false;
    if (request->answer.cut)
        wrong(client, MACS_MESSAGE_UPDATE, "no memory");
    else
        reply_text(client, MACS_MESSAGE_UPDATE, MACS_STATUS_OK, &request->answer);
    return true;
}

static void read_part(struct macs_server *server, struct macs_client *client, const uint8_t *payload, size_t length) {
    struct macs_bytes answer = {0};
    const char *why;
    enum macs_message_status status = macs_reads_do(console_for(server, client), payload, length, &answer, &why);
    if (why)
        wrong(client, MACS_MESSAGE_READ, why);
    else
        reply(client, MACS_MESSAGE_READ, (uint8_t)status, answer.data, answer.length);
    free(answer.data);
}

static void begin_command(struct macs_client_request *request) {
    char *line = (char *)request->payload;
    request->progress = (struct macs_progress){0};
    request->one_line = !memchr(line, 0, request->length) && !memchr(line, '\n', request->length);
    if (!request->one_line)
        return;
    line[request->length] = 0;
    request->word_count = macs_console_cut(line, request->words);
}

static void begin_bulk(struct macs_client_request *request) {
    static const char counts[8] = {0};
    const uint8_t flags = request->length ? request->payload[0] : 0;
    request->script =
        (struct macs_script){.keep_going = flags & MACS_BULK_CONTINUE, .answers = flags & MACS_BULK_ANSWERS};
    macs_text_clear(&request->answer);
    macs_text_bytes(&request->answer, counts, sizeof(counts));
    if (request->length)
        macs_script_give(&request->script, (char *)request->payload + 1, request->length - 1);
}

static void trace(struct macs_server *server, struct macs_client *client, const uint8_t *payload, size_t length) {
    static const char busy[] = "another client traces, or a worker hangs";
    struct macs_trace_filter filter;
    if (length && !macs_traces_filter(payload, length, &filter)) {
        wrong(client, MACS_MESSAGE_TRACE, "not a filter");
        return;
    }
    const bool fine = length ? macs_traces_start(server, client, &filter) : macs_traces_stop(server, client);
    macs_pushes_want(server);
    reply(client, MACS_MESSAGE_TRACE, fine ? MACS_STATUS_OK : MACS_STATUS_FAILED, busy, fine ? 0 : sizeof(busy) - 1);
}

static void of_next(struct macs_client *client, const uint8_t *payload, size_t length) {
    if (length != 1 || payload[0] > 1) {
        wrong(client, MACS_MESSAGE_NEXT, "one byte, 1 or 0, is needed");
        return;
    }
    client->of_next = payload[0];
    reply(client, MACS_MESSAGE_NEXT, MACS_STATUS_OK, NULL, 0);
}

/* Workers rest, or go on. FAILED: they do not, or went on meanwhile. */
static void hold(struct macs_server *server, struct macs_client *client, const uint8_t *payload, size_t length) {
    static const char busy[] = "a worker does not rest, or they rest for another client",
                      over[] = "workers went on meanwhile";
    struct macs_switch *sw = server->console->sw;
    if (length != 1 || payload[0] > 1) {
        wrong(client, MACS_MESSAGE_HOLD, "one byte, 1 or 0, is needed");
    } else if (payload[0]) {
        const bool held = !server->holder && !macs_rest_begin(sw);
        server->holder = held ? client : server->holder;
        server->hold_end_ns = held ? macs_switch_now(sw) + HOLD_NS : server->hold_end_ns;
        reply(client, MACS_MESSAGE_HOLD, held ? MACS_STATUS_OK : MACS_STATUS_FAILED, busy, held ? 0 : sizeof(busy) - 1);
    } else {
        const bool held = server->holder == client;
        if (held)
            macs_message_end_hold(server, client);
        reply(client, MACS_MESSAGE_HOLD, held ? MACS_STATUS_OK : MACS_STATUS_FAILED, over, held ? 0 : sizeof(over) - 1);
    }
}

void macs_message_end_hold(struct macs_server *server, const struct macs_client *gone) {
    struct macs_switch *sw = server->console->sw;
    if (!server->holder || (server->holder != gone && macs_switch_now(sw) < server->hold_end_ns))
        return;
    server->holder = NULL;
    macs_rest_end(sw);
}

void macs_message_begin(struct macs_client *client) {
    if (client->request.type == MACS_MESSAGE_COMMAND)
        begin_command(&client->request);
    if (client->request.type == MACS_MESSAGE_BULK)
        begin_bulk(&client->request);
    if (client->request.type == MACS_MESSAGE_UPDATE)
        client->request.progress = (struct macs_progress){0};
}

static bool handle(struct macs_server *server, struct macs_client *client);

/* The control plane sees what packets have added, and leaves room for what they will. */
bool macs_message_handle(struct macs_server *server, struct macs_client *client) {
    macs_learned_settle(console_for(server, client));
    const bool done = handle(server, client);
    macs_learned_settle(console_for(server, client));
    return done;
}

static bool handle(struct macs_server *server, struct macs_client *client) {
    const uint8_t *payload = client->request.payload;
    const size_t length = client->request.length;
    const uint8_t type = client->request.type;
    if (client != server->tracer &&
        (type == MACS_MESSAGE_COMMAND || type == MACS_MESSAGE_BULK || type == MACS_MESSAGE_UPDATE))
        server->changes++;
    switch (type) {
    case MACS_MESSAGE_COMMAND:
        return command(server, client);
    case MACS_MESSAGE_BULK:
        return bulk(server, client);
    case MACS_MESSAGE_UPDATE:
        return update(server, client);
    case MACS_MESSAGE_READ:
        read_part(server, client, payload, length);
        return true;
    case MACS_MESSAGE_INJECT:
        inject(server, client, payload, length);
        return true;
    case MACS_MESSAGE_COLLECT:
        client->collecting = true;
        macs_message_collect(server, client);
        return true;
    case MACS_MESSAGE_SUBSCRIBE:
        if (macs_pushes_subscribe(server, client, payload, length))
            reply(client, type, MACS_STATUS_OK, NULL, 0);
        else
            wrong(client, type, "not flags and numbers of ctl: ports");
        return true;
    case MACS_MESSAGE_STATS:
    case MACS_MESSAGE_DESCRIBE:
        json(server, client, type, length == 1 && payload[0] == MACS_UPDATE_NEXT);
        return true;
    case MACS_MESSAGE_SET:
        set_batch(server, client, payload, length);
        return true;
    case MACS_MESSAGE_HOLD:
        hold(server, client, payload, length);
        return true;
    case MACS_MESSAGE_TRACE:
        trace(server, client, payload, length);
        return true;
    case MACS_MESSAGE_NEXT:
        of_next(client, payload, length);
        return true;
    case MACS_MESSAGE_SHUTDOWN:
        server->console->quit = true;
        reply(client, type, MACS_STATUS_OK, NULL, 0);
        return true;
    default:
        wrong(client, type, "no message of this type");
        return true;
    }
}

static bool all_settled(const struct macs_switch *sw) {
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        if (macs_port_is_there(&sw->ports[slot]) && sw->ports[slot].ctl && !macs_ctl_settled(&sw->ports[slot]))
            return false;
    return !sw->queues || !atomic_load_explicit(&sw->queues->inside, memory_order_acquire);
}

void macs_message_collect(struct macs_server *server, struct macs_client *client) {
    struct macs_switch *sw = server->console->sw;
    if (!all_settled(sw))
        return;
    struct macs_bytes frames = {0};
    odp_packet_t packet = ODP_PACKET_INVALID;
    bool fine = true;
    /* Room for one more frame, however long. */
    bool room = true;
    while (fine && (room = frames.length < MACS_MESSAGE_MAX / 2) &&
           (packet = macs_ctl_collect(&sw->ctl_out)) != ODP_PACKET_INVALID)
        fine = macs_frame_put(&frames, packet);
    client->collecting = false;
    if (fine)
        reply(client, MACS_MESSAGE_COLLECT, room ? MACS_STATUS_OK : MACS_STATUS_MORE, frames.data, frames.length);
    else
        wrong(client, MACS_MESSAGE_COLLECT, "no memory");
    free(frames.data);
}
