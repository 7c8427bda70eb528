// Foundation exports it on Apple's systems: CFAbsoluteTime, CFTimeInterval, CFAbsoluteTimeGetCurrent.
@_exported import CoreFoundation
