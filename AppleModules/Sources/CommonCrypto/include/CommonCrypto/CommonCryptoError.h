#pragma once

#include <stdint.h>

/// The result of a function. All numbers are Apple's.
enum {
    kCCSuccess = 0,
    /// A parameter has no valid value.
    kCCParamError = -4300,
    /// The output buffer is too small. The function wrote nothing, and reports the required size in octets.
    kCCBufferTooSmall = -4301,
    kCCMemoryFailure = -4302,
    /// The length of the input is no multiple of the block size, and the cryptor does not pad.
    kCCAlignmentError = -4303,
    /// The padding of the decrypted data is invalid.
    kCCDecodeError = -4304,
    /// Linux has no implementation of the algorithm or mode.
    kCCUnimplemented = -4305,
    kCCOverflow = -4306,
    kCCRNGFailure = -4307,
    kCCUnspecifiedError = -4308,
    kCCCallSequenceError = -4309,
    /// The length of the key does not fit the algorithm.
    kCCKeySizeError = -4310,
    kCCInvalidKey = -4311,
};
typedef int32_t CCStatus;
typedef int32_t CCCryptorStatus;
