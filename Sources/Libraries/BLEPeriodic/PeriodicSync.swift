internal import BLEAdapter
internal import BLEWire
public import Foundation

/// A train that is received, as a sequence of its reports. It ends when the last reference to it is released.
///
/// ```swift
/// do {
///     for try await report in sync { print(report.data.count, report.rssi ?? 0) }
/// } catch PeriodicError.lost {
///     print("The train has ended, or is out of range.")
/// }
/// ```
///
/// One task iterates at a time. The sequence throws ``PeriodicError/lost`` or ``PeriodicError/poweredOff`` at its end, and ends without an error
/// after ``end()``.
public final class PeriodicSync: AsyncSequence, Sendable {
    /// The data of one event of the train.
    public typealias Element = PeriodicReport
    /// Why the sequence ends without ``end()``.
    public typealias Failure = PeriodicError

    /// The most reports that wait for the program.
    public static let bufferLimit = 256

    /// The device, by the identifier that `CBPeripheral.identifier` has.
    public let device: UUID
    /// The GAP device name of the device if it is known, otherwise the last advertised name.
    public let name: String?
    /// The number of the advertising set, 0 to 15.
    public let set: Int
    /// The time between two events of the train.
    public let interval: Duration
    /// The physical layer of the train.
    public let phy: PeriodicPHY
    /// What the device that told of the train said with it; nil for a train that was found by a scan.
    public let transferValue: UInt16?

    private let core: PeriodicScannerCore
    private let token: Int
    private let reports: AsyncStream<Result<PeriodicReport, PeriodicError>>

    init(
        _ train: FoundTrain, _ properties: PeriodicSyncProperties, core: PeriodicScannerCore, token: Int,
        reports: AsyncStream<Result<PeriodicReport, PeriodicError>>
    ) {
        device = train.identifier.uuid
        name = train.name
        set = Int(train.sid)
        transferValue = train.transferValue
        interval = .microseconds(1_250) * Int(properties.interval)
        phy = PeriodicPHY(properties.phy)
        self.core = core
        self.token = token
        self.reports = reports
    }

    deinit { core.end(token) }

    /// Ends the reception. Reports that wait for the program still arrive.
    public func end() { core.end(token) }

    /// Tells a connected device of the train, as ``PeriodicAdvertiser/transfer(to:value:)`` does. The reception goes on.
    ///
    /// - Parameters:
    ///   - device: The `identifier` of a `CBPeripheral` or a `CBCentral` that is connected.
    ///   - value: Arrives with the train (``transferValue``).
    public func transfer(to device: UUID, value: UInt16 = 0) async throws(PeriodicError) {
        try await core.transfer(token, to: device, value)
    }

    /// Iterates from the first report on that no iteration has had.
    public func makeAsyncIterator() -> Iterator { Iterator(sync: self, base: reports.makeAsyncIterator()) }

    /// Iterates over the reports of a train.
    public struct Iterator: AsyncIteratorProtocol {
        /// Keeps the reception alive.
        let sync: PeriodicSync
        var base: AsyncStream<Result<PeriodicReport, PeriodicError>>.Iterator

        /// Waits for the next report; nil after ``PeriodicSync/end()``.
        public mutating func next() async throws(PeriodicError) -> PeriodicReport? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next report; nil after ``PeriodicSync/end()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PeriodicError) -> PeriodicReport? {
            try await base.next(isolation: actor)?.get()
        }
    }
}

/// The train of an advertisement, or one of which a device told.
struct FoundTrain: Sendable {
    let identifier: PeerIdentifier
    let name: String?
    let sid: UInt8
    var transferValue: UInt16?
}
