/* Payloads that are ciphered: by a session for each key and direction, of which there are few; in batches, whose
 * packets may come back in other buffers; and what becomes of those that cannot be ciphered. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <macs/cipher.h>

#include "runtime/clone.h"
#include "runtime/recirculation.h"
#include "runtime/worker.h"

enum { PACKETS = 80, SESSIONS = 4, HEAD = 10 };

/* --- ODP's part -----------------------------------------------------------------------------------------------------
 */

/* A session is the key's first byte and the direction. */
static struct macs_odp_session {
    bool open;
    char op;
    uint8_t key;
} sessions[64];
static unsigned open_sessions, most_open, opened;
static bool refuses_sessions;
static uint32_t max_sessions = SESSIONS;

int odp_crypto_capability(odp_crypto_capability_t *capability) {
    *capability = (odp_crypto_capability_t){.max_sessions = max_sessions, .sync_mode = ODP_SUPPORT_YES};
    capability->ciphers.bit.aes_cbc = 1;
    return 0;
}

int odp_crypto_cipher_capability(odp_cipher_alg_t cipher, odp_crypto_cipher_capability_t capability[], int count) {
    assert(cipher == ODP_CIPHER_ALG_AES_CBC && count >= 2);
    capability[0] = (odp_crypto_cipher_capability_t){.key_len = 32, .iv_len = 16};
    capability[1] = (odp_crypto_cipher_capability_t){.key_len = 16, .iv_len = 16};
    return 2;
}

void odp_crypto_session_param_init(odp_crypto_session_param_t *param) {
    memset(param, 0, sizeof(*param));
}

int odp_crypto_session_create(const odp_crypto_session_param_t *param, odp_crypto_session_t *session,
                              odp_crypto_ses_create_err_t *status) {
    (void)status;
    assert(param->cipher_alg == ODP_CIPHER_ALG_AES_CBC && param->op_mode == ODP_CRYPTO_SYNC);
    assert(param->cipher_key.length == 16 && param->cipher_iv_len == 16);
    if (refuses_sessions)
        return -1;
    unsigned at = 0;
    while (sessions[at].open)
        at++;
    sessions[at] = (struct macs_odp_session){true, param->op == ODP_CRYPTO_OP_ENCODE ? 'e' : 'd',
                                             *(const uint8_t *)param->cipher_key.data};
    *session = &sessions[at];
    opened++;
    open_sessions++;
    most_open = open_sessions > most_open ? open_sessions : most_open;
    return 0;
}

int odp_crypto_session_destroy(odp_crypto_session_t session) {
    assert(session->open);
    session->open = false;
    open_sessions--;
    return 0;
}

static struct {
    struct macs_odp_packet head;
    struct macs_packet record;
    struct macs_cipher_request request;
} made[2 * PACKETS];
static char done[PACKETS][64];          /* by the packet: what was done with it */
static unsigned calls, takes = PACKETS; /* packets that a call takes at most */
static int moves = -1, fails = -1;      /* the packet that gets another buffer, and the one that fails */

static int number_of(odp_packet_t packet) {
    return (int)(((const uint8_t *)packet - (const uint8_t *)made) / (long)sizeof(made[0])) % PACKETS;
}

int odp_crypto_op(const odp_packet_t in[], odp_packet_t out[], const odp_crypto_packet_op_param_t params[], int count) {
    calls++;
    assert(count > 0 && count <= 32);
    for (int i = 0; i < count && i < (int)takes; i++) {
        const int number = number_of(in[i]);
        assert(params[i].session->open && params[i].cipher_iv_ptr[0] == 0x80 + number);
        assert(params[i].cipher_iv_ptr[15] == 0x80 + number);
        snprintf(done[number], sizeof(done[number]), "%c%u %u+%u", params[i].session->op, params[i].session->key,
                 params[i].cipher_range.offset, params[i].cipher_range.length);
        out[i] = in[i];
        if (number == moves) {
            made[number + PACKETS] = made[number];
            made[number + PACKETS].head.data += 1;
            out[i] = &made[number + PACKETS].head;
        }
    }
    return count < (int)takes ? count : (int)takes;
}

int odp_crypto_result(odp_crypto_packet_result_t *result, odp_packet_t packet) {
    (void)result;
    return number_of(packet) == fails ? -1 : 0;
}

static const struct macs_packet *moved_from, *moved_to;

void macs_clones_moved(struct macs_thread *thread, const struct macs_packet *from, const struct macs_packet *to) {
    (void)thread;
    moved_from = from;
    moved_to = to;
}

/* --- packets --------------------------------------------------------------------------------------------------------
 */

static struct macs_program program;
static struct macs_switch sw = {.program = &program};
static struct macs_thread thread = {.sw = &sw};
static struct macs_packet *packets[PACKETS];
static unsigned count;

static void begin(void) {
    memset(done, 0, sizeof(done));
    count = calls = opened = 0;
}

