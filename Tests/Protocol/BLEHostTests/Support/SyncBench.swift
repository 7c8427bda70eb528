import BLEWire
import Testing

@testable import BLEHost

/// A host's syncs, and a controller that answers as its script says.
struct SyncBench {
    var syncs: PeriodicSyncs
    var refusals: [HCI.Opcode: HCI.ErrorCode] = [:]
    private(set) var events: [PeriodicEvent] = []
    var now = Instant.zero
    /// The addresses that devices have on the air.
    var onAir: [DeviceAddress: DeviceAddress] = [:]

    static let capabilities: ControllerCapabilities = {
        var capabilities = ControllerCapabilities()
        capabilities.usesExtendedAdvertising = true
        capabilities.features = [
            .periodicAdvertising, .periodicAdvertisingADI, .periodicSyncTransferSender, .periodicSyncTransferRecipient,
        ]
        capabilities.commands = HCI.SupportedCommands([
            .lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingCreateSyncCancel,
            .lePeriodicAdvertisingTerminateSync, .leAddDeviceToPeriodicAdvertiserList,
            .leRemoveDeviceFromPeriodicAdvertiserList, .leReadPeriodicAdvertiserListSize,
            .leSetPeriodicAdvertisingReceiveEnable, .lePeriodicAdvertisingSyncTransfer,
            .lePeriodicAdvertisingSetInfoTransfer, .leSetPeriodicAdvertisingSyncTransferParameters,
        ])
        return capabilities
    }()

    init(_ capabilities: ControllerCapabilities = Self.capabilities, listSize: Int = 4) {
        var capabilities = capabilities
        capabilities.periodicListSize = listSize
        syncs = PeriodicSyncs(capabilities)
    }

    /// Sends commands and answers them until none is left. Returns the commands.
    mutating func settle() -> [FakeController.Command] {
        var log: [FakeController.Command] = []
        while let command = syncs.next(at: now, heard: { onAir[$0] ?? $0 }), log.count < 100 {
            #expect(syncs.next(at: now) == nil, "one command at a time")
            let sent = send(command)
            log.append(sent)
            events += syncs.completed(refusals[sent.opcode] ?? .success, at: now)
        }
        return log
    }

    /// What is sent for a command.
    func send(_ command: PeriodicSyncs.Command) -> FakeController.Command {
        var pump = CommandPump(timeout: .seconds(1))
        PeriodicSyncs.enqueue(command, &pump)
        var packet: [UInt8] = []
        pump.pump(into: &packet, at: now)
        let opcode = HCI.Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        return .init(opcode: opcode, parameters: Array(packet[4...]))
    }

    mutating func opcodes() -> [HCI.Opcode] { settle().map(\.opcode) }

    mutating func takeEvents() -> [PeriodicEvent] {
        defer { events = [] }
        return events
    }

    static func train(_ number: UInt8) -> PeriodicTrainIdentifier {
        PeriodicTrainIdentifier(
            address: DeviceAddress(kind: .random, value: 0xC605_0403_0200 | UInt64(number)), sid: number & 0x0F)
    }

    static let reception = PeriodicReception(phy: .le2M, interval: 80, clockAccuracy: .ppm50)

    static func link(_ handle: UInt16) -> LinkIdentifier { LinkIdentifier(rawValue: UInt32(handle) + 1_000) }

    mutating func accept(_ parameters: PeriodicSyncParameters?, from handle: UInt16) -> HCI.ErrorCode? {
        syncs.accept(parameters, from: Self.link(handle), handle: handle)
    }

    mutating func tell(_ number: UInt8, to handle: UInt16, serviceData: UInt16 = 0) -> HCI.ErrorCode? {
        syncs.transfer(Self.train(number), to: Self.link(handle), handle: handle, serviceData: serviceData)
    }

    mutating func tell(_ set: AdvertisingSet, to handle: UInt16, serviceData: UInt16 = 0) -> HCI.ErrorCode? {
        syncs.transfer(set, to: Self.link(handle), handle: handle, serviceData: serviceData)
    }

    mutating func request(_ number: UInt8, _ parameters: PeriodicSyncParameters = .init()) -> HCI.ErrorCode? {
        syncs.request(Self.train(number), parameters)
    }

    mutating func establish(_ number: UInt8, _ handle: UInt16, _ status: HCI.ErrorCode = .success) {
        establish(Self.train(number).address, Self.train(number).sid, handle, status)
    }

    /// - Parameter device: That of the address.
    mutating func establish(
        _ address: DeviceAddress, of device: DeviceAddress? = nil, _ sid: UInt8, _ handle: UInt16,
        _ status: HCI.ErrorCode = .success
    ) {
        events += syncs.receive(
            HCI.LEPeriodicAdvertisingSyncEstablished(
                status: status, syncHandle: handle, advertisingSID: sid, advertiserAddress: address,
                advertiserPHY: .le2M, interval: 80, advertiserClockAccuracy: .ppm50),
            from: device ?? address.asDevice)
    }

    mutating func report(_ handle: UInt16, _ status: UInt8, _ data: [UInt8]) -> PeriodicReportAssembler.Whole? {
        syncs.receive(
            HCI.LEPeriodicAdvertisingReport(syncHandle: handle, dataStatus: .init(rawValue: status), data: data.span))?
            .whole
    }
}
