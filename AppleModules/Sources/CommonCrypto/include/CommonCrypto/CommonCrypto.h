// The part of Apple's library CommonCrypto that Swift programs use. A C module, as on Apple's systems: only then do the functions and
// constants have the types that a Swift program sees there, and accept the pointers that C functions accept.
#pragma once

#include <CommonCrypto/CommonCryptoError.h>
#include <CommonCrypto/CommonCryptor.h>
#include <CommonCrypto/CommonDigest.h>
#include <CommonCrypto/CommonHMAC.h>
#include <CommonCrypto/CommonKeyDerivation.h>
#include <CommonCrypto/CommonRandom.h>
