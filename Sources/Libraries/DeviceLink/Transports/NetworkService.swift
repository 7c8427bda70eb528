import Foundation
import LocalDiscovery

/// How devices with a link show themselves on the local network.
enum NetworkService {
    /// The type of the service (RFC 6763, 7).
    static let type = "_device-link._tcp"
    /// The attribute with the identifier of the device. The name of the service is only for people: a conflict changes it.
    static let identifier = "id"

    static func host() -> String { "link-\(String(UInt32.random(in: .min ... .max), radix: 16))" }

    /// The address in the form of a transport: a link-local IPv6 address has the number of its interface.
    static func text(_ address: FoundService.Address, port: UInt16) -> (host: String, port: UInt16) {
        let scope = !address.address.isIPv4 && address.address.isLinkLocal ? "%\(address.interface)" : ""
        return ("\(address.address)\(scope)", port)
    }
}
