internal import BLERuntime
import BLEAdapter
import Foundation

/// A request of a client: a read, or one part of a write.
open class CBATTRequest: NSObject {
    /// The state of one answer. All parts of a write share it.
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

        /// Marks the request as answered. Returns true for the first call only.
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

    /// The client. Compare clients by ``CBPeer/identifier``.
    open var central: CBCentral { client }

    /// The characteristic that the client reads or writes.
    open var characteristic: CBCharacteristic { target }

    /// The index of the first octet that the client reads or writes. The program answers an offset beyond the end of the value with
    /// `.invalidOffset`.
    open var offset: Int { position }

    /// The longest value in octets (Core Specification, Vol 3, Part F, 3.2.9).
    static let longestValue = 512

    /// The octets that the client writes. For a read, nil until the program sets it to the octets from ``offset`` on. The answer
    /// carries as many octets as fit, and the client requests the rest with another offset. A whole value has at most 512 octets.
    open var value: Data? {
        get { storage.withLock { $0 } }
        set {
            let old = storage.withLock { value in
                let old = value
                value = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }
}
