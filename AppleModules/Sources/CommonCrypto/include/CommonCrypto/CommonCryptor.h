// Encryption with AES. The functions are in Sources/CommonCryptoFunctions.
#pragma once

#include "CommonCryptoError.h"
#include <stdbool.h>
#include <stddef.h>

enum { kCCEncrypt = 0, kCCDecrypt = 1 };
typedef uint32_t CCOperation;

/// The cipher. Linux has AES only, with keys of 16, 24 and 32 octets.
enum {
    kCCAlgorithmAES128 = 0,
    kCCAlgorithmAES = 0,
    kCCAlgorithmDES = 1,
    kCCAlgorithm3DES = 2,
    kCCAlgorithmCAST = 3,
    kCCAlgorithmRC4 = 4,
    kCCAlgorithmRC2 = 5,
    kCCAlgorithmBlowfish = 6,
};
typedef uint32_t CCAlgorithm;

/// Without kCCOptionECBMode, the mode is CBC. An initialization vector has 16 octets; without one, it is 0. ECB does not read it.
enum { kCCOptionPKCS7Padding = 1, kCCOptionECBMode = 2 };
typedef uint32_t CCOptions;

enum { kCCKeySizeAES128 = 16, kCCKeySizeAES192 = 24, kCCKeySizeAES256 = 32 };
enum { kCCBlockSizeAES128 = 16 };

/// The mode. Linux has ECB, CBC and CTR.
enum {
    kCCModeECB = 1,
    kCCModeCBC = 2,
    kCCModeCFB = 3,
    kCCModeCTR = 4,
    kCCModeOFB = 7,
    kCCModeRC4 = 9,
    kCCModeCFB8 = 10,
};
typedef uint32_t CCMode;

enum { ccNoPadding = 0, ccPKCS7Padding = 1 };
typedef uint32_t CCPadding;

/// The counter of CTR is big-endian, with this option and without it.
enum { kCCModeOptionCTR_BE = 2 };
typedef uint32_t CCModeOptions;

typedef struct _CCCryptor *CCCryptorRef;

/// Encrypts or decrypts data at once.
///
/// `dataOut` may be `dataIn`. `dataOutMoved` receives the number of octets written, or with kCCBufferTooSmall the required size.
CCCryptorStatus CCCrypt(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved);

/// Makes a cryptor for data in parts. CCCryptorRelease ends it.
CCCryptorStatus CCCryptorCreate(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    CCCryptorRef *cryptorRef);

/// Makes a cryptor with a mode of its own. `tweak`, `tweakLength` and `numRounds` have no effect.
CCCryptorStatus CCCryptorCreateWithMode(
    CCOperation op, CCMode mode, CCAlgorithm alg, CCPadding padding, const void *iv, const void *key, size_t keyLength,
    const void *tweak, size_t tweakLength, int numRounds, CCModeOptions options, CCCryptorRef *cryptorRef);

/// Adds data and writes the blocks that are complete. A cryptor that decrypts with padding keeps the last block for CCCryptorFinal.
CCCryptorStatus CCCryptorUpdate(
    CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable,
    size_t *dataOutMoved);

/// Writes the last block, and adds or removes the padding.
CCCryptorStatus CCCryptorFinal(CCCryptorRef cryptorRef, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved);

/// The greatest number of octets that a call with an input of this length writes; with `final`, including those of CCCryptorFinal.
size_t CCCryptorGetOutputLength(CCCryptorRef cryptorRef, size_t inputLength, bool final);

/// Starts again with another initialization vector.
CCCryptorStatus CCCryptorReset(CCCryptorRef cryptorRef, const void *iv);

CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptorRef);
