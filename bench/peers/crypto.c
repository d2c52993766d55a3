/* A hand-written loop beside apps/l2fwd-crypto: what it does to a frame, no more, with the same cipher.
 *
 * It receives a burst, finds each frame's station by its destination and type, finds the session of the station's key,
 * sets the type, and gives the payloads to odp_crypto_op(), AT_ONCE in a call, which interleaves their chains. Both are
 * found by their whole keys, in rounds over the burst that prefetch for the next: stations come, go and get other keys
 * while frames flow. The first frame of a station enters it, as a control plane would. Other frames and actions, and
 * the control plane, are left out. Contest "ciphered", NUMBER: frames in a burst. Usage: crypto SOURCE SINK BUFFERS
 * LENGTH: the names of the ports, packets of the pool and the bytes of each.
 */
#include <macs/prefetch.h>
#include <odp_api.h>
#include <string.h>

#include "ports.h"
#include "probe.h"

enum { BURST_MAX = 256, ROUNDS = 64, BLOCK = 16, TYPE_AT = 12, IV_AT = 14, HEADERS = 32, AT_ONCE = 32 };
enum { PLACES_LOG2 = 12, PLACES = 1 << PLACES_LOG2, TYPE_PLAIN = 0xb5, TYPE_CIPHERED = 0xb6 };

/* No address is zero: it has the type. Two a line. */
struct station {
    _Alignas(32) uint64_t address;
    uint8_t key[BLOCK];
};
struct session {
    _Alignas(32) odp_crypto_session_t handle;
    uint8_t key[BLOCK];
    uint8_t way; /* 0: none is here */
};
enum { ENCRYPTS = 1, DECRYPTS = 2 };

/* What was found of a frame. */
struct work {
    uint64_t address;
    struct station *station;
    struct session *session;
    uint8_t way;
};

static struct ports ports;
static struct station stations[PLACES];
static struct session sessions[PLACES];
static uint64_t refused;

/* What one call of ODP is given. The vectors are copies, as the program's are. */
struct batch {
    odp_packet_t out[AT_ONCE];
    odp_crypto_packet_op_param_t params[AT_ONCE];
    uint8_t iv[AT_ONCE][BLOCK];
};

static uint32_t place_of(uint64_t number) {
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACES_LOG2));
}

static struct session *first_session(const uint8_t key[BLOCK], uint8_t way) {
    uint64_t words[2];
    memcpy(words, key, sizeof(words));
    return &sessions[place_of(words[0] ^ (words[1] << 32 | words[1] >> 32) ^ way)];
}

static bool serves(const struct session *session, const uint8_t key[BLOCK], uint8_t way) {
    return session->way == way && !memcmp(session->key, key, BLOCK);
}

/* The place of a session, or a free one for it: what is taken goes on with the next. */
static struct session *session_of(const uint8_t key[BLOCK], uint8_t way, struct session *first) {
    while (first->way && !serves(first, key, way))
        first = &sessions[(first - sessions + 1) % PLACES];
    return first;
}

static __attribute__((noinline, cold)) void make_session(struct session *made, uint8_t key[BLOCK], uint8_t way) {
    odp_crypto_session_param_t param;
    odp_crypto_ses_create_err_t status;
    odp_crypto_session_param_init(&param);
    param.op = way == ENCRYPTS ? ODP_CRYPTO_OP_ENCODE : ODP_CRYPTO_OP_DECODE;
    param.op_mode = ODP_CRYPTO_SYNC;
    param.cipher_alg = ODP_CIPHER_ALG_AES_CBC;
    param.cipher_key = (odp_crypto_key_t){.data = key, .length = BLOCK};
    param.cipher_iv_len = BLOCK;
    if (odp_crypto_session_create(&param, &made->handle, &status)) {
        fprintf(stderr, "there are more stations than sessions\n");
        exit(1);
    }
    memcpy(made->key, key, BLOCK);
    made->way = way;
}

