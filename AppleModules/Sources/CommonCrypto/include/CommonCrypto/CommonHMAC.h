#pragma once

#include "CommonDigest.h"
#include <stddef.h>

/// The digest of a message authentication code.
enum {
    kCCHmacAlgSHA1,
    kCCHmacAlgMD5,
    kCCHmacAlgSHA256,
    kCCHmacAlgSHA384,
    kCCHmacAlgSHA512,
    kCCHmacAlgSHA224,
};
typedef uint32_t CCHmacAlgorithm;

/// Plain memory, as the context of a digest.
typedef struct {
    CCHmacAlgorithm algorithm;
    union {
        CC_SHA1_CTX sha1;
        CC_SHA256_CTX sha256;
        CC_SHA512_CTX sha512;
    } inner, outer;
} CCHmacContext;

/// Starts a code. An algorithm that does not exist ends the program.
void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength);
/// Adds data.
void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength);
/// Writes the code, which has the length of the digest.
void CCHmacFinal(CCHmacContext *ctx, void *macOut);
/// The three functions above in one call.
void CCHmac(
    CCHmacAlgorithm algorithm, const void *key, size_t keyLength, const void *data, size_t dataLength, void *macOut);
