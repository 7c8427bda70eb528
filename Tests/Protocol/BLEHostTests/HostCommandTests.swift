import BLEWire
import Testing

@testable import BLEHost

/// The octets of a host's commands, by hand from the tables of Vol 4, Part E, 7. The controllers of the other tests read them with the code
/// that writes them.
struct HostCommandTests {
    private let bench = Bench()
    private let features: HCI.LEFeatures = [
        .encryption, .connectionParametersRequest, .dataPacketLengthExtension, .phy2M, .phyCoded, .ping,
    ]

    private func host(_ features: HCI.LEFeatures, also commands: [HCI.Opcode] = []) -> BenchHost {
        bench.ready {
            $0.publicAddress = 0x0011_2233_4455
            $0.features = features
            for command in commands { $0.supported.insert(command) }
        }
    }

    /// The parameters of the latest command with this opcode.
    private func sent(_ opcode: UInt16, by host: BenchHost) -> [UInt8]? {
        host.controller.log.last { $0.opcode.rawValue == opcode }?.parameters
    }

    /// The octets of a mask with the bits of these event codes.
    private func mask(_ codes: [UInt64]) -> [UInt8] {
        let bits = codes.reduce(0) { $0 | 1 << ($1 - 1) }
        return (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    }

    /// 7.3.1, 7.3.69, 7.8.1, 7.8.35 and 7.8.48.
    @Test func theStartUpSelectsEventsLengthsAndPHYs() {
        let full = host(features, also: [.setEventMaskPage2])
        // Disconnection Complete, Encryption Change, Hardware Error, Data Buffer Overflow, Encryption Key Refresh Complete, LE Meta.
        #expect(sent(0x0C01, by: full) == mask([0x05, 0x08, 0x10, 0x1A, 0x30, 0x3E]))
        // Authenticated Payload Timeout Expired is code 0x57.
        #expect(sent(0x0C63, by: full) == mask([0x57 - 64 + 1]))
        // Connection Complete, Advertising Report, Connection Update Complete, Read Remote Features Complete, Long Term Key Request,
        // Remote Connection Parameter Request, Data Length Change, PHY Update Complete.
        #expect(sent(0x2001, by: full) == mask([1, 2, 3, 4, 5, 6, 7, 0x0C]))
        // 251 octets and 2,120 us.
        #expect(sent(0x2024, by: full) == [251, 0, 0x48, 0x08])
        #expect(sent(0x2031, by: full) == [0, 7, 7])
        let plain = host([])
        #expect(sent(0x2001, by: plain) == mask([1, 2, 3, 4]))
        for opcode in [0x0C63, 0x2024, 0x2031, 0x2005] as [UInt16] { #expect(sent(opcode, by: plain) == nil) }
        #expect(sent(0x0C01, by: plain) == sent(0x0C01, by: full))
    }

    /// 7.8.5, 7.8.7, 7.8.8 and 7.8.9.
    @Test func advertisingHasItsFields() {
        let device = host([])
        let data: [UInt8] = [2, 1, 6]
        let response: [UInt8] = [3, 9, 0x41, 0x42]
        for (isConnectable, response, type) in [
            (true, response, 0), (false, response, 2), (false, [], 3), (true, [], 0),
        ]
            as [(Bool, [UInt8], UInt8)]
        {
            device.controller.clearLog()
            let parameters = AdvertisingParameters(
                data: data, scanResponse: response, isConnectable: isConnectable, intervalMinimum: 0x0123,
                intervalMaximum: 0x0456)
            device.host.setAdvertising(parameters, at: bench.now)
            bench.settle()
            #expect(
                sent(0x2006, by: device) == [0x23, 0x01, 0x56, 0x04, type, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0])
            #expect(sent(0x200A, by: device) == [1])
            device.host.setAdvertising(nil, at: bench.now)
            bench.settle()
            #expect(sent(0x200A, by: device) == [0])
        }
        let other = host([])
        other.host.setAdvertising(AdvertisingParameters(data: data, scanResponse: response), at: bench.now)
        bench.settle()
        #expect(sent(0x2008, by: other) == [3] + data + [UInt8](repeating: 0, count: 28))
        #expect(sent(0x2009, by: other) == [4] + response + [UInt8](repeating: 0, count: 27))
        // 30 ms (Vol 3, Part C, 9.3.11).
        #expect(sent(0x2006, by: other)?.prefix(4) == [48, 0, 48, 0])
    }

    /// 7.8.10 and 7.8.11.
    @Test func scanningHasItsFields() {
        let device = host([])
        device.host.setScanning(ScanParameters(), at: bench.now)
        bench.settle()
        #expect(sent(0x200B, by: device) == [1, 64, 0, 64, 0, 0, 0] && sent(0x200C, by: device) == [1, 0])
        let slow = ScanParameters(isActive: false, interval: 0x1234, window: 0x0056, filtersDuplicates: true)
        device.host.setScanning(slow, at: bench.now)
        bench.settle()
        #expect(sent(0x200B, by: device) == [0, 0x34, 0x12, 0x56, 0, 0, 0] && sent(0x200C, by: device) == [1, 1])
        device.host.setScanning(nil, at: bench.now)
        bench.settle()
        #expect(sent(0x200C, by: device) == [0, 0])
    }

    /// 7.8.12, 7.8.13 and 7.8.16.
    @Test func connectingHasItsFields() {
        let device = host([])
        let parameters: [UInt8] = [24, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0, 0]
        device.host.connect(to: DeviceAddress(kind: .random, value: 0xC605_0403_0201), at: bench.now)
        bench.settle()
        #expect(sent(0x200D, by: device) == [48, 0, 48, 0, 0, 1, 1, 2, 3, 4, 5, 0xC6, 0] + parameters)
        device.controller.clearLog()
        device.host.connect(to: DeviceAddress(kind: .public, value: 0x0605_0403_0208), at: bench.now)
        bench.settle()
        #expect(
            device.controller.log.map(\.parameters) == [
                [], [1, 1, 2, 3, 4, 5, 0xC6], [0, 8, 2, 3, 4, 5, 6],
                [48, 0, 48, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0] + parameters,
            ])
        #expect(device.controller.log.map(\.opcode.rawValue) == [0x200E, 0x2011, 0x2011, 0x200D])
    }

