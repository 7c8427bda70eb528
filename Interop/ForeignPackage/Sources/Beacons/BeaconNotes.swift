import CoreBluetooth
import ObjectiveC.runtime

private var noteKey: UInt8 = 0

/// Notes about devices, stored in the manner of such packages.
extension CBPeer {
    /// A note with the lifetime of the device's object.
    public var note: String? {
        get { objc_getAssociatedObject(self, &noteKey) as? String }
        set { objc_setAssociatedObject(self, &noteKey, newValue, .OBJC_ASSOCIATION_COPY_NONATOMIC) }
    }
}

extension CBL2CAPChannel {
    /// Delivers the events of both streams on a queue.
    public func schedule(on queue: DispatchQueue) {
        CFReadStreamSetDispatchQueue(inputStream as CFReadStream, queue)
        CFWriteStreamSetDispatchQueue(outputStream as CFWriteStream, queue)
    }
}
