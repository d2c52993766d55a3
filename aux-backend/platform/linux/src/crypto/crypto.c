/* Crypto sessions and operations. */
#include "crypto/crypto.h"

#include <stdlib.h>
#include <string.h>

#define SESSIONS_MAX 65536u

#define AT_ONCE 64u /* packets whose ciphers run together */

struct macs_odp_session {
    struct macs_odp_session *next, **link; /* `link`: what points here */
    void *cipher;                          /* NULL: ODP_CIPHER_ALG_NULL */
};

const struct macs_odp_ciphers *const macs_odp_ciphers[] = {
#if defined(MACS_ODP_NO_AES)
#elif defined(__x86_64__)
    &macs_odp_ciphers_vaes,
    &macs_odp_ciphers_x86,
#elif defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN)
    &macs_odp_ciphers_arm,
#endif
#if MACS_ODP_USES_OPENSSL
    &macs_odp_ciphers_openssl,
#endif
    &macs_odp_ciphers_portable,
    NULL,
};

static const struct macs_odp_ciphers *ciphers; /* those of all sessions */

__attribute__((constructor)) static void ciphers_init(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    for (unsigned i = 0; ciphers == NULL; i++)
        if (macs_odp_ciphers[i]->usable())
            ciphers = macs_odp_ciphers[i];
}

static struct macs_odp_session *sessions; /* under macs_odp_lock, and their number */
static uint32_t session_count;

static const uint32_t key_bytes[] = {16, 24, 32};
#define KEYS ((int)(sizeof(key_bytes) / sizeof(key_bytes[0])))

int odp_crypto_capability(odp_crypto_capability_t *capa) {
    memset(capa, 0, sizeof(*capa));
    capa->max_sessions = SESSIONS_MAX;
    capa->sync_mode = ODP_SUPPORT_PREFERRED;
    capa->async_mode = ODP_SUPPORT_NO;
    capa->ciphers.bit.null = 1;
    capa->ciphers.bit.aes_cbc = 1;
    capa->auths.bit.null = 1;
    return 0;
}

int odp_crypto_cipher_capability(odp_cipher_alg_t cipher, odp_crypto_cipher_capability_t capa[], int num) {
    int count = cipher == ODP_CIPHER_ALG_NULL ? 1 : KEYS;
    if (cipher != ODP_CIPHER_ALG_NULL && cipher != ODP_CIPHER_ALG_AES_CBC)
        return macs_odp_fail(ENOTSUP);
    for (int i = 0; i < count && i < num; i++) {
        memset(&capa[i], 0, sizeof(capa[i]));
        if (cipher == ODP_CIPHER_ALG_AES_CBC) {
            capa[i].key_len = key_bytes[i];
            capa[i].iv_len = MACS_ODP_BLOCK;
        }
    }
    return count;
}

int odp_crypto_auth_capability(odp_auth_alg_t auth, odp_crypto_auth_capability_t capa[], int num) {
    if (auth != ODP_AUTH_ALG_NULL)
        return macs_odp_fail(ENOTSUP);
    if (num > 0)
        memset(&capa[0], 0, sizeof(capa[0]));
    return 1;
}

void odp_crypto_session_param_init(odp_crypto_session_param_t *param) {
    memset(param, 0, sizeof(*param));
    param->compl_queue = ODP_QUEUE_INVALID;
    param->output_pool = ODP_POOL_INVALID;
}

static bool is_key_length(uint32_t bytes) {
    for (int i = 0; i < KEYS; i++)
        if (key_bytes[i] == bytes)
            return true;
    return false;
}

static odp_crypto_ses_create_err_t check(const odp_crypto_session_param_t *param) {
    if (param->auth_alg != ODP_AUTH_ALG_NULL || param->auth_range_in_bits)
        return ODP_CRYPTO_SES_ERR_AUTH;
    if (param->op_mode != ODP_CRYPTO_SYNC || param->op_type != ODP_CRYPTO_OP_TYPE_BASIC || param->null_crypto_enable)
        return ODP_CRYPTO_SES_ERR_PARAMS;
    if (param->cipher_range_in_bits)
        return ODP_CRYPTO_SES_ERR_CIPHER;
    if (param->cipher_alg == ODP_CIPHER_ALG_NULL)
        return ODP_CRYPTO_SES_ERR_NONE;
    if (param->cipher_alg != ODP_CIPHER_ALG_AES_CBC || param->cipher_iv_len != MACS_ODP_BLOCK ||
        !is_key_length(param->cipher_key.length))
        return ODP_CRYPTO_SES_ERR_CIPHER;
    return ODP_CRYPTO_SES_ERR_NONE;
}

/* Destroy what the program forgot. Returns how many. */
static unsigned leftovers(void) {
    unsigned count = 0;
    while (sessions != NULL) {
        odp_crypto_session_destroy(sessions);
        count++;
    }
    return count;
}

/* Into the list. False: there are too many. */
static bool enlist(struct macs_odp_session *session) {
    pthread_mutex_lock(&macs_odp_lock);
    bool room = session_count < SESSIONS_MAX;
    if (room) {
        macs_odp_crypto_term = leftovers;
        session->next = sessions;
        session->link = &sessions;
        if (sessions != NULL)
            sessions->link = &session->next;
        sessions = session;
        session_count++;
    }
    pthread_mutex_unlock(&macs_odp_lock);
    return room;
}

static void release(struct macs_odp_session *session) {
    if (session->cipher != NULL)
        ciphers->destroy(session->cipher);
    free(session);
}

