#pragma once

#include "CommonCryptoError.h"
#include <stddef.h>

enum { kCCPBKDF2 = 2 };
typedef uint32_t CCPBKDFAlgorithm;

/// The digest of the message authentication code that PBKDF2 repeats.
enum {
    kCCPRFHmacAlgSHA1 = 1,
    kCCPRFHmacAlgSHA224 = 2,
    kCCPRFHmacAlgSHA256 = 3,
    kCCPRFHmacAlgSHA384 = 4,
    kCCPRFHmacAlgSHA512 = 5,
};
typedef uint32_t CCPseudoRandomAlgorithm;

/// Derives a key of `derivedKeyLen` octets from a password with PBKDF2 (RFC 8018, 5.2).
///
/// Returns kCCSuccess, or kCCParamError for an unknown algorithm, for 0 rounds or for an empty key.
int CCKeyDerivationPBKDF(
    CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt, size_t saltLen,
    CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey, size_t derivedKeyLen);
