// On Apple's systems, the system provides this module. Elsewhere the other files define it with swift-log.
#if canImport(Darwin)
@_exported import os
#else
@_exported import CUnfairLock
#endif
