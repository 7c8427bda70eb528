#pragma once

#include "CommonCryptoError.h"
#include <stddef.h>

typedef CCCryptorStatus CCRNGStatus;

/// Writes `count` random octets for keys. Returns kCCSuccess, or kCCParamError without a buffer.
CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count);
