/* Crypto sessions and operations. The vectors are those of NIST SP 800-38A, F.2.1 to F.2.6. */
#include "check.h"

#define BLOCK 16u
#define TEXT 64u
#define BURST_MAX 70u

static const uint8_t plain[TEXT] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73,
                                    0x93, 0x17, 0x2a, 0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c, 0x9e, 0xb7,
                                    0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51, 0x30, 0xc8, 0x1c, 0x46, 0xa3, 0x5c, 0xe4,
                                    0x11, 0xe5, 0xfb, 0xc1, 0x19, 0x1a, 0x0a, 0x52, 0xef, 0xf6, 0x9f, 0x24, 0x45,
                                    0xdf, 0x4f, 0x9b, 0x17, 0xad, 0x2b, 0x41, 0x7b, 0xe6, 0x6c, 0x37, 0x10};

/* The last block of the cipher text; the chain makes it depend on all that comes before. */
static struct {
    uint32_t key_len;
    uint8_t key[32], last[BLOCK];
} vectors[] = {
    {16,
     {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c},
     {0x3f, 0xf1, 0xca, 0xa1, 0x68, 0x1f, 0xac, 0x09, 0x12, 0x0e, 0xca, 0x30, 0x75, 0x86, 0xe1, 0xa7}},
    {24,
     {0x8e, 0x73, 0xb0, 0xf7, 0xda, 0x0e, 0x64, 0x52, 0xc8, 0x10, 0xf3, 0x2b,
      0x80, 0x90, 0x79, 0xe5, 0x62, 0xf8, 0xea, 0xd2, 0x52, 0x2c, 0x6b, 0x7b},
     {0x08, 0xb0, 0xe2, 0x79, 0x88, 0x59, 0x88, 0x81, 0xd9, 0x20, 0xa9, 0xe6, 0x4f, 0x56, 0x15, 0xcd}},
    {32,
     {0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
      0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4},
     {0xb2, 0xeb, 0x05, 0xe2, 0xc3, 0x9b, 0xe9, 0xfc, 0xda, 0x6c, 0x19, 0x07, 0x8c, 0x6a, 0x9d, 0x1b}},
};

static odp_pool_t pool;

static odp_crypto_session_param_t parameters(odp_crypto_op_t op, uint8_t *key, uint32_t key_len) {
    odp_crypto_session_param_t param;
    odp_crypto_session_param_init(&param);
    CHECK(param.op == ODP_CRYPTO_OP_ENCODE && param.op_type == ODP_CRYPTO_OP_TYPE_BASIC);
    CHECK(param.op_mode == ODP_CRYPTO_SYNC && param.cipher_alg == ODP_CIPHER_ALG_NULL && param.cipher_iv_len == 0);
    CHECK(param.auth_alg == ODP_AUTH_ALG_NULL && !param.cipher_range_in_bits && !param.null_crypto_enable);
    param.op = op;
    param.cipher_alg = ODP_CIPHER_ALG_AES_CBC;
    param.cipher_key.data = key;
    param.cipher_key.length = key_len;
    param.cipher_iv_len = BLOCK;
    return param;
}

/* The key may be gone after the call. */
static odp_crypto_session_t session(odp_crypto_op_t op, const uint8_t *key, uint32_t key_len) {
    uint8_t copy[32];
    memcpy(copy, key, key_len);
    odp_crypto_session_param_t param = parameters(op, copy, key_len);
    odp_crypto_session_t made = ODP_CRYPTO_SESSION_INVALID;
    odp_crypto_ses_create_err_t status = ODP_CRYPTO_SES_ERR_PARAMS;
    CHECK(odp_crypto_session_create(&param, &made, &status) == 0);
    CHECK(made != ODP_CRYPTO_SESSION_INVALID && status == ODP_CRYPTO_SES_ERR_NONE);
    memset(copy, 0xff, sizeof(copy));
    return made;
}

static odp_packet_t packet(uint32_t head, const uint8_t *text, uint32_t length) {
    odp_packet_t made = odp_packet_alloc(pool, head + length);
    CHECK(made != ODP_PACKET_INVALID);
    CHECK(odp_packet_copy_from_mem(made, head, length, text) == 0);
    memset(odp_packet_data(made), 0xee, head);
    odp_packet_user_ptr_set(made, vectors);
    memset(odp_packet_user_area(made), 0x5a, 8);
    return made;
}

/* The packet that comes of an operation; whether it succeeded is `expected`. */
static odp_packet_t operate(odp_crypto_session_t with, const uint8_t *iv, odp_packet_t in, uint32_t offset,
                            uint32_t length, int expected) {
    odp_crypto_packet_op_param_t param = {.session = with, .cipher_iv_ptr = iv};
    param.cipher_range.offset = offset;
    param.cipher_range.length = length;
    odp_packet_t out = ODP_PACKET_INVALID;
    CHECK(odp_crypto_op(&in, &out, &param, 1) == 1 && out != ODP_PACKET_INVALID);
    odp_crypto_packet_result_t result;
    odp_event_subtype_t subtype;
    odp_event_t event = odp_crypto_packet_to_event(out);
    CHECK(odp_event_types(event, &subtype) == ODP_EVENT_PACKET && subtype == ODP_EVENT_PACKET_CRYPTO);
    CHECK(odp_crypto_packet_from_event(event) == out);
    CHECK(odp_crypto_result(NULL, out) == expected && odp_crypto_result(&result, out) == expected);
    CHECK(expected == 0 || result.cipher_status.alg_err != ODP_CRYPTO_ALG_ERR_NONE);
    CHECK(odp_packet_user_ptr(out) == vectors && *(uint8_t *)odp_packet_user_area(out) == 0x5a);
    return out;
}

