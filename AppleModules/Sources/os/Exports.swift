// The part of Apple's module `os` that programs use, implemented over swift-log.
@_exported import CUnfairLock
