import ArgumentParser
import BLERuntime
import Dispatch
import LocalDiscovery

struct GatewayListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the gateways that announce themselves on the local network.",
        discussion: """
            Example: bluelab gateway list
            Example: BLUETOOTH_CONTROLLER=gateway:hall.local bluelab scan

            The list contains every device with ESPHome's native API. Not every one is a Bluetooth proxy.
            """)

    @Flag(help: "Print JSON lines.")
    var json = false

    func run() async throws {
        let queue = DispatchQueue(label: "bluetooth.gateway-list")
        let found = try await withCheckedThrowingContinuation { continuation in
            queue.async {
                do throws(LocalServiceError) {
                    // The completion releases the search.
                    var search: ServiceSearch?
                    search = try ServiceSearch(
                        type: LocalGatewayNetwork.serviceType, for: LocalGatewayNetwork.searchTime, queue: queue
                    ) { found in
                        withExtendedLifetime(search) {}
                        search = nil
                        continuation.resume(returning: found)
                    }
                } catch {
                    continuation.resume(throwing: ToolError(.failed, "the search cannot start: \(error)"))
                }
            }
        }
        let records = found.map(FoundGatewayRecord.init)
        if json {
            for record in records { try emit(jsonLine(record, type: "local-gateway")) }
            return
        }
        guard !records.isEmpty else {
            throw ToolError(
                .notFound, "no gateway announces itself on the local network.",
                "Try: bluelab gateway --listen tcp:0.0.0.0:6053 --key-file gateway.key")
        }
        for record in records {
            let address = record.addresses.first ?? "-"
            try emit(
                ValueText.printable(
                    "\(record.name)\t\(record.host):\(record.port)\t\(address)\t\(say(record.isEncrypted ? "encrypted" : "not encrypted"))\t\(record.version)"
                ))
        }
    }
}

/// The record of `bluelab gateway list --json`.
struct FoundGatewayRecord: Encodable {
    let name: String
    let host: String
    let port: UInt16
    let addresses: [String]
    let isEncrypted: Bool
    let version: String

    init(_ service: FoundService) {
        name = service.text["friendly_name"] ?? service.name
        host = service.host
        port = service.port
        addresses = service.addresses.map(\.address.description)
        isEncrypted = service.text["api_encryption"] != nil
        version = service.text["version"] ?? ""
    }
}
