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

/* A packet tells of the last operation, whatever came of those before; without a cipher nothing is changed. */
static void test_one_after_the_other(void) {
    static const uint8_t iv[16], zeros[32];
    odp_pool_t pool = test_packet_pool(1, 256, 0, 0);
    odp_packet_t packet = odp_packet_alloc(pool, 32), out = ODP_PACKET_INVALID;
    odp_crypto_session_t session = session_new(), null = ODP_CRYPTO_SESSION_INVALID;
    odp_crypto_session_param_t none;
    odp_crypto_ses_create_err_t status;
    odp_crypto_session_param_init(&none);
    CHECK(odp_crypto_session_create(&none, &null, &status) == 0 && status == ODP_CRYPTO_SES_ERR_NONE);
    memset(odp_packet_data(packet), 0, 32);
    odp_crypto_packet_op_param_t param = {.session = null, .cipher_range = {.offset = 0, .length = 17}};
    CHECK(odp_crypto_op(&packet, &out, &param, 0) == 0 && out == ODP_PACKET_INVALID);
    CHECK(odp_packet_subtype(packet) == ODP_EVENT_PACKET_BASIC && odp_crypto_result(NULL, packet) == -2);
    CHECK(odp_crypto_op(&packet, &out, &param, 1) == 1 && out == packet && odp_crypto_result(NULL, packet) == 0);
    CHECK(odp_packet_subtype(packet) == ODP_EVENT_PACKET_CRYPTO && memcmp(odp_packet_data(packet), zeros, 32) == 0);
    odp_packet_user_flag_set(packet, 1);
    param.session = session;
    param.cipher_iv_ptr = iv;
    for (uint32_t length = 17; length >= 16; length--) {
        odp_crypto_packet_result_t result = {.pkt_in = packet, .auth_status = {ODP_CRYPTO_ALG_ERR_OTHER}};
        param.cipher_range.length = length;
        CHECK(odp_crypto_op(&packet, &out, &param, 1) == 1 && odp_packet_user_flag(packet) == 1);
        CHECK(odp_crypto_result(&result, packet) == (length == 16 ? 0 : -1) && result.pkt_in == ODP_PACKET_INVALID);
        CHECK(result.cipher_status.alg_err == (length == 16 ? ODP_CRYPTO_ALG_ERR_NONE : ODP_CRYPTO_ALG_ERR_DATA_SIZE));
        CHECK(result.auth_status.alg_err == ODP_CRYPTO_ALG_ERR_NONE);
    }
    CHECK(odp_packet_reset(packet, 32) == 0 && odp_crypto_result(NULL, packet) == -2);
    odp_packet_free(packet);
    CHECK(odp_crypto_session_destroy(session) == 0 && odp_crypto_session_destroy(null) == 0);
    CHECK(odp_pool_destroy(pool) == 0);
}

/* Arrays are filled as far as they go. */
static void test_capabilities(void) {
    odp_crypto_cipher_capability_t lengths[3] = {{.key_len = 7}, {.key_len = 7}, {.key_len = 7}};
    CHECK(odp_crypto_cipher_capability(ODP_CIPHER_ALG_AES_CBC, lengths, 2) == 3 && lengths[2].key_len == 7);
    CHECK(lengths[0].key_len == 16 && lengths[1].key_len == 24 && lengths[1].iv_len == 16 && !lengths[1].bit_mode);
    CHECK(odp_crypto_cipher_capability(ODP_CIPHER_ALG_AES_CBC, lengths, 3) == 3 && lengths[2].key_len == 32);
    CHECK(odp_crypto_cipher_capability(ODP_CIPHER_ALG_NULL, lengths, 3) == 1 && lengths[0].key_len == 0);
    CHECK(lengths[0].iv_len == 0 && lengths[1].key_len == 24);
    CHECK(odp_crypto_cipher_capability((odp_cipher_alg_t)77, lengths, 3) < 0 && odp_errno() == ENOTSUP);
    CHECK(odp_crypto_auth_capability((odp_auth_alg_t)77, NULL, 0) < 0 && odp_errno() == ENOTSUP);
    CHECK(odp_crypto_auth_capability(ODP_AUTH_ALG_NULL, NULL, 0) == 1);
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

/* As many as the capabilities say at once; any number one after the other. */
static void test_one_session_at_a_time(void) {
    odp_crypto_capability_t capa;
    CHECK(odp_crypto_capability(&capa) == 0);
    for (uint32_t i = 0; i <= capa.max_sessions; i++)
        CHECK(odp_crypto_session_destroy(session_new()) == 0);
}

static void test_all_sessions(void) {
    odp_crypto_capability_t capa;
    CHECK(odp_crypto_capability(&capa) == 0);
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
    test_one_after_the_other();
    test_capabilities();
    test_refused_sessions();
    test_one_session_at_a_time();
    test_random();
    for (int i = 0; i < 3; i++) /* which the program forgets: they are none of the next instance */
        CHECK(session_new() != ODP_CRYPTO_SESSION_INVALID);
    test_end();
    test_begin();
    test_all_sessions();
    test_end();
    return 0;
}
