/* Ciphering of packet data: AES in CBC mode, in place and synchronously.
 *
 * Limits: no authentication (ODP_AUTH_ALG_NULL), synchronous mode, ODP_CRYPTO_OP_TYPE_BASIC, ranges in bytes. A session
 * with anything else is refused, with the reason. The output packet is the input packet.
 */
#ifndef ODP_API_CRYPTO_H_
#define ODP_API_CRYPTO_H_

#include <odp/api/packet.h>
#include <odp/api/queue.h>

typedef struct macs_odp_session *odp_crypto_session_t;

#define ODP_CRYPTO_SESSION_INVALID ((odp_crypto_session_t)0)

typedef enum { ODP_CRYPTO_SYNC, ODP_CRYPTO_ASYNC } odp_crypto_op_mode_t;
typedef enum { ODP_CRYPTO_OP_ENCODE, ODP_CRYPTO_OP_DECODE } odp_crypto_op_t;
typedef enum { ODP_CIPHER_ALG_NULL, ODP_CIPHER_ALG_AES_CBC } odp_cipher_alg_t;
typedef enum { ODP_AUTH_ALG_NULL } odp_auth_alg_t;

typedef enum odp_crypto_op_type_t {
    ODP_CRYPTO_OP_TYPE_BASIC,
    ODP_CRYPTO_OP_TYPE_OOP,
    ODP_CRYPTO_OP_TYPE_BASIC_AND_OOP
} odp_crypto_op_type_t;

typedef union odp_crypto_cipher_algos_t {
    struct {
        uint32_t null : 1;
        uint32_t aes_cbc : 1;
    } bit;
    uint64_t all_bits;
} odp_crypto_cipher_algos_t;

typedef union odp_crypto_auth_algos_t {
    struct {
        uint32_t null : 1;
    } bit;
    uint64_t all_bits;
} odp_crypto_auth_algos_t;

typedef struct odp_crypto_capability_t {
    uint32_t max_sessions;
    odp_support_t sync_mode;
    odp_support_t async_mode;
    odp_crypto_cipher_algos_t ciphers;
    odp_crypto_cipher_algos_t hw_ciphers;
    odp_crypto_auth_algos_t auths;
    odp_crypto_auth_algos_t hw_auths;
    odp_bool_t queue_type_sched;
    odp_bool_t queue_type_plain;
} odp_crypto_capability_t;

typedef struct odp_crypto_cipher_capability_t {
    uint32_t key_len; /* bytes, as all lengths here */
    uint32_t iv_len;
    odp_bool_t bit_mode;
} odp_crypto_cipher_capability_t;

typedef struct odp_crypto_auth_capability_t {
    uint32_t digest_len;
    uint32_t key_len;
    uint32_t iv_len;
    struct {
        uint32_t min;
        uint32_t max;
        uint32_t inc;
    } aad_len;
    odp_bool_t bit_mode;
} odp_crypto_auth_capability_t;

typedef struct odp_crypto_key {
    uint8_t *data;
    uint32_t length;
} odp_crypto_key_t;

typedef struct odp_crypto_session_param_t {
    odp_crypto_op_t op;
    odp_crypto_op_type_t op_type;
    odp_bool_t cipher_range_in_bits;
    odp_bool_t auth_range_in_bits;
    odp_bool_t auth_cipher_text;
    odp_bool_t hash_result_in_auth_range;
    odp_bool_t null_crypto_enable;
    odp_crypto_op_mode_t op_mode;
    odp_cipher_alg_t cipher_alg;
    odp_crypto_key_t cipher_key;
    uint32_t cipher_iv_len;
    odp_auth_alg_t auth_alg;
    odp_crypto_key_t auth_key;
    uint32_t auth_iv_len;
    uint32_t auth_digest_len;
    uint32_t auth_aad_len;
    odp_queue_t compl_queue;
    odp_pool_t output_pool;
} odp_crypto_session_param_t;

typedef enum {
    ODP_CRYPTO_SES_ERR_NONE,
    ODP_CRYPTO_SES_ERR_ENOMEM,
    ODP_CRYPTO_SES_ERR_CIPHER,
    ODP_CRYPTO_SES_ERR_AUTH,
    ODP_CRYPTO_SES_ERR_ALG_COMBO,
    ODP_CRYPTO_SES_ERR_ALG_ORDER,
    ODP_CRYPTO_SES_ERR_PARAMS
} odp_crypto_ses_create_err_t;

typedef struct odp_crypto_packet_op_param_t {
    odp_crypto_session_t session;
    const uint8_t *cipher_iv_ptr;
    const uint8_t *auth_iv_ptr;
    uint32_t hash_result_offset;
    const uint8_t *aad_ptr;
    odp_packet_data_range_t cipher_range;
    odp_packet_data_range_t auth_range;
    int32_t dst_offset_shift;
    uint8_t null_crypto : 1;
} odp_crypto_packet_op_param_t;

typedef enum {
    ODP_CRYPTO_ALG_ERR_NONE,
    ODP_CRYPTO_ALG_ERR_DATA_SIZE, /* a range outside the packet, or of no whole blocks */
    ODP_CRYPTO_ALG_ERR_ICV_CHECK,
    ODP_CRYPTO_ALG_ERR_OTHER
} odp_crypto_alg_err_t;

typedef struct odp_crypto_op_status {
    odp_crypto_alg_err_t alg_err;
} odp_crypto_op_status_t;

typedef struct odp_crypto_packet_result_t {
    odp_packet_t pkt_in;
    odp_crypto_op_status_t cipher_status;
    odp_crypto_op_status_t auth_status;
} odp_crypto_packet_result_t;

/* 0, or -1. */
int odp_crypto_capability(odp_crypto_capability_t *capa);

/* How many combinations of lengths an algorithm has, of which the first `num` are written; -1: no such algorithm. */
int odp_crypto_cipher_capability(odp_cipher_alg_t cipher, odp_crypto_cipher_capability_t capa[], int num);
int odp_crypto_auth_capability(odp_auth_alg_t auth, odp_crypto_auth_capability_t capa[], int num);

/* Key data may be freed after the call. 0, or -1 with the reason in *status and *session invalid. */
void odp_crypto_session_param_init(odp_crypto_session_param_t *param);
int odp_crypto_session_create(const odp_crypto_session_param_t *param, odp_crypto_session_t *session,
                              odp_crypto_ses_create_err_t *status);

/* 0, or -1: it is none. No operation may be under way. */
int odp_crypto_session_destroy(odp_crypto_session_t session);
uint64_t odp_crypto_session_to_u64(odp_crypto_session_t session);
void odp_crypto_session_print(odp_crypto_session_t session);

/* Returns how many were taken: all. Whether it succeeded, each packet tells: odp_crypto_result(). Any threads may use a
 * session at the same time. */
int odp_crypto_op(const odp_packet_t pkt_in[], odp_packet_t pkt_out[], const odp_crypto_packet_op_param_t param[],
                  int num_pkt);

/* 0: it succeeded. -1: it failed, as *result (which may be NULL) tells. -2: the packet comes from no operation. */
int odp_crypto_result(odp_crypto_packet_result_t *result, odp_packet_t packet);

static inline odp_packet_t odp_crypto_packet_from_event(odp_event_t event) {
    return odp_packet_from_event(event);
}

static inline odp_event_t odp_crypto_packet_to_event(odp_packet_t pkt) {
    return odp_packet_to_event(pkt);
}

#endif
