/* A hand-written loop beside apps/l2fwd-crypto: what it does to a frame, no more, with the same cipher.
 *
 * It receives a burst, finds each frame's session by its destination and type, sets the type, and gives the payloads to
 * odp_crypto_op(), AT_ONCE in a call, which interleaves their chains. Other frames, sessions that come and go, a key
 * that is compared and the control plane are left out. Contest "ciphered", NUMBER: frames in a burst. Usage: crypto
 * SOURCE SINK BUFFERS LENGTH: the names of the ports, packets of the pool and the bytes of each.
 */
#include <odp_api.h>
#include <string.h>

#include "ports.h"
#include "probe.h"

enum { BURST_MAX = 256, ROUNDS = 64, BLOCK = 16, TYPE_AT = 12, IV_AT = 14, HEADERS = 32, AT_ONCE = 32 };
enum { STATIONS_LOG2 = 10, STATIONS = 1 << STATIONS_LOG2, TYPE_PLAIN = 0xb5, TYPE_CIPHERED = 0xb6 };

static struct ports ports;
static odp_crypto_session_t sessions[2][STATIONS]; /* to encrypt, to decrypt */
static uint64_t refused;

/* What one call of ODP is given. The vectors are copies, as the program's are. */
struct batch {
    odp_packet_t out[AT_ONCE];
    odp_crypto_packet_op_param_t params[AT_ONCE];
    uint8_t iv[AT_ONCE][BLOCK];
};

static odp_crypto_session_t make_session(bool encrypts, uint32_t station) {
    uint8_t key[BLOCK] = {1, 2, 3};
    odp_crypto_session_param_t param;
    odp_crypto_ses_create_err_t status;
    odp_crypto_session_t made = ODP_CRYPTO_SESSION_INVALID;
    memcpy(key + 4, &station, sizeof(station));
    odp_crypto_session_param_init(&param);
    param.op = encrypts ? ODP_CRYPTO_OP_ENCODE : ODP_CRYPTO_OP_DECODE;
    param.op_mode = ODP_CRYPTO_SYNC;
    param.cipher_alg = ODP_CIPHER_ALG_AES_CBC;
    param.cipher_key = (odp_crypto_key_t){.data = key, .length = BLOCK};
    param.cipher_iv_len = BLOCK;
    return odp_crypto_session_create(&param, &made, &status) ? ODP_CRYPTO_SESSION_INVALID : made;
}

static bool make_sessions(void) {
    for (uint32_t station = 0; station < STATIONS; station++)
        for (unsigned way = 0; way < 2; way++)
            if ((sessions[way][station] = make_session(!way, station)) == ODP_CRYPTO_SESSION_INVALID)
                return false;
    return true;
}

static void put(struct batch *batch, int at, odp_packet_t packet) {
    uint8_t *frame = odp_packet_data(packet);
    uint64_t destination = 0;
    memcpy(&destination, frame, 6);
    const uint32_t station = (uint32_t)(destination * UINT64_C(0x9e3779b97f4a7c15) >> (64 - STATIONS_LOG2));
    const bool encrypts = frame[TYPE_AT + 1] == TYPE_PLAIN;
    memcpy(batch->iv[at], frame + IV_AT, BLOCK);
    frame[TYPE_AT + 1] = encrypts ? TYPE_CIPHERED : TYPE_PLAIN;
    batch->out[at] = ODP_PACKET_INVALID;
    batch->params[at] = (odp_crypto_packet_op_param_t){
        .session = sessions[!encrypts][station],
        .cipher_iv_ptr = batch->iv[at],
        .cipher_range = {.offset = HEADERS, .length = odp_packet_len(packet) - HEADERS},
    };
}

/* Replaces each packet by what ODP gives for it. */
static void cipher(odp_packet_t packets[], int count) {
    struct batch batch;
    for (int i = 0; i < count; i++)
        put(&batch, i, packets[i]);
    const int done = odp_crypto_op(packets, batch.out, batch.params, count);
    for (int i = 0; i < count; i++) {
        if (i < done)
            packets[i] = batch.out[i];
        refused += i >= done || odp_crypto_result(NULL, batch.out[i]);
    }
}

static uint64_t ciphered(uint64_t burst) {
    odp_packet_t packets[BURST_MAX];
    uint64_t through = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const int received = odp_pktin_recv(ports.input, packets, (int)burst);
        for (int at = 0; at < received; at += AT_ONCE)
            cipher(packets + at, received - at < AT_ONCE ? received - at : AT_ONCE);
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
    if (argc < 5 || ports_open(&ports, argv[1], argv[2], (uint32_t)atol(argv[3]), (uint32_t)atol(argv[4])) ||
        !make_sessions()) {
        fprintf(stderr, "cannot cipher from %s\n", argc > 1 ? argv[1] : "nowhere");
        return 1;
    }
    const int code = probe_serve(probes, 1);
    for (uint32_t station = 0; station < STATIONS; station++)
        for (unsigned way = 0; way < 2; way++)
            odp_crypto_session_destroy(sessions[way][station]);
    ports_close(&ports);
    return code;
}
