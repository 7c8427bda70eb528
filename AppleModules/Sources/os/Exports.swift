// On Apple's systems this module is the system's own. Elsewhere it is what the other files define, over swift-log.
#if canImport(Darwin)
@_exported import os
#else
@_exported import CUnfairLock
#endif
