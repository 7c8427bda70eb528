import Foundation
import Testing

/// Tests of worlds whose phone, or whose gadget, is a program behind the kernel and the bluetoothd of the machine, which have a controller of the world:
/// the façade, the adapter, the bus, bluetoothd, the kernel, and the air. They run in real time, on a machine with bluetoothd where this user may
/// open /dev/vhci, as in the guest of `Interop/bluez`. `OPENCOREBLUETOOTH_BLUETOOTHD` selects them: names with commas between them, or `all`.
///
/// Tests of these things stay out. As a phone: attempts that wait minutes; the kind of an advertisement, the signal strength of links, and attempts that
/// fail, which bluetoothd does not tell (rows 31, 100, 48); a GAP name that changes during a link, which bluetoothd 5.66 reads at its begin (row 38); the
/// size of the buffer for write commands (`WriteAdmissionTests` has its tests); a user who refuses to pair, because the kernel then ends the link. As a
/// gadget: bluetoothd's own services, which clients see (row 69); requests whose parts or kinds bluetoothd joins (rows 121, 137, 138); values for chosen
/// centrals (row 144); one Service Changed for several services, which are applications of their own. `Interop/bluez` has channels and all
/// pairings in other runs.
@Suite(.serialized) struct WorldOverBluetoothdTests {
    typealias Body = @Sendable () async throws -> Void

    static let phoneTests: [String: Body] = [
        "row021": { try await WorldCentralTests().row021_row024_aDeviceIsReportedOnceForEachScan() },
        "row022": { try await WorldAdvertisingTests().row022_newContentIsReportedDuringOneScan() },
        "row036": { try await WorldCentralTests().row036_theIdentifierIsTheSameForAnotherManager() },
        "row037": { try await WorldCentralTests().row037_row038_afterConnectingTheGAPNameReplacesTheAdvertisedOne() },
        "row041": { try await WorldCentralTests().row041_releasingAPeripheralEndsItsConnection() },
        "row044": { try await WorldCentralTests().row044_aCancelledAttemptEndsInDidDisconnect() },
        "row045": { try await WorldCentralTests().row045_connectingRightAfterACancellationWorksOnTheAir() },
        "row045-pending": {
            try await WorldConformanceTests().row045_aCancelledLinkAnswersEachPendingCommandAtMostOnce()
        },
        "row046": { try await WorldCentralTests().row046_aDeviceThatPowersOffDisconnects() },
        "row047": { try await WorldCentralTests().row047_aDeviceWithoutPowerCausesASupervisionTimeout() },
        "row051": { try await WorldCentralTests().row051_row052_aDeviceThatReturnsIntoRangeReconnects() },
        "row055": { try await WorldCentralTests().row055_row059_theLinkStaysForAnotherManager() },
        "row056": { try await WorldCentralTests().row056_theAttemptStartsAfterItsDelay() },
        "row061": { try await WorldConformanceTests().row061_connectionEventsFollowLinksOnTheAir() },
        "row066": { try await WorldValueTests().row066_anAbsentServiceIsNoError() },
        "included": { try await WorldDatabaseTests().aServiceIncludesAnother() },
        "row069": { try await WorldValueTests().row069_theGAPAndGATTServicesAreHidden() },
        "row072": { try await WorldValueTests().row072_row124_aRemovedServiceIsReportedAsModified() },
        "row078": { try await WorldValueTests().row078_row121_permissionErrorsReachTheClientWithoutAServerCallback() },
        "row085": { try await WorldValueTests().row085_row146_bothSidesReportTheMTU() },
        "row087": { try await WorldValueTests().row087_aWriteOf513OctetsFails() },
        "row090": { try await WorldValueTests().row090_readsAndWritesInterleaveInTheOrderOfTheCalls() },
        "row093": { try await WorldValueTests().row093_aSecondSubscriptionSendsNoPacket() },
        "row102": { try await WorldPairingTests().row102_row122_theFirstReadPairsAndSucceeds() },
        "row103": { try await WorldConformanceTests().row103_theHostChoosesMTUAndConnectionParameters() },
        "row104": { try await WorldProcedureTests().row104_aRequestPendingAtTheDisconnectionHasNoCallback() },
        "row114": { try await WorldProcedureTests().row114_aDynamicValueIsRequestedForEachRead() },
        "row116": { try await WorldProcedureTests().row116_theHostAddsTheClientConfiguration() },
        "row139": { try await WorldValueTests().row139_row144_twoCentralsShareOnePeripheral() },
        "row142": { try await WorldValueTests().row142_aConnectionAloneHasNoPeripheralCallback() },
        "row143": { try await WorldValueTests().row143_updatesResumeAfterAFullQueueWithoutLoss() },
        "row145": { try await WorldProcedureTests().row145_aLongUpdateIsTruncated() },
        "row147": { try await WorldProcedureTests().row147_theClientConfigurationSelectsNotificationOrIndication() },
        "513-octets": { try await WorldDatabaseTests().aValueOfMoreThan512OctetsIsAnErrorAtTheClient() },
        "all-services": { try await WorldDatabaseTests().removingAllServicesIsOneServiceChangedForAClient() },
        "bond": { try await WorldPairingTests().aBondEncryptsTheNextConnection() },
    ]

