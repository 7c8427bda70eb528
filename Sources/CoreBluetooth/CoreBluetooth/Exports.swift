// As with Apple's framework, `import CoreBluetooth` alone brings the names of Foundation, Dispatch and CoreFoundation.
@_exported import CCoreBluetoothTypes
@_exported import CoreFoundation
@_exported import Dispatch
@_exported import Foundation

/// The C name of a dispatch queue, which Dispatch has on Apple's systems only.
public typealias dispatch_queue_t = DispatchQueue