    /// 7.1.6, 7.5.4, 7.8.18, 7.8.21, 7.8.31 to 7.8.33 and 7.8.49.
    @Test func aLinkHasTheFieldsOfItsCommands() throws {
        let central = host(features, also: [.leRemoteConnectionParameterRequestReply])
        let peripheral = host(features)
        central.controller.nextHandle = 0x0123
        let (link, _) = try #require(bench.link(central, peripheral))
        let handle: [UInt8] = [0x23, 0x01]
        #expect(sent(0x2016, by: central) == handle)
        #expect(sent(0x2022, by: central) == handle + [251, 0, 0x48, 0x08])
        #expect(sent(0x2032, by: central) == handle + [0, 2, 2, 0, 0])
        let wish = RequestedConnectionParameters(
            intervalMinimum: 0x0010, intervalMaximum: 0x0120, latency: 3, timeout: 0x0400)
        central.host.requestConnectionParameters(link, wish, at: bench.now)
        bench.settle()
        #expect(sent(0x2013, by: central) == handle + [0x10, 0, 0x20, 1, 3, 0, 0, 4, 0, 0, 0, 0])
        // LE Remote Connection Parameter Request (7.7.65.6), one that is granted and one that is not.
        central.controller.emit([0x04, 0x3E, 11, 0x06] + handle + [0x10, 0, 0x20, 1, 3, 0, 0, 4])
        bench.settle()
        #expect(sent(0x2020, by: central) == handle + [0x10, 0, 0x20, 1, 3, 0, 0, 4, 0, 0, 0, 0])
        central.controller.emit([0x04, 0x3E, 11, 0x06] + handle + [0x10, 0, 0x20, 1, 3, 0, 9, 0])
        bench.settle()
        // Unacceptable Connection Parameters.
        #expect(sent(0x2021, by: central) == handle + [0x3B])
        central.host.submit(.readRSSI, id: 1, on: link, at: bench.now)
        bench.settle()
        #expect(sent(0x1405, by: central) == handle && central.result(1) == .success(.rssi(-42)))
        central.host.disconnect(link, at: bench.now)
        bench.settle()
        // Remote User Terminated Connection.
        #expect(sent(0x0406, by: central) == handle + [0x13])
    }

    /// The link as LE Connection Complete describes it (7.7.65.1), by octets.
    @Test func aConnectionHasTheFieldsOfItsEvent() throws {
        let device = host([])
        device.controller.emit([
            0x04, 0x3E, 19, 0x01, 0, 0x23, 0x01, 1, 1, 1, 2, 3, 4, 5, 0xC6, 0x50, 0, 2, 0, 0x90, 1, 5,
        ])
        bench.settle()
        let link = try #require(device.connected.first)
        let found = device.host.information(of: link)
        let information = try #require(found)
        #expect(
            information.role == .peripheral && information.peer == DeviceAddress(kind: .random, value: 0xC605_0403_0201)
        )
        #expect(information.parameters == ConnectionParameters(interval: 0x50, latency: 2, timeout: 0x190))
        #expect(information.mtu == 23 && information.dataLength == 27)
        #expect(information.transmitPHY == 1 && information.receivePHY == 1)
        // LE Connection Update Complete, LE Data Length Change and LE PHY Update Complete, and one that failed.
        device.clearEvents()
        device.controller.emit([0x04, 0x3E, 10, 0x03, 0, 0x23, 0x01, 0x60, 0, 3, 0, 0x91, 1])
        device.controller.emit([0x04, 0x3E, 11, 0x07, 0x23, 0x01, 251, 0, 0x48, 8, 27, 0, 0x48, 1])
        device.controller.emit([0x04, 0x3E, 6, 0x0C, 0, 0x23, 0x01, 2, 3])
        device.controller.emit([0x04, 0x3E, 6, 0x0C, 0x1A, 0x23, 0x01, 1, 1])
        bench.settle()
        let changes = device.events.map { entry -> [Int] in
            switch entry.event {
            case .parametersChanged(link, let new): [1, Int(new.interval), Int(new.latency), Int(new.timeout)]
            case .dataLengthChanged(link, let transmit, let receive): [2, Int(transmit), Int(receive)]
            case .phyChanged(link, let transmit, let receive): [3, Int(transmit), Int(receive)]
            default: []
            }
        }
        #expect(changes == [[1, 0x60, 3, 0x191], [2, 251, 27], [3, 2, 3]])
        let foundAgain = device.host.information(of: link)
        let changed = try #require(foundAgain)
        #expect(changed.parameters == ConnectionParameters(interval: 0x60, latency: 3, timeout: 0x191))
        #expect(changed.dataLength == 251 && changed.transmitPHY == 2 && changed.receivePHY == 3)
        // Disconnection Complete (7.7.5).
        device.controller.emit([0x04, 0x05, 4, 0, 0x23, 0x01, 0x08])
        bench.settle()
        #expect(device.disconnected == [.controller(.connectionTimeout)] && device.violations.isEmpty)
    }
}