static __attribute__((noinline, cold)) void enter_station(struct station *made, uint64_t address, uint8_t way) {
    static uint32_t entered;
    if (++entered > PLACES / 2) {
        fprintf(stderr, "there are more stations than entries\n");
        exit(1);
    }
    made->address = address;
    memset(made->key, 1, BLOCK);
    memcpy(made->key + 4, &entered, sizeof(entered));
    make_session(session_of(made->key, way, first_session(made->key, way)), made->key, way);
}

static void start(struct work *work, const uint8_t *frame) {
    uint16_t type;
    work->address = 0;
    memcpy(&work->address, frame, 6);
    memcpy(&type, frame + TYPE_AT, sizeof(type));
    work->address |= (uint64_t)type << 48;
    work->way = frame[TYPE_AT + 1] == TYPE_PLAIN ? ENCRYPTS : DECRYPTS;
    work->station = &stations[place_of(work->address)];
    macs_prefetch_to_read(work->station);
}

static void middle(struct work *work) {
    struct station *station = work->station;
    while (__builtin_expect(station->address != work->address, 0)) {
        if (station->address)
            station = &stations[(station - stations + 1) % PLACES];
        else
            enter_station(station, work->address, work->way);
    }
    work->station = station;
    work->session = first_session(station->key, work->way);
    macs_prefetch_to_read(work->session);
}

static void put(struct batch *batch, int at, odp_packet_t packet, const struct work *work) {
    uint8_t *frame = odp_packet_data(packet);
    memcpy(batch->iv[at], frame + IV_AT, BLOCK);
    frame[TYPE_AT + 1] = work->way == ENCRYPTS ? TYPE_CIPHERED : TYPE_PLAIN;
    batch->out[at] = ODP_PACKET_INVALID;
    batch->params[at] = (odp_crypto_packet_op_param_t){
        .session = session_of(work->station->key, work->way, work->session)->handle,
        .cipher_iv_ptr = batch->iv[at],
        .cipher_range = {.offset = HEADERS, .length = odp_packet_len(packet) - HEADERS},
    };
}

/* Replaces each packet by what ODP gives for it. */
static void cipher(odp_packet_t packets[], const struct work works[], int count) {
    struct batch batch;
    for (int i = 0; i < count; i++)
        put(&batch, i, packets[i], &works[i]);
    const int done = odp_crypto_op(packets, batch.out, batch.params, count);
    for (int i = 0; i < count; i++) {
        if (i < done)
            packets[i] = batch.out[i];
        refused += i >= done || odp_crypto_result(NULL, batch.out[i]);
    }
}

static uint64_t ciphered(uint64_t burst) {
    odp_packet_t packets[BURST_MAX];
    struct work works[BURST_MAX];
    uint64_t through = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const int received = odp_pktin_recv(ports.input, packets, (int)burst);
        for (int i = 0; i < received; i++)
            start(&works[i], odp_packet_data(packets[i]));
        for (int i = 0; i < received; i++)
            middle(&works[i]);
        for (int at = 0; at < received; at += AT_ONCE)
            cipher(packets + at, works + at, received - at < AT_ONCE ? received - at : AT_ONCE);
        const int sent = received > 0 ? odp_pktout_send(ports.output, packets, received) : 0;
        if (sent >= 0 && sent < received)
            odp_packet_free_multi(packets + sent, received - sent);
        through += received > 0 ? (uint64_t)received : 0;
    }
    if (refused) {
        fprintf(stderr, "frames were refused\n");
        exit(1);
    }
    return through;
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"ciphered", ciphered}};
    if (argc < 5 || ports_open(&ports, argv[1], argv[2], (uint32_t)atol(argv[3]), (uint32_t)atol(argv[4]))) {
        fprintf(stderr, "cannot cipher from %s\n", argc > 1 ? argv[1] : "nowhere");
        return 1;
    }
    const int code = probe_serve(probes, 1);
    for (uint32_t at = 0; at < PLACES; at++)
        if (sessions[at].way)
            odp_crypto_session_destroy(sessions[at].handle);
    ports_close(&ports);
    return code;
}
