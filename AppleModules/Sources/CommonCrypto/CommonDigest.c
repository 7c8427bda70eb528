// MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4). Not by swift-crypto: it has no SHA-224, and its contexts are references,
// while a program copies a context as plain memory and need not end it.
#include "CommonCrypto/CommonDigest.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef void (*compression)(void *state, const uint8_t *block);

/// A context without its type.
typedef struct {
    void *state;
    uint8_t *block;
    uint32_t *used;
    uint64_t *length;
    uint32_t block_size;
    bool is_big_endian;
    compression compress;
} hash;

static void absorb(hash h, const uint8_t *data, size_t count) {
    *h.length += count;
    while (count > 0) {
        size_t room = h.block_size - *h.used;
        size_t part = room < count ? room : count;
        memcpy(h.block + *h.used, data, part);
        *h.used += (uint32_t)part;
        data += part;
        count -= part;
        if (*h.used == h.block_size) {
            h.compress(h.state, h.block);
            *h.used = 0;
        }
    }
}

/// Appends the padding and the length in bits, which has an eighth of the size of a block.
static void pad(hash h) {
    uint64_t length = *h.length;
    uint32_t length_size = h.block_size / 8;
    h.block[(*h.used)++] = 0x80;
    memset(h.block + *h.used, 0, h.block_size - *h.used);
    if (*h.used > h.block_size - length_size) {
        h.compress(h.state, h.block);
        memset(h.block, 0, h.block_size);
    }
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t place = h.is_big_endian ? h.block_size - 1 - i : h.block_size - 8 + i;
        h.block[place] = (uint8_t)((length << 3) >> (8 * i));
    }
    if (length_size == 16) h.block[h.block_size - 9] = (uint8_t)(length >> 61);
    h.compress(h.state, h.block);
    *h.used = 0;
}

static uint32_t left(uint32_t x, int n) { return x << n | x >> (32 - n); }
static uint32_t right(uint32_t x, int n) { return x >> n | x << (32 - n); }
static uint64_t right64(uint64_t x, int n) { return x >> n | x << (64 - n); }

static uint32_t big(const uint8_t *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }
static void put_big(uint8_t *p, uint32_t x) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(x >> (24 - 8 * i));
}

// MARK: MD5

