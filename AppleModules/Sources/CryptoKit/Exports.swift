// swift-crypto has the interface of Apple's module, without the Secure Enclave.
@_exported import Crypto
