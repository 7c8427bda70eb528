// Foundation exports all of CoreFoundation on Apple's systems. Not here: CFReadStream and CFWriteStream are CoreBluetooth's.
@_exported import func CoreFoundation.CFAbsoluteTimeGetCurrent
@_exported import typealias CoreFoundation.CFAbsoluteTime
@_exported import typealias CoreFoundation.CFTimeInterval