    static let gadgetTests: [String: Body] = [
        "row021": { try await WorldCentralTests().row021_row024_aDeviceIsReportedOnceForEachScan() },
        "row041": { try await WorldCentralTests().row041_releasingAPeripheralEndsItsConnection() },
        "row066": { try await WorldValueTests().row066_anAbsentServiceIsNoError() },
        "included": { try await WorldDatabaseTests().aServiceIncludesAnother() },
        "row085": { try await WorldValueTests().row085_row146_bothSidesReportTheMTU() },
        "row089": { try await WorldValueTests().row089_writeCommandsArriveCompletelyAndInOrder() },
        "row090": { try await WorldValueTests().row090_readsAndWritesInterleaveInTheOrderOfTheCalls() },
        "row093": { try await WorldValueTests().row093_aSecondSubscriptionSendsNoPacket() },
        "row095": { try await WorldProcedureTests().row095_indicationsAreConfirmed() },
        "row114": { try await WorldProcedureTests().row114_aDynamicValueIsRequestedForEachRead() },
        "row116": { try await WorldProcedureTests().row116_theHostAddsTheClientConfiguration() },
        "row142": { try await WorldValueTests().row142_aConnectionAloneHasNoPeripheralCallback() },
        "row143": { try await WorldValueTests().row143_updatesResumeAfterAFullQueueWithoutLoss() },
        "row145": { try await WorldProcedureTests().row145_aLongUpdateIsTruncated() },
    ]

    private static func chosen(_ tests: [String: Body], _ prefix: String) -> [String] {
        let names = ProcessInfo.processInfo.environment["OPENCOREBLUETOOTH_BLUETOOTHD"]?.split(separator: ",") ?? []
        let wanted = names.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        return wanted == ["all"] ? tests.keys.sorted() : wanted
    }

    @Test(arguments: chosen(phoneTests, "phone-"))
    func aTestOfAWorldPassesWithAPhoneOverBluetoothd(name: String) async throws {
        try await Self.run(Self.phoneTests[name], .phone)
    }

    @Test(arguments: chosen(gadgetTests, "gadget-"))
    func aTestOfAWorldPassesWithAGadgetOverBluetoothd(name: String) async throws {
        try await Self.run(Self.gadgetTests[name], .gadget)
    }

    private static func run(_ body: Body?, _ place: DaemonRoom.Place) async throws {
        let body = try #require(body)
        let result: Result<Void, any Error>
        do { result = .success(try await PhonePath.$daemon.withValue(place) { try await body() }) } catch {
            result = .failure(error)
        }
        await DaemonRoom.end()
        try result.get()
    }
}
