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
    /// The subevents of a train with responses; nil for another train.
    public let subevents: PeriodicSubevents?

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
        subevents = properties.subevents.map { PeriodicSubevents($0) }
        self.core = core
        self.token = token
        self.reports = reports
    }

    deinit { core.end(token) }

    /// Receives subevents of a train with responses, and answers their packets. Returns when the controller receives them. Before this call, a train
    /// with responses has no reports. The subevents and the answers of the last call count.
    ///
    /// ```swift
    /// try await sync.receive(subevents: [1]) { report in PeriodicAnswer(Data([2, 0xFF, 7]), slot: 3) }
    /// ```
    ///
    /// - Parameters:
    ///   - wanted: The subevents to receive, numbers from 0 on.
    ///   - includesTransmitPower: Whether the answers contain the transmit power.
    ///   - answer: Gives the answer to a packet; nil for none. It is called on a thread of the library before the sequence has the report, and must
    ///     return before the slot begins. Two receivers that use the same slot of a subevent disturb each other.
    /// - Throws: An error leaves the earlier choice in force: ``PeriodicError/noResponses``, ``PeriodicError/subevents`` for a subevent that the train does not have, ``PeriodicError/noTrain``,
    ///   ``PeriodicError/poweredOff``, ``PeriodicError/cancelled`` or ``PeriodicError/controller(_:)``.
    public func receive(
        subevents wanted: [Int], includesTransmitPower: Bool = false,
        answer: (@Sendable (PeriodicReport) -> PeriodicAnswer?)? = nil
    ) async throws(PeriodicError) {
        guard let subevents else { throw .noResponses }
        let numbers = Set(wanted).sorted()
        guard let first = numbers.first, first >= 0, let last = numbers.last, last < subevents.count else {
            throw .subevents
        }
        try await core.receive(numbers.map { UInt8($0) }, includesTransmitPower: includesTransmitPower, token, answer)
    }

    /// The answers that were not sent: they came too late, were too long, or had no slot of the train.
    public var refusedAnswers: Int { core.answers.refused(token) }

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
