/* Ciphers a burst of payloads by odp_crypto_op(), in synchronous mode. */
#include <macs/cipher.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/clone.h"

#define AT_ONCE 32u /* packets given to ODP in one call: their parameters stay in the first-level cache */
#define SESSIONS_MAX 4096u
#define AHEAD 8u /* packets whose sessions are looked for before their turn */
#define WAYS 4u  /* places that a key's session may have: when all are taken one is evicted, each in its turn */

struct session {
    odp_crypto_session_t handle;
    uint8_t key[MACS_CIPHER_BLOCK];
    uint8_t way; /* enum macs_request; 0: there is no session here */
};

struct macs_sessions {
    uint32_t mask; /* places - 1 */
    uint32_t turn;
    _Alignas(ODP_CACHE_LINE_SIZE) struct session places[];
};

/* A batch for one call of ODP. The vectors are copies, as ODP may replace the packet that they are in. */
struct batch {
    unsigned count;
    unsigned from[AT_ONCE]; /* places in the burst */
    odp_packet_t in[AT_ONCE], out[AT_ONCE];
    odp_crypto_packet_op_param_t params[AT_ONCE];
    uint8_t iv[AT_ONCE][MACS_CIPHER_BLOCK];
};

static bool has_cipher(void) {
    odp_crypto_cipher_capability_t capa[16];
    int count = odp_crypto_cipher_capability(ODP_CIPHER_ALG_AES_CBC, capa, 16);
    for (int i = 0; i < count && i < 16; i++)
        if (capa[i].key_len == MACS_CIPHER_BLOCK && capa[i].iv_len == MACS_CIPHER_BLOCK)
            return true;
    return false;
}

static int create(struct macs_sessions **created, unsigned workers) {
    odp_crypto_capability_t capa;
    if (odp_crypto_capability(&capa) || !capa.ciphers.bit.aes_cbc || capa.sync_mode == ODP_SUPPORT_NO || !has_cipher())
        return -ENOTSUP;
    uint32_t places = SESSIONS_MAX;
    while (places > WAYS && places > capa.max_sessions / workers)
        places /= 2;
    const size_t size = sizeof(struct macs_sessions) + places * sizeof(struct session);
    struct macs_sessions *sessions;
    if (posix_memalign((void **)&sessions, ODP_CACHE_LINE_SIZE, size))
        return -ENOMEM;
    memset(sessions, 0, size);
    sessions->mask = places - 1;
    *created = sessions;
    return 0;
}

static void forget(struct session *session) {
    if (session->way)
        odp_crypto_session_destroy(session->handle);
    memset(session, 0, sizeof(*session));
}

static void destroy(struct macs_sessions *sessions) {
    if (!sessions)
        return;
    for (uint32_t i = 0; i <= sessions->mask; i++)
        forget(&sessions->places[i]);
    free(sessions);
}

/* Make the session of a key. ODP may keep a pointer to it no longer than the call. */
static bool open_session(struct session *session, uint8_t way, const uint8_t key[]) {
    odp_crypto_session_param_t param;
    odp_crypto_ses_create_err_t status;
    forget(session);
    memcpy(session->key, key, MACS_CIPHER_BLOCK);
    odp_crypto_session_param_init(&param);
    param.op = way == MACS_ENCRYPT ? ODP_CRYPTO_OP_ENCODE : ODP_CRYPTO_OP_DECODE;
    param.op_mode = ODP_CRYPTO_SYNC;
    param.cipher_alg = ODP_CIPHER_ALG_AES_CBC;
    param.cipher_key = (odp_crypto_key_t){.data = session->key, .length = MACS_CIPHER_BLOCK};
    param.cipher_iv_len = MACS_CIPHER_BLOCK;
    session->way = odp_crypto_session_create(&param, &session->handle, &status) == 0 ? way : 0;
    return session->way;
}

/* The first slot for a key's session in a direction; its WAYS slots follow each other. */
static struct session *place_of(struct macs_sessions *sessions, uint8_t way, const uint8_t key[]) {
    uint64_t words[2];
    memcpy(words, key, sizeof(words));
    uint64_t mixed = (words[0] ^ (words[1] << 32 | words[1] >> 32) ^ way) * 0x9e3779b97f4a7c15u;
    return &sessions->places[(mixed >> 32) & sessions->mask];
}

static bool serves(const struct session *session, uint8_t way, const uint8_t key[]) {
    return session->way == way && !memcmp(session->key, key, MACS_CIPHER_BLOCK);
}

/* The slot of a key's session; else one to make it in: a free one, or one whose session is replaced. */
static struct session *search(struct macs_sessions *sessions, struct session *first, uint8_t way, const uint8_t key[]) {
    struct session *ways = &sessions->places[(first - sessions->places) & ~(ptrdiff_t)(WAYS - 1)];
    struct session *free_one = NULL;
    for (uint32_t i = 0; i < WAYS; i++) {
        struct session *place = &ways[(first - ways + i) % WAYS];
        if (serves(place, way, key))
            return place;
        if (!place->way && !free_one)
            free_one = place;
    }
    return free_one ? free_one : &ways[sessions->turn++ % WAYS];
}

