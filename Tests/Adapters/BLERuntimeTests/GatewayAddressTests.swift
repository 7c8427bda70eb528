import BLETransport
import Testing

@testable import BLERuntime
@testable import LocalDiscovery

@Suite struct GatewayAddressTests {
    private static func place(_ text: String) -> GatewayAddress? {
        guard case .gateway(let place) = ControllerChoice(text) else { return nil }
        return place
    }

    private static func service(_ name: String, host: String, port: UInt16 = 6053) -> FoundService {
        FoundService(
            name: name, type: LocalGatewayNetwork.serviceType, host: host, port: port, text: [:],
            addresses: [
                FoundService.Address(
                    address: IPAddress([0xFE, 0x80] + Array(repeating: 0, count: 13) + [1])!, interface: 4),
                FoundService.Address(address: IPAddress(192, 0, 2, 7), interface: 4),
            ])
    }

    @Test func aPlaceHasAHostAndAPortOrNeither() throws {
        let only = try #require(Self.place("gateway"))
        #expect(only.host == nil && only.port == nil && only.localName == nil)
        let host = try #require(Self.place("gateway:192.0.2.1"))
        #expect(host.host == "192.0.2.1" && host.port == nil)
        let port = try #require(Self.place("gateway:[fd00::1]:7000"))
        #expect(port.host == "fd00::1" && port.port == 7000)
        #expect(Self.place("gateway:[fd00::1]")?.port == nil)
        #expect(Self.place("gateway:Hall.local")?.localName == "hall")
        #expect(Self.place("gateway:a.hall.local")?.localName == nil)
        #expect(Self.place("gateway:.local")?.localName == nil)
    }

    @Test(arguments: ["gateway:[fd00::1", "gateway:hall:0", "gateway:hall:x", "gateway:hall:99999"])
    func anythingElseNamesNoGateway(text: String) {
        #expect(Self.place(text) == nil)
    }

    @Test func aNameSelectsItsGatewayWithItsPort() throws {
        let found = [
            Self.service("Kitchen", host: "kitchen.local"), Self.service("Big hall", host: "HALL.local", port: 7000),
        ]
        #expect(
            try LocalGatewayNetwork.result(#require(Self.place("gateway:hall.local")), found).get()
                == .tcp(host: "192.0.2.7", port: 7000))
        #expect(
            try LocalGatewayNetwork.result(#require(Self.place("gateway:hall.local:1")), found).get()
                == .tcp(host: "192.0.2.7", port: 1))
        // The system may know the name.
        #expect(
            try LocalGatewayNetwork.result(#require(Self.place("gateway:attic.local")), found).get()
                == .tcp(host: "attic.local", port: 6053))
    }

    @Test func withoutANameThereMustBeOneGateway() throws {
        let place = try #require(Self.place("gateway"))
        let (one, other) = (Self.service("a", host: "a.local"), Self.service("b", host: "b.local"))
        #expect(try LocalGatewayNetwork.result(place, [one]).get() == .tcp(host: "192.0.2.7", port: 6053))
        guard case .failure(let none) = LocalGatewayNetwork.result(place, []),
            case .failure(let two) = LocalGatewayNetwork.result(place, [one, other])
        else {
            Issue.record("no failure")
            return
        }
        #expect("\(none)".contains("No gateway announces itself"))
        #expect("\(two)".contains("gateway:a.local, gateway:b.local"))
    }
}
