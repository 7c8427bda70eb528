import Foundation

extension NSData {
    /// The octets, valid although the caller does not keep the object. `Scripts/without-objective-c` replaces `(data as NSData).bytes` by it.
    ///
    /// On Apple's systems, the autorelease pool keeps the object. Here, the thread keeps the last ones that it asked: 16 at most, and older ones only
    /// while all have 4 MiB at most. A pointer that a program uses for longer needs an object that the program keeps.
    public var autoreleasedBytes: UnsafeRawPointer {
        RecentData.ofThread.keep(self)
        return bytes
    }
}

/// The objects that a thread has asked for its octets.
private final class RecentData {
    private static let countLimit = 16
    private static let octetLimit = 4 << 20
    private static let key = "org.opencorebluetooth.recent-data"

    private var objects: [NSData] = []

    static var ofThread: RecentData {
        let dictionary = Thread.current.threadDictionary
        if let present = dictionary[key] as? RecentData { return present }
        let new = RecentData()
        dictionary[key] = new
        return new
    }

    func keep(_ object: NSData) {
        objects.append(object)
        while objects.count > Self.countLimit || objects.count > 1 && octets > Self.octetLimit { objects.removeFirst() }
    }

    private var octets: Int { objects.reduce(0) { $0 + $1.length } }
}
