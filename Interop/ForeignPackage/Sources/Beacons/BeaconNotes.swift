import CoreBluetooth
import ObjectiveC.runtime

private var noteKey: UInt8 = 0

/// Notes about devices, kept as such packages keep them.
extension CBPeer {
    /// A note that lives as long as the device's object.
    public var note: String? {
        get { objc_getAssociatedObject(self, &noteKey) as? String }
        set { objc_setAssociatedObject(self, &noteKey, newValue, .OBJC_ASSOCIATION_COPY_NONATOMIC) }
    }
}

extension CBL2CAPChannel {
    /// Has both streams call back on a queue.
    public func schedule(on queue: DispatchQueue) {
        CFReadStreamSetDispatchQueue(inputStream as CFReadStream, queue)
        CFWriteStreamSetDispatchQueue(outputStream as CFWriteStream, queue)
    }
}