static struct macs_odp_session *make(const odp_crypto_session_param_t *param) {
    struct macs_odp_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return NULL;
    bool made = true;
    if (param->cipher_alg == ODP_CIPHER_ALG_AES_CBC) {
        const odp_crypto_key_t *key = &param->cipher_key;
        session->cipher = ciphers->create(key->data, key->length, param->op == ODP_CRYPTO_OP_ENCODE);
        made = session->cipher != NULL;
    }
    if (made && enlist(session))
        return session;
    release(session);
    return NULL;
}

int odp_crypto_session_create(const odp_crypto_session_param_t *param, odp_crypto_session_t *session,
                              odp_crypto_ses_create_err_t *status) {
    *session = ODP_CRYPTO_SESSION_INVALID;
    *status = check(param);
    if (*status != ODP_CRYPTO_SES_ERR_NONE)
        return macs_odp_fail(EINVAL);
    *session = make(param);
    if (*session == ODP_CRYPTO_SESSION_INVALID) {
        *status = ODP_CRYPTO_SES_ERR_ENOMEM;
        return macs_odp_fail(ENOMEM);
    }
    return 0;
}

int odp_crypto_session_destroy(odp_crypto_session_t session) {
    if (session == ODP_CRYPTO_SESSION_INVALID)
        return macs_odp_fail(EINVAL);
    pthread_mutex_lock(&macs_odp_lock);
    *session->link = session->next;
    if (session->next != NULL)
        session->next->link = session->link;
    session_count--;
    pthread_mutex_unlock(&macs_odp_lock);
    release(session);
    return 0;
}

uint64_t odp_crypto_session_to_u64(odp_crypto_session_t session) {
    return (uintptr_t)session;
}

void odp_crypto_session_print(odp_crypto_session_t session) {
    macs_odp_log(ODP_LOG_PRINT, "crypto session %p: %s\n", (void *)session,
                 session->cipher != NULL ? ciphers->name : "null cipher");
}

/* The flags for a packet's result, before it is ciphered, and whether it is to be: the job then says what. */
static uint8_t prepare(odp_packet_t pkt, const odp_crypto_packet_op_param_t *param, struct macs_odp_job *job,
                       bool *wanted) {
    const odp_packet_data_range_t range = param->cipher_range;
    *wanted = false;
    if (param->session->cipher == NULL)
        return MACS_ODP_CRYPTO;
    if (range.offset > macs_odp_len(pkt) || range.length > macs_odp_len(pkt) - range.offset ||
        range.length % MACS_ODP_BLOCK)
        return MACS_ODP_CRYPTO | MACS_ODP_CRYPTO_SIZE;
    *wanted = range.length > 0;
    for (unsigned line = 0; line < 3; line++) /* of the key, as far as most have it */
        __builtin_prefetch((const uint8_t *)param->session->cipher + (size_t)line * ODP_CACHE_LINE_SIZE);
    job->cipher = param->session->cipher;
    job->iv = param->cipher_iv_ptr;
    job->data = macs_odp_data(pkt) + range.offset;
    job->len = range.length;
    return MACS_ODP_CRYPTO;
}

static void operate(const odp_packet_t packets[], const odp_crypto_packet_op_param_t param[], unsigned count) {
    struct macs_odp_job jobs[AT_ONCE];
    unsigned of[AT_ONCE], wanted = 0; /* the packet of each job */
    uint8_t flags[AT_ONCE];
    for (unsigned i = 0; i < count; i++) {
        bool more;
        flags[i] = prepare(packets[i], &param[i], &jobs[wanted], &more);
        of[wanted] = i;
        wanted += more;
    }
    ciphers->run(jobs, wanted);
    for (unsigned i = 0; i < wanted; i++)
        if (odp_unlikely(jobs[i].failed))
            flags[of[i]] |= MACS_ODP_CRYPTO_OTHER;
    for (unsigned i = 0; i < count; i++)
        macs_odp_flags_change(&packets[i]->event, MACS_ODP_CRYPTO | MACS_ODP_CRYPTO_SIZE | MACS_ODP_CRYPTO_OTHER,
                              flags[i]);
}

int odp_crypto_op(const odp_packet_t pkt_in[], odp_packet_t pkt_out[], const odp_crypto_packet_op_param_t param[],
                  int num_pkt) {
    unsigned count = num_pkt > 0 ? (unsigned)num_pkt : 0;
    for (unsigned done = 0; done < count; done += AT_ONCE)
        operate(pkt_in + done, param + done, count - done < AT_ONCE ? count - done : AT_ONCE);
    for (unsigned i = 0; i < count; i++)
        pkt_out[i] = pkt_in[i];
    return num_pkt;
}

int odp_crypto_result(odp_crypto_packet_result_t *result, odp_packet_t packet) {
    uint32_t flags = macs_odp_flags(&packet->event);
    if (!(flags & MACS_ODP_CRYPTO)) {
        macs_odp_error = EINVAL;
        return -2;
    }
    if (result != NULL) {
        result->pkt_in = ODP_PACKET_INVALID;
        result->auth_status.alg_err = ODP_CRYPTO_ALG_ERR_NONE;
        result->cipher_status.alg_err = flags & MACS_ODP_CRYPTO_SIZE    ? ODP_CRYPTO_ALG_ERR_DATA_SIZE
                                        : flags & MACS_ODP_CRYPTO_OTHER ? ODP_CRYPTO_ALG_ERR_OTHER
                                                                        : ODP_CRYPTO_ALG_ERR_NONE;
    }
    return flags & (MACS_ODP_CRYPTO_SIZE | MACS_ODP_CRYPTO_OTHER) ? -1 : 0;
}