static const uint32_t md5_constants[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static void md5_compress(void *state, const uint8_t *block) {
    static const uint8_t shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t *s = state, a = s[0], b = s[1], c = s[2], d = s[3];
    for (int i = 0; i < 64; i++) {
        uint32_t f;
        int g;
        switch (i / 16) {
            case 0: f = (b & c) | (~b & d), g = i; break;
            case 1: f = (d & b) | (~d & c), g = (5 * i + 1) % 16; break;
            case 2: f = b ^ c ^ d, g = (3 * i + 5) % 16; break;
            default: f = c ^ (b | ~d), g = 7 * i % 16; break;
        }
        const uint8_t *p = block + 4 * g;
        uint32_t word = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        uint32_t next = b + left(a + f + md5_constants[i] + word, shifts[i / 16][i % 4]);
        a = d, d = c, c = b, b = next;
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d;
}

static hash md5(CC_MD5_CTX *c) { return (hash){c->state, c->block, &c->used, &c->length, 64, false, md5_compress}; }

int CC_MD5_Init(CC_MD5_CTX *c) {
    *c = (CC_MD5_CTX){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
    return 1;
}

int CC_MD5_Update(CC_MD5_CTX *c, const void *data, CC_LONG len) {
    absorb(md5(c), data, len);
    return 1;
}

int CC_MD5_Final(unsigned char *md, CC_MD5_CTX *c) {
    pad(md5(c));
    for (int i = 0; i < CC_MD5_DIGEST_LENGTH; i++) md[i] = (uint8_t)(c->state[i / 4] >> (8 * (i % 4)));
    return 1;
}

// MARK: SHA-1

static void sha1_compress(void *state, const uint8_t *block) {
    uint32_t *s = state, a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], w[80];
    for (int i = 0; i < 16; i++) w[i] = big(block + 4 * i);
    for (int i = 16; i < 80; i++) w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t f, k;
        switch (i / 20) {
            case 0: f = (b & c) | (~b & d), k = 0x5a827999; break;
            case 1: f = b ^ c ^ d, k = 0x6ed9eba1; break;
            case 2: f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc; break;
            default: f = b ^ c ^ d, k = 0xca62c1d6; break;
        }
        uint32_t next = left(a, 5) + f + e + k + w[i];
        e = d, d = c, c = left(b, 30), b = a, a = next;
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e;
}

static hash sha1(CC_SHA1_CTX *c) { return (hash){c->state, c->block, &c->used, &c->length, 64, true, sha1_compress}; }

int CC_SHA1_Init(CC_SHA1_CTX *c) {
    *c = (CC_SHA1_CTX){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
    return 1;
}

int CC_SHA1_Update(CC_SHA1_CTX *c, const void *data, CC_LONG len) {
    absorb(sha1(c), data, len);
    return 1;
}

int CC_SHA1_Final(unsigned char *md, CC_SHA1_CTX *c) {
    pad(sha1(c));
    for (int i = 0; i < 5; i++) put_big(md + 4 * i, c->state[i]);
    return 1;
}

// MARK: SHA-2

/// The constants of SHA-512. Those of SHA-256 are the upper halves of the first 64.
static const uint64_t sha2_constants[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

/// The first state of SHA-512, then that of SHA-384. The upper halves of the former are that of SHA-256, the lower halves of the latter that of
/// SHA-224.
static const uint64_t sha2_states[16] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

static void sha256_compress(void *state, const uint8_t *block) {
    uint32_t *s = state, v[8], w[64];
    memcpy(v, s, sizeof v);
    for (int i = 0; i < 64; i++) {
        if (i < 16) {
            w[i] = big(block + 4 * i);
        } else {
            uint32_t x = w[i - 15], y = w[i - 2];
            w[i] = w[i - 16] + w[i - 7] + (right(x, 7) ^ right(x, 18) ^ x >> 3) + (right(y, 17) ^ right(y, 19) ^ y >> 10);
        }
        uint32_t a = v[0], e = v[4];
        uint32_t first = v[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & v[5]) ^ (~e & v[6]))
            + (uint32_t)(sha2_constants[i] >> 32) + w[i];
        uint32_t second = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) s[i] += v[i];
}

static hash sha256(CC_SHA256_CTX *c) { return (hash){c->state, c->block, &c->used, &c->length, 64, true, sha256_compress}; }

int CC_SHA256_Init(CC_SHA256_CTX *c) {
    *c = (CC_SHA256_CTX){.used = 0};
    for (int i = 0; i < 8; i++) c->state[i] = (uint32_t)(sha2_states[i] >> 32);
    return 1;
}

int CC_SHA224_Init(CC_SHA256_CTX *c) {
    *c = (CC_SHA256_CTX){.used = 0};
    for (int i = 0; i < 8; i++) c->state[i] = (uint32_t)sha2_states[8 + i];
    return 1;
}

int CC_SHA256_Update(CC_SHA256_CTX *c, const void *data, CC_LONG len) {
    absorb(sha256(c), data, len);
    return 1;
}

int CC_SHA224_Update(CC_SHA256_CTX *c, const void *data, CC_LONG len) { return CC_SHA256_Update(c, data, len); }

static int sha256_final(uint8_t *md, CC_SHA256_CTX *c, int length) {
    pad(sha256(c));
    for (int i = 0; i < length / 4; i++) put_big(md + 4 * i, c->state[i]);
    return 1;
}

int CC_SHA256_Final(unsigned char *md, CC_SHA256_CTX *c) { return sha256_final(md, c, CC_SHA256_DIGEST_LENGTH); }
int CC_SHA224_Final(unsigned char *md, CC_SHA256_CTX *c) { return sha256_final(md, c, CC_SHA224_DIGEST_LENGTH); }

static void sha512_compress(void *state, const uint8_t *block) {
    uint64_t *s = state, v[8], w[80];
    memcpy(v, s, sizeof v);
    for (int i = 0; i < 80; i++) {
        if (i < 16) {
            w[i] = (uint64_t)big(block + 8 * i) << 32 | big(block + 8 * i + 4);
        } else {
            uint64_t x = w[i - 15], y = w[i - 2];
            w[i] = w[i - 16] + w[i - 7] + (right64(x, 1) ^ right64(x, 8) ^ x >> 7) + (right64(y, 19) ^ right64(y, 61) ^ y >> 6);
        }
        uint64_t a = v[0], e = v[4];
        uint64_t first = v[7] + (right64(e, 14) ^ right64(e, 18) ^ right64(e, 41)) + ((e & v[5]) ^ (~e & v[6]))
            + sha2_constants[i] + w[i];
        uint64_t second = (right64(a, 28) ^ right64(a, 34) ^ right64(a, 39)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) s[i] += v[i];
}

static hash sha512(CC_SHA512_CTX *c) { return (hash){c->state, c->block, &c->used, &c->length, 128, true, sha512_compress}; }

int CC_SHA512_Init(CC_SHA512_CTX *c) {
    *c = (CC_SHA512_CTX){.used = 0};
    memcpy(c->state, sha2_states, sizeof c->state);
    return 1;
}

int CC_SHA384_Init(CC_SHA512_CTX *c) {
    *c = (CC_SHA512_CTX){.used = 0};
    memcpy(c->state, sha2_states + 8, sizeof c->state);
    return 1;
}

int CC_SHA512_Update(CC_SHA512_CTX *c, const void *data, CC_LONG len) {
    absorb(sha512(c), data, len);
    return 1;
}

int CC_SHA384_Update(CC_SHA512_CTX *c, const void *data, CC_LONG len) { return CC_SHA512_Update(c, data, len); }

static int sha512_final(uint8_t *md, CC_SHA512_CTX *c, int length) {
    pad(sha512(c));
    for (int i = 0; i < length / 4; i++) put_big(md + 4 * i, (uint32_t)(c->state[i / 2] >> (i % 2 ? 0 : 32)));
    return 1;
}

int CC_SHA512_Final(unsigned char *md, CC_SHA512_CTX *c) { return sha512_final(md, c, CC_SHA512_DIGEST_LENGTH); }
int CC_SHA384_Final(unsigned char *md, CC_SHA512_CTX *c) { return sha512_final(md, c, CC_SHA384_DIGEST_LENGTH); }

// MARK: at once

#define AT_ONCE(NAME, CONTEXT) \
    unsigned char *NAME(const void *data, CC_LONG len, unsigned char *md) { \
        if (!md) return NULL; \
        CONTEXT c; \
        NAME##_Init(&c); \
        NAME##_Update(&c, data, len); \
        NAME##_Final(md, &c); \
        return md; \
    }

AT_ONCE(CC_MD5, CC_MD5_CTX)
AT_ONCE(CC_SHA1, CC_SHA1_CTX)
AT_ONCE(CC_SHA224, CC_SHA256_CTX)
AT_ONCE(CC_SHA256, CC_SHA256_CTX)
AT_ONCE(CC_SHA384, CC_SHA512_CTX)
AT_ONCE(CC_SHA512, CC_SHA512_CTX)
