#if !canImport(Darwin)
internal import BLERuntime
import Foundation

/// What a client asks of this machine's database: a read, or one part of a write.
open class CBATTRequest: NSObject {
    /// What one answer answers: all parts of a write share it.
    final class Pending: Sendable {
        let identifier: RequestIdentifier
        let isRead: Bool
        let needsResponse: Bool
        let core: PeripheralCore
        private let isAnswered = Guarded(false)

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
    private let storage: Guarded<Data?>

    init(pending: Pending, central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?) {
        self.pending = pending
        client = central
        target = characteristic
        position = offset
        storage = Guarded(value)
        super.init()
    }

    /// The client. Compare clients by their ``CBPeer/identifier``.
    open var central: CBCentral { client }

    /// The characteristic whose value is read or written.
    open var characteristic: CBCharacteristic { target }

    /// The octet of the value where the read or the part begins. To answer an offset behind the end with `.invalidOffset` is the
    /// program's part.
    open var offset: Int { position }

    /// What the client writes; for a read nil, until the program sets it to the octets from ``offset`` on. More than fits into
    /// the answer is cut.
    open var value: Data? {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
#endif
