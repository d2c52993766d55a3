/* What this implementation takes and what it refuses of ciphers and random numbers: the last value of each limit and
 * the first one beyond it. */
#include "check.h"

static uint8_t key[16];

static odp_crypto_session_t session_new(void) {
    odp_crypto_session_param_t param;
    odp_crypto_ses_create_err_t status;
    odp_crypto_session_t session;
    odp_crypto_session_param_init(&param);
    param.cipher_alg = ODP_CIPHER_ALG_AES_CBC;
    param.cipher_key = (odp_crypto_key_t){.data = key, .length = sizeof(key)};
    param.cipher_iv_len = 16;
    return odp_crypto_session_create(&param, &session, &status) == 0 ? session : ODP_CRYPTO_SESSION_INVALID;
}

/* A range that is beyond its packet or no whole number of blocks is told of and changes nothing; nothing may be
 * ciphered. */
static void test_ranges(void) {
    enum { LENGTH = 64 };
    static const struct {
        uint32_t offset, length;
        bool fine;
    } ranges[] = {{0, 64, true},  {48, 16, true}, {49, 16, false}, {48, 32, false},
                  {64, 0, true},  {65, 0, false}, {64, 16, false}, {80, 16, false},
                  {0, 80, false}, {0, 15, false}, {5, 0, true},    {16, UINT32_MAX - 15, false}};
    static const uint8_t iv[16];
    odp_pool_t pool = test_packet_pool(8, 256, 0, 0);
    odp_crypto_session_t session = session_new();
    CHECK(session != ODP_CRYPTO_SESSION_INVALID);
    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        odp_packet_t packet = odp_packet_alloc(pool, LENGTH), out;
        odp_crypto_packet_result_t result;
        uint8_t before[LENGTH], *data = odp_packet_data(packet);
        CHECK(odp_crypto_result(&result, packet) == -2); /* nothing has been done to it */
        memset(data, (int)i, LENGTH);
        memcpy(before, data, LENGTH);
        odp_crypto_packet_op_param_t param = {.session = session, .cipher_iv_ptr = iv};
        param.cipher_range = (odp_packet_data_range_t){.offset = ranges[i].offset, .length = ranges[i].length};
        CHECK(odp_crypto_op(&packet, &out, &param, 1) == 1 && out == packet);
        CHECK(odp_crypto_result(&result, packet) == (ranges[i].fine ? 0 : -1));
        CHECK(result.cipher_status.alg_err ==
              (ranges[i].fine ? ODP_CRYPTO_ALG_ERR_NONE : ODP_CRYPTO_ALG_ERR_DATA_SIZE));
        const bool changed = memcmp(before, data, LENGTH) != 0;
        CHECK(changed == (ranges[i].fine && ranges[i].length > 0));
        odp_packet_free(packet);
    }
    CHECK(odp_crypto_session_destroy(session) == 0 && odp_crypto_session_destroy(ODP_CRYPTO_SESSION_INVALID) < 0);
    CHECK(odp_pool_destroy(pool) == 0);
}

/* What sessions cannot do is refused, and it is told which part of it. */
static void test_refused_sessions(void) {
    static const struct {
        unsigned what;
        odp_crypto_ses_create_err_t status;
    } wishes[] = {{0, ODP_CRYPTO_SES_ERR_NONE},   {1, ODP_CRYPTO_SES_ERR_AUTH},   {2, ODP_CRYPTO_SES_ERR_PARAMS},
                  {3, ODP_CRYPTO_SES_ERR_PARAMS}, {4, ODP_CRYPTO_SES_ERR_PARAMS}, {5, ODP_CRYPTO_SES_ERR_CIPHER},
                  {6, ODP_CRYPTO_SES_ERR_CIPHER}, {7, ODP_CRYPTO_SES_ERR_CIPHER}, {8, ODP_CRYPTO_SES_ERR_AUTH}};
    for (unsigned i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
        odp_crypto_session_param_t param;
        odp_crypto_ses_create_err_t status;
        odp_crypto_session_t session = ODP_CRYPTO_SESSION_INVALID;
        const unsigned what = wishes[i].what;
        odp_crypto_session_param_init(&param);
        param.cipher_alg = ODP_CIPHER_ALG_AES_CBC;
        param.cipher_key = (odp_crypto_key_t){.data = key, .length = what == 6 ? 15 : sizeof(key)};
        param.cipher_iv_len = what == 7 ? 15 : 16;
        param.auth_range_in_bits = what == 1;
        if (what == 2)
            param.op_mode = ODP_CRYPTO_ASYNC;
        if (what == 3)
            param.op_type = ODP_CRYPTO_OP_TYPE_OOP;
        param.null_crypto_enable = what == 4;
        param.cipher_range_in_bits = what == 5;
        if (what == 8)
            param.auth_alg = (odp_auth_alg_t)(ODP_AUTH_ALG_NULL + 1);
        const int made = odp_crypto_session_create(&param, &session, &status);
        CHECK(status == wishes[i].status && (made == 0) == (status == ODP_CRYPTO_SES_ERR_NONE));
        CHECK(made == 0 ? odp_crypto_session_destroy(session) == 0 : session == ODP_CRYPTO_SESSION_INVALID);
    }
}

/* As many as the capabilities say at once, and any number one after the other. */
static void test_sessions(void) {
    odp_crypto_capability_t capa;
    CHECK(odp_crypto_capability(&capa) == 0);
    for (uint32_t i = 0; i <= capa.max_sessions; i++)
        CHECK(odp_crypto_session_destroy(session_new()) == 0);
    odp_crypto_session_t *sessions = malloc(capa.max_sessions * sizeof(*sessions));
    for (uint32_t i = 0; i < capa.max_sessions; i++)
        CHECK((sessions[i] = session_new()) != ODP_CRYPTO_SESSION_INVALID);
    CHECK(session_new() == ODP_CRYPTO_SESSION_INVALID);
    for (uint32_t i = capa.max_sessions; i-- > 0;) /* the first, the last and others are taken out of the list */
        CHECK(odp_crypto_session_destroy(sessions[(i * 7 + 3) % capa.max_sessions]) == 0);
    free(sessions);
}

static void test_random(void) {
    uint8_t bytes[16];
    CHECK(odp_random_data(bytes, sizeof(bytes), odp_random_max_kind()) == sizeof(bytes));
    CHECK(odp_random_data(bytes, sizeof(bytes), (odp_random_kind_t)(odp_random_max_kind() + 1)) < 0);
    CHECK(odp_random_data(bytes, 0, ODP_RANDOM_BASIC) == 0);
}

int main(void) {
    test_begin();
    test_ranges();
    test_refused_sessions();
    test_sessions();
    test_random();
    test_end();
    return 0;
}
