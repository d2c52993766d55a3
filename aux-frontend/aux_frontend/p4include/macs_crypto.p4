// Ciphers for the payload: what macsad's switches can do beyond v1model. Include it after v1model.p4.
//
// A call is a request: what follows the headers that the deparser emits is ciphered in place when the packet leaves egress,
// after checksums, deparser and truncate; a recirculated packet comes back ciphered. Until then the program, its checksums
// and its clones see the payload as it was. Copies made at the end of ingress have the request too. The last call counts.
//
// Blocks are 16 bytes, and nothing is padded: a payload that is not whole blocks is dropped, since what is
// left over would leave in the clear. An empty payload is sent as it is.

#ifndef _MACS_CRYPTO_P4_
#define _MACS_CRYPTO_P4_

// AES-128 in cipher block chaining mode (FIPS 197, NIST SP 800-38A section 6.2). The bytes of key and initialization vector
// are in network order. For encryption the vector must be one that nobody can foresee; the receiver needs it in a header.
extern void aes_128_cbc_encrypt(in bit<128> key, in bit<128> iv);
extern void aes_128_cbc_decrypt(in bit<128> key, in bit<128> iv);

#endif
