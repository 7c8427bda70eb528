// The part of Apple's library CommonCrypto that Swift programs use. A C module, as on Apple's systems: only then do the functions and
// constants have the types that a Swift program sees there, and accept the pointers that C functions accept.
#pragma once

#include "CommonCryptoError.h"
#include "CommonCryptor.h"
#include "CommonDigest.h"
#include "CommonHMAC.h"
#include "CommonKeyDerivation.h"
#include "CommonRandom.h"