static void test_capabilities(void) {
    odp_crypto_capability_t capa;
    odp_crypto_cipher_capability_t lengths[16];
    CHECK(odp_crypto_capability(&capa) == 0);
    CHECK(capa.max_sessions > 1 && capa.sync_mode != ODP_SUPPORT_NO && capa.ciphers.bit.aes_cbc);
    CHECK(capa.auths.bit.null);
    int count = odp_crypto_cipher_capability(ODP_CIPHER_ALG_AES_CBC, lengths, 16);
    CHECK(count >= 1 && count <= 16 && odp_crypto_cipher_capability(ODP_CIPHER_ALG_AES_CBC, NULL, 0) == count);
    for (int i = 0; i < count; i++)
        CHECK(lengths[i].iv_len == BLOCK && (i == 0 || lengths[i].key_len > lengths[i - 1].key_len));
    CHECK(lengths[0].key_len == 16);
    odp_crypto_auth_capability_t auth;
    CHECK(odp_crypto_auth_capability(ODP_AUTH_ALG_NULL, &auth, 1) == 1);
    CHECK(auth.digest_len == 0 && auth.key_len == 0 && auth.iv_len == 0);
}

static void test_vectors(void) {
    uint8_t iv[BLOCK], found[TEXT], cipher[TEXT];
    for (uint8_t i = 0; i < BLOCK; i++)
        iv[i] = i;
    for (unsigned v = 0; v < 3; v++) {
        odp_crypto_session_t encode = session(ODP_CRYPTO_OP_ENCODE, vectors[v].key, vectors[v].key_len);
        odp_crypto_session_t decode = session(ODP_CRYPTO_OP_DECODE, vectors[v].key, vectors[v].key_len);
        /* more than once: no packet may depend on the one before */
        for (uint32_t head = 0; head < 60; head += 29) {
            odp_packet_t pkt = operate(encode, iv, packet(head, plain, TEXT), head, TEXT, 0);
            CHECK(odp_packet_len(pkt) == head + TEXT);
            odp_packet_copy_to_mem(pkt, head, TEXT, cipher);
            CHECK(memcmp(cipher + TEXT - BLOCK, vectors[v].last, BLOCK) == 0);
            pkt = operate(decode, iv, pkt, head, TEXT, 0);
            odp_packet_copy_to_mem(pkt, head, TEXT, found);
            CHECK(memcmp(found, plain, TEXT) == 0 && (head == 0 || *(uint8_t *)odp_packet_data(pkt) == 0xee));
            odp_packet_free(pkt);
        }
        CHECK(odp_crypto_session_destroy(encode) == 0 && odp_crypto_session_destroy(decode) == 0);
    }
}

/* Several packets of several sessions in one call, and each on its own, give the same; one among them fails alone. */
static void test_bursts(unsigned count) {
    odp_crypto_session_t with[2] = {session(ODP_CRYPTO_OP_ENCODE, vectors[0].key, 16),
                                    session(ODP_CRYPTO_OP_DECODE, vectors[2].key, 32)};
    odp_packet_t in[BURST_MAX], out[BURST_MAX];
    odp_crypto_packet_op_param_t params[BURST_MAX];
    uint8_t ivs[BURST_MAX][BLOCK], together[TEXT], alone[TEXT];
    const unsigned wrong = count > 2 ? count / 2 : count;
    memset(params, 0, sizeof(params));
    for (unsigned i = 0; i < count; i++) {
        memset(ivs[i], (int)(i * 37), BLOCK);
        in[i] = packet(0, plain, TEXT);
        out[i] = ODP_PACKET_INVALID;
        params[i].session = with[i % 2];
        params[i].cipher_iv_ptr = ivs[i];
        params[i].cipher_range.offset = i % 3;
        params[i].cipher_range.length = BLOCK * (1 + i % 3) + (i == wrong);
    }
    CHECK(odp_crypto_op(in, out, params, (int)count) == (int)count);
    for (unsigned i = count; i-- > 0;) {
        CHECK(odp_crypto_result(NULL, out[i]) == (i == wrong ? -1 : 0));
        if (i == wrong) {
            odp_packet_free(out[i]);
            continue;
        }
        odp_packet_t one = operate(with[i % 2], ivs[i], packet(0, plain, TEXT), i % 3, BLOCK * (1 + i % 3), 0);
        odp_packet_copy_to_mem(out[i], 0, TEXT, together);
        odp_packet_copy_to_mem(one, 0, TEXT, alone);
        CHECK(memcmp(together, alone, TEXT) == 0 && memcmp(together, plain, TEXT) != 0);
        odp_packet_free(one);
        odp_packet_free(out[i]);
    }
    CHECK(odp_crypto_session_destroy(with[0]) == 0 && odp_crypto_session_destroy(with[1]) == 0);
}

