#if !canImport(Darwin)
internal import BLERuntime
import BLEAdapter
import Foundation

/// What a client asks of this machine's database: a read, or one part of a write.
open class CBATTRequest: NSObject {
    /// What one answer answers: all parts of a write share it.
    final class Pending: Sendable {
        let identifier: RequestIdentifier
        let isRead: Bool
        let needsResponse: Bool
        let core: PeripheralCore
        private let isAnswered = Lock(false)

        init(_ identifier: RequestIdentifier, isRead: Bool, needsResponse: Bool, core: PeripheralCore) {
            self.identifier = identifier
            self.isRead = isRead
            self.needsResponse = needsResponse
            self.core = core
        }

        /// True the first time.
        func answer() -> Bool {
            isAnswered.withLock { answered in
                defer { answered = true }
                return !answered
            }
        }
    }

    let pending: Pending
    private let client: CBCentral
    private let target: CBCharacteristic
    private let position: Int
    private let storage: Lock<Data?>

    init(pending: Pending, central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?) {
        self.pending = pending
        client = central
        target = characteristic
        position = offset
        storage = Lock(value)
        super.init()
    }

    /// The client. Compare clients by their ``CBPeer/identifier``.
    open var central: CBCentral { client }

    /// The characteristic whose value is read or written.
    open var characteristic: CBCharacteristic { target }

    /// The octet of the value where the read or the part begins. To answer an offset behind the end with `.invalidOffset` is the
    /// program's part.
    open var offset: Int { position }

    /// The most octets of a value (Core Specification, Vol 3, Part F, 3.2.9).
    static let longestValue = 512

    /// What the client writes; for a read nil, until the program sets it to the octets from ``offset`` on. The answer carries as
    /// many of them as fit, and the client asks for the rest with another offset. Together they are 512 octets at most.
    open var value: Data? {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
#endif
