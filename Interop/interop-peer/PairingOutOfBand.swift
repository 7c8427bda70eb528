import BLEWire
import BluetoothPairing
import Foundation

/// The transfer of out-of-band data. Both devices write files with hexadecimal digits, and read those of the other one.
extension PairingCase {
    /// Exchanges the data of the case, then calls `body`.
    @MainActor
    func exchangeOutOfBandData(with pairing: PairingManager, then body: @escaping @MainActor () -> Void) {
        guard let outOfBand else { return body() }
        guard outOfBand != .theirs else { return receive(with: pairing, then: body) }
        let (name, number) = ("oob-\(number)-ours", number)
        pairing.makeOutOfBandData(outOfBand == .key ? .legacy : .secureConnections) { data in
            MainActor.assumeIsolated {
                guard let data else { fatalError("there is no out-of-band data for case \(number)") }
                PairingFiles.share(Self.text(data), as: name)
                switch outOfBand {
                case .both: receive(with: pairing, then: body)
                case .key:
                    pairing.setOutOfBandData(data)
                    body()
                case .ours, .theirs: body()
                }
            }
        }
    }

    @MainActor
    private func receive(with pairing: PairingManager, then body: @escaping @MainActor () -> Void) {
        PairingFiles.await("oob-\(number)-theirs") { text in
            let octets = Data(Hexadecimal.octets(text) ?? [])
            pairing.setOutOfBandData(OutOfBandData(random: octets.prefix(16), confirm: octets.dropFirst(16)))
            body()
        }
    }

    private static func text(_ data: OutOfBandData) -> String {
        let octets = data.temporaryKey ?? (data.random ?? Data()) + (data.confirm ?? Data())
        return Hexadecimal.digits(octets)
    }
}