/* What fails leaves a packet that its receiver may free, and says so. */
static void test_errors(void) {
    uint8_t iv[BLOCK] = {0};
    odp_crypto_session_t encode = session(ODP_CRYPTO_OP_ENCODE, vectors[0].key, 16);
    odp_packet_free(operate(encode, iv, packet(0, plain, TEXT), 0, BLOCK + 1, -1));
    odp_packet_t pkt = operate(encode, iv, packet(0, plain, TEXT), 0, TEXT, 0);
    CHECK(odp_packet_subtype(pkt) == ODP_EVENT_PACKET_CRYPTO);
    odp_packet_free(pkt);
    CHECK(odp_crypto_session_to_u64(encode) != odp_crypto_session_to_u64(ODP_CRYPTO_SESSION_INVALID));
#if SINCE(50)
    odp_crypto_session_print(encode);
#endif
    CHECK(odp_crypto_session_destroy(encode) == 0);

    odp_crypto_session_param_t param = parameters(ODP_CRYPTO_OP_ENCODE, vectors[0].key, 15);
    odp_crypto_session_t made;
    odp_crypto_ses_create_err_t status = ODP_CRYPTO_SES_ERR_NONE;
    CHECK(odp_crypto_session_create(&param, &made, &status) < 0);
    CHECK(made == ODP_CRYPTO_SESSION_INVALID && status != ODP_CRYPTO_SES_ERR_NONE);
    param = parameters(ODP_CRYPTO_OP_ENCODE, vectors[0].key, 16);
    param.cipher_iv_len = 15;
    CHECK(odp_crypto_session_create(&param, &made, &status) < 0 && made == ODP_CRYPTO_SESSION_INVALID);
}

/* A range in bits is refused where the capabilities do not have it, with the null algorithms as well. */
static void test_bits(odp_cipher_alg_t cipher, bool cipher_bits, bool auth_bits) {
    odp_crypto_cipher_capability_t cipher_capa;
    odp_crypto_auth_capability_t auth_capa;
    odp_crypto_session_param_t param = parameters(ODP_CRYPTO_OP_ENCODE, vectors[0].key, 16);
    odp_crypto_session_t made;
    odp_crypto_ses_create_err_t status;
    CHECK(odp_crypto_cipher_capability(cipher, &cipher_capa, 1) >= 1);
    CHECK(odp_crypto_auth_capability(ODP_AUTH_ALG_NULL, &auth_capa, 1) >= 1);
    bool legal = (!cipher_bits || cipher_capa.bit_mode) && (!auth_bits || auth_capa.bit_mode);
    if (cipher == ODP_CIPHER_ALG_NULL) {
        param.cipher_key.length = 0;
        param.cipher_iv_len = 0;
    }
    param.cipher_alg = cipher;
    param.cipher_range_in_bits = cipher_bits;
    param.auth_range_in_bits = auth_bits;
    CHECK((odp_crypto_session_create(&param, &made, &status) == 0) == legal);
    CHECK(legal ? odp_crypto_session_destroy(made) == 0 : made == ODP_CRYPTO_SESSION_INVALID);
}

static odp_crypto_session_t shared;
static odp_barrier_t all_there;

static void use_shared(int number) {
    uint8_t iv[BLOCK], last[BLOCK];
    for (uint8_t i = 0; i < BLOCK; i++)
        iv[i] = i;
    odp_barrier_wait(&all_there); /* all at once, none in the place of one that has left */
    for (unsigned i = 0; i < 200; i++) {
        odp_packet_t pkt = operate(shared, iv, packet((uint32_t)number, plain, TEXT), (uint32_t)number, TEXT, 0);
        odp_packet_copy_to_mem(pkt, (uint32_t)number + TEXT - BLOCK, BLOCK, last);
        CHECK(memcmp(last, vectors[0].last, BLOCK) == 0);
        odp_packet_free(pkt);
    }
    odp_barrier_wait(&all_there);
}

int main(void) {
    test_begin();
    pool = test_packet_pool(BURST_MAX + 30, 256, 8, 4);
    test_capabilities();
    test_vectors();
    for (unsigned count = 1; count <= BURST_MAX; count++)
        test_bursts(count);
    test_errors();
    for (int bits = 0; bits < 4; bits++) {
        test_bits(ODP_CIPHER_ALG_NULL, bits & 1, bits & 2);
        test_bits(ODP_CIPHER_ALG_AES_CBC, bits & 1, bits & 2);
    }
    shared = session(ODP_CRYPTO_OP_ENCODE, vectors[0].key, 16);
    odp_barrier_init(&all_there, 4);
    test_threads(4, use_shared);
    CHECK(odp_crypto_session_destroy(shared) == 0);
    CHECK(odp_pool_destroy(pool) == 0);
    test_end();
    return 0;
}
