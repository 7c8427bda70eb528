// HMAC (RFC 2104), and PBKDF2 (RFC 8018) with it. swift-crypto's PBKDF2 is no substitute: where it sees a module CommonCrypto, it calls this one.
#include "CommonCrypto/CommonHMAC.h"

#include "CommonCrypto/CommonKeyDerivation.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK = CC_SHA512_BLOCK_BYTES, MAX_DIGEST = CC_SHA512_DIGEST_LENGTH };

/// A digest, by functions without the type of its context.
typedef struct {
    int (*init)(void *);
    int (*update)(void *, const void *, CC_LONG);
    int (*final)(unsigned char *, void *);
    size_t length;
    size_t block;
} digest;

#define DIGEST(NAME, CONTEXT, LENGTH, BLOCK) \
    static int NAME##_init(void *c) { return CC_##NAME##_Init((CONTEXT *)c); } \
    static int NAME##_update(void *c, const void *data, CC_LONG n) { return CC_##NAME##_Update((CONTEXT *)c, data, n); } \
    static int NAME##_final(unsigned char *md, void *c) { return CC_##NAME##_Final(md, (CONTEXT *)c); } \
    static const digest NAME##_digest = {NAME##_init, NAME##_update, NAME##_final, LENGTH, BLOCK};

DIGEST(MD5, CC_MD5_CTX, CC_MD5_DIGEST_LENGTH, CC_MD5_BLOCK_BYTES)
DIGEST(SHA1, CC_SHA1_CTX, CC_SHA1_DIGEST_LENGTH, CC_SHA1_BLOCK_BYTES)
DIGEST(SHA224, CC_SHA256_CTX, CC_SHA224_DIGEST_LENGTH, CC_SHA224_BLOCK_BYTES)
DIGEST(SHA256, CC_SHA256_CTX, CC_SHA256_DIGEST_LENGTH, CC_SHA256_BLOCK_BYTES)
DIGEST(SHA384, CC_SHA512_CTX, CC_SHA384_DIGEST_LENGTH, CC_SHA384_BLOCK_BYTES)
DIGEST(SHA512, CC_SHA512_CTX, CC_SHA512_DIGEST_LENGTH, CC_SHA512_BLOCK_BYTES)

static const digest *of(CCHmacAlgorithm algorithm) {
    switch (algorithm) {
        case kCCHmacAlgMD5: return &MD5_digest;
        case kCCHmacAlgSHA1: return &SHA1_digest;
        case kCCHmacAlgSHA224: return &SHA224_digest;
        case kCCHmacAlgSHA256: return &SHA256_digest;
        case kCCHmacAlgSHA384: return &SHA384_digest;
        case kCCHmacAlgSHA512: return &SHA512_digest;
        // A code that is not made must not look like one.
        default: abort();
    }
}

/// Adds data of any length; the functions of a digest take less than 4 GiB.
static void add(const digest *d, void *context, const uint8_t *data, size_t count) {
    while (count > 0) {
        CC_LONG part = count > 1u << 30 ? 1u << 30 : (CC_LONG)count;
        d->update(context, data, part);
        data += part;
        count -= part;
    }
}

/// Hashes the key with a mask. Copies of the key do not stay in memory here and below; the caller's context is the caller's.
static void start(const digest *d, void *context, const uint8_t *key, uint8_t mask) {
    uint8_t block[MAX_BLOCK];
    for (size_t i = 0; i < d->block; i++) block[i] = key[i] ^ mask;
    d->init(context);
    add(d, context, block, d->block);
    explicit_bzero(block, sizeof block);
}

void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength) {
    const digest *d = of(algorithm);
    uint8_t block[MAX_BLOCK] = {0};
    if (keyLength > d->block) {
        d->init(&ctx->inner);
        add(d, &ctx->inner, key, keyLength);
        d->final(block, &ctx->inner);
    } else if (keyLength > 0) {
        memcpy(block, key, keyLength);
    }
    ctx->algorithm = algorithm;
    start(d, &ctx->inner, block, 0x36);
    start(d, &ctx->outer, block, 0x5c);
    explicit_bzero(block, sizeof block);
}

void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength) {
    add(of(ctx->algorithm), &ctx->inner, data, dataLength);
}

void CCHmacFinal(CCHmacContext *ctx, void *macOut) {
    const digest *d = of(ctx->algorithm);
    uint8_t inner[MAX_DIGEST];
    d->final(inner, &ctx->inner);
    add(d, &ctx->outer, inner, d->length);
    d->final(macOut, &ctx->outer);
}

void CCHmac(
    CCHmacAlgorithm algorithm, const void *key, size_t keyLength, const void *data, size_t dataLength, void *macOut) {
    CCHmacContext context;
    CCHmacInit(&context, algorithm, key, keyLength);
    CCHmacUpdate(&context, data, dataLength);
    CCHmacFinal(&context, macOut);
    explicit_bzero(&context, sizeof context);
}

int CCKeyDerivationPBKDF(
    CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt, size_t saltLen,
    CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey, size_t derivedKeyLen) {
    static const CCHmacAlgorithm codes[] = {
        kCCHmacAlgSHA1, kCCHmacAlgSHA224, kCCHmacAlgSHA256, kCCHmacAlgSHA384, kCCHmacAlgSHA512};
    if (algorithm != kCCPBKDF2 || prf < kCCPRFHmacAlgSHA1 || prf > kCCPRFHmacAlgSHA512) return kCCParamError;
    if (rounds == 0 || !derivedKey || derivedKeyLen == 0) return kCCParamError;
    if ((!password && passwordLen > 0) || (!salt && saltLen > 0)) return kCCParamError;
    size_t length = of(codes[prf - 1])->length;
    // The number of a block has 32 bits.
    if ((derivedKeyLen - 1) / length >= UINT32_MAX) return kCCParamError;

    // The contexts after the key are the same in every round.
    CCHmacContext keyed;
    CCHmacInit(&keyed, codes[prf - 1], password, passwordLen);
    CCHmacContext context;
    uint8_t u[MAX_DIGEST], sum[MAX_DIGEST];
    for (uint32_t number = 1; derivedKeyLen > 0; number++) {
        const uint8_t index[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
        context = keyed;
        CCHmacUpdate(&context, salt, saltLen);
        CCHmacUpdate(&context, index, sizeof index);
        CCHmacFinal(&context, u);
        memcpy(sum, u, length);
        for (unsigned round = 1; round < rounds; round++) {
            context = keyed;
            CCHmacUpdate(&context, u, length);
            CCHmacFinal(&context, u);
            for (size_t i = 0; i < length; i++) sum[i] ^= u[i];
        }
        size_t part = derivedKeyLen < length ? derivedKeyLen : length;
        memcpy(derivedKey, sum, part);
        derivedKey += part;
        derivedKeyLen -= part;
    }
    explicit_bzero(&keyed, sizeof keyed);
    explicit_bzero(&context, sizeof context);
    explicit_bzero(u, sizeof u);
    explicit_bzero(sum, sizeof sum);
    return kCCSuccess;
}