/* A packet that asks for that direction, 'e' or 'd', 0: for none. */
static struct macs_packet *put(char way, uint8_t key, uint32_t payload) {
    static uint8_t frame[PACKETS + 1];
    made[count].head = (struct macs_odp_packet){
        .data = frame + count, .len = HEAD + payload, .uarea_size = sizeof(struct macs_packet) + 32};
    struct macs_packet *packet = macs_packet_of(&made[count].head);
    *packet = (struct macs_packet){
        .handle = &made[count].head, .length = HEAD + payload, .payload_offset = HEAD, .contiguous = 1};
    memset(macs_cipher_request_of(packet)->key, key, 16);
    memset(macs_cipher_request_of(packet)->iv, 0x80 + (int)count, 16);
    if (way)
        macs_request_cipher(packet, way == 'e' ? MACS_ENCRYPT : MACS_DECRYPT);
    return packets[count++] = packet;
}

static void run(void) {
    macs_cipher.run(&thread.worker, packets, count);
}

static bool was(unsigned number, const char *wanted) {
    if (strcmp(done[number], wanted))
        fprintf(stderr, "packet %u: '%s' instead of '%s'\n", number, done[number], wanted);
    return !strcmp(done[number], wanted) && packets[number]->verdict == MACS_FORWARD;
}

static bool refused(unsigned number) {
    return packets[number]->verdict == MACS_DROP && packets[number]->cause == MACS_CAUSE_CIPHER;
}

/* --- tests ----------------------------------------------------------------------------------------------------------
 */

static void check_payloads(void) {
    begin();
    put('e', 1, 32);
    put(0, 1, 32);
    put('d', 1, 16); /* the same key the other way: another session */
    put('e', 1, 15);
    put('e', 1, 0);
    put('e', 1, 16)->verdict = MACS_DROP;
    put('d', 1, 48);
    put('e', 2, 17);
    run();
    assert(was(0, "e1 10+32") && was(1, "") && was(2, "d1 10+16") && was(4, "") && was(6, "d1 10+48"));
    assert(refused(3) && refused(7) && !done[5][0] && packets[5]->cause == MACS_CAUSE_PROGRAM);
    assert(calls == 2); /* a session that is made ends what was gathered */
    assert(opened == 2 && open_sessions == 2);
    begin();
    run(); /* none */
    assert(!calls);
}

/* There are no more sessions than ODP has; one that is needed again is made again. */
static void check_sessions(void) {
    for (unsigned times = 0; times < 20; times++) {
        begin();
        for (uint8_t key = 1; key < 14; key++) {
            put('e', key, 16);
            put('d', (uint8_t)(14 - key), 16);
        }
        run();
        for (unsigned i = 0; i < count; i++) {
            char wanted[16];
            snprintf(wanted, sizeof(wanted), "%c%u 10+16", i % 2 ? 'd' : 'e', i % 2 ? 13 - i / 2 : 1 + i / 2);
            assert(was(i, wanted));
        }
        assert(open_sessions == SESSIONS && most_open == SESSIONS);
    }
    begin();
    put('e', 77, 16); /* as many keys as there is room for stay */
    put('d', 78, 16);
    run();
    assert(opened == 2);
    run();
    assert(opened == 2);
    refuses_sessions = true;
    begin();
    put('e', 77, 16);
    put('e', 99, 16);
    put('d', 78, 16);
    run();
    assert(was(0, "e77 10+16") && refused(1) && was(2, "d78 10+16"));
    refuses_sessions = false;
    begin();
    put('e', 99, 16);
    run();
    assert(was(0, "e99 10+16") && open_sessions == SESSIONS);
}

/* As many at once as there may be, or one by one. */
static void check_batches(void) {
    static const struct {
        unsigned count, calls;
    } batches[] = {{1, 1}, {31, 1}, {32, 1}, {33, 2}, {64, 2}, {65, 3}, {PACKETS, 3}};
    for (unsigned singly = 0; singly < 2; singly++) {
        program.ciphers_singly = singly;
        for (unsigned i = 0; i < sizeof(batches) / sizeof(*batches); i++) {
            begin();
            while (count < batches[i].count)
                put('e', 99, 16);
            run();
            assert(calls == (singly ? batches[i].count : batches[i].calls));
            for (unsigned at = 0; at < count; at++)
                assert(was(at, "e99 10+16"));
        }
    }
    program.ciphers_singly = false;
}

/* Packets that ODP does not take, that fail, and that it moves to another buffer. */
static void check_results(void) {
    static struct macs_recirculation recirculation;
    thread.recirculation = &recirculation;
    begin();
    for (unsigned i = 0; i < 6; i++)
        put('e', 99, 16);
    takes = 5;
    fails = 1;
    moves = 3;
    const struct macs_packet *old = packets[3];
    run();
    assert(was(0, "e99 10+16") && refused(1) && was(2, "e99 10+16") && was(4, "e99 10+16") && refused(5));
    assert(packets[3] != old && packets[3]->handle == &made[3 + PACKETS].head && was(3, "e99 10+16"));
    assert(packets[3]->data == made[3 + PACKETS].head.data && packets[3]->contiguous == HEAD + 16);
    assert(moved_from == old && moved_to == packets[3] && packets[2]->handle == &made[2].head);
}

int main(void) {
    assert(macs_cipher.create(&thread.sessions, 1) == 0);
    check_payloads();
    check_sessions();
    check_batches();
    check_results();
    macs_cipher.destroy(thread.sessions);
    assert(open_sessions == 0);
    macs_cipher.destroy(NULL);
    puts("ok");
    return 0;
}
