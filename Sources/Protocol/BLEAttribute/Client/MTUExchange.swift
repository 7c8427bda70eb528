import BLEWire

/// Exchange MTU (Vol 3, Part G, 4.3.1). Its result is the server's receive MTU, or nil if the server does not support
/// the request.
struct MTUExchange: ClientProcedure {
    let localMTU: UInt16

    mutating func start(mtu: Int) -> ClientStep<UInt16?> { .send(.exchangeMTU(localMTU)) }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<UInt16?> {
        switch packet {
        case .exchangeMTUResponse(let response): .finish(response.number)
        default: .finish(nil)
        }
    }
}