/* Prefetch the first slot for a packet's session. NULL: it asks for none. */
static struct session *prefetch(struct macs_sessions *sessions, struct macs_packet *packet) {
    uint8_t way = packet->requests.flags & (MACS_ENCRYPT | MACS_DECRYPT);
    struct session *first = way ? place_of(sessions, way, macs_cipher_request_of(packet)->key) : NULL;
    if (way)
        odp_prefetch(first);
    return first;
}

static void refuse(struct macs_packet *packet) {
    packet->verdict = MACS_DROP;
    packet->cause = MACS_CAUSE_CIPHER;
}

/* ODP may have moved the packet to another buffer, with all its metadata: update the references to it. */
static struct macs_packet *adopt(struct macs_thread *thread, struct macs_packet *old, odp_packet_t handle) {
    struct macs_packet *packet = old;
    if (odp_unlikely(handle != old->handle)) {
        packet = macs_packet_of(handle);
        if (thread->recirculation)
            macs_clones_moved(thread, old, packet);
    }
    packet->handle = handle;
    packet->data = odp_packet_data(handle);
    packet->contiguous = odp_packet_seg_len(handle);
    return packet;
}

static void flush(struct macs_thread *thread, struct macs_packet *packets[], struct batch *batch) {
    int done = batch->count ? odp_crypto_op(batch->in, batch->out, batch->params, (int)batch->count) : 0;
    for (unsigned i = 0; i < batch->count; i++) {
        struct macs_packet **packet = &packets[batch->from[i]];
        bool taken = (int)i < done;
        if (odp_likely(taken))
            *packet = adopt(thread, *packet, batch->out[i]);
        if (odp_unlikely(!taken || odp_crypto_result(NULL, batch->out[i])))
            refuse(*packet);
    }
    batch->count = 0;
}

/* Add a packet's payload to the batch, which has room; `first` is of its session. False: it cannot be ciphered. */
static bool put(struct macs_thread *thread, struct macs_packet *packets[], struct batch *batch, unsigned place,
                struct session *first) {
    struct macs_packet *packet = packets[place];
    uint32_t payload = packet->length - packet->payload_offset;
    const struct macs_cipher_request *request = macs_cipher_request_of(packet);
    if (payload % MACS_CIPHER_BLOCK)
        return false;
    uint8_t way = packet->requests.flags & (MACS_ENCRYPT | MACS_DECRYPT);
    struct session *session = first;
    if (odp_unlikely(!serves(first, way, request->key))) {
        session = search(thread->sessions, first, way, request->key);
        if (!serves(session, way, request->key)) {
            flush(thread, packets, batch); /* the session that is evicted may be one of the batch's */
            if (!open_session(session, way, request->key))
                return false;
        }
    }
    unsigned i = batch->count++;
    memcpy(batch->iv[i], request->iv, MACS_CIPHER_BLOCK);
    batch->from[i] = place;
    batch->in[i] = packet->handle;
    batch->out[i] = ODP_PACKET_INVALID;
    batch->params[i] = (odp_crypto_packet_op_param_t){
        .session = session->handle,
        .cipher_iv_ptr = batch->iv[i],
        .cipher_range = {.offset = packet->payload_offset, .length = payload},
    };
    return true;
}

static void run(struct macs_worker *worker, struct macs_packet *packets[], unsigned count) {
    struct macs_thread *thread = macs_thread_of(worker);
    const unsigned at_once = thread->sw->program->ciphers_singly ? 1 : AT_ONCE;
    struct session *ahead[AHEAD]; /* of the packets from i on, packet n's at n modulo AHEAD */
    struct batch batch;
    batch.count = 0; /* and no more: it is large */
    for (unsigned i = 0; i < AHEAD && i < count; i++)
        ahead[i] = prefetch(thread->sessions, packets[i]);
    for (unsigned i = 0; i < count; i++) {
        const struct macs_packet *packet = packets[i];
        struct session *const first = ahead[i % AHEAD];
        if (i + AHEAD < count)
            ahead[i % AHEAD] = prefetch(thread->sessions, packets[i + AHEAD]);
        if (packet->verdict != MACS_FORWARD || !(packet->requests.flags & (MACS_ENCRYPT | MACS_DECRYPT)) ||
            packet->length <= packet->payload_offset)
            continue;
        if (!put(thread, packets, &batch, i, first))
            refuse(packets[i]);
        if (batch.count == at_once)
            flush(thread, packets, &batch);
    }
    flush(thread, packets, &batch);
}

const struct macs_cipher macs_cipher = {create, destroy, run};
