import BLEWire

/// The reason why a server refuses a request: the fields of its Error Response (Vol 3, Part F, 3.4.1.1).
struct ATTRequestError: Error {
    var code: ATT.ErrorCode
    /// The attribute that caused the error; 0 if there is none.
    var handle: UInt16

    init(_ code: ATT.ErrorCode, _ handle: UInt16 = 0) {
        self.code = code
        self.handle = handle
    }
}
