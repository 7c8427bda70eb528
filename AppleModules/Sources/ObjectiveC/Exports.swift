// On Apple's systems this module is the system's own. Elsewhere it is the part of it that programs in Swift use.
#if canImport(Darwin)
@_exported import ObjectiveC
#else
@_exported import AppleNames
@_exported import class Foundation.NSObject
#endif
