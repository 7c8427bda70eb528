import Testing

/// Tests of worlds, with phones whose radio is that of a gateway: the façade, the adapter, the protocol with Noise, the server, the
/// gateway's host, and the air.
///
/// Tests of these things stay out, because ESPHome's native API does not carry them: the signal strength of links, included services,
/// whether an advertisement is connectable, Service Changed and names that a peer changes, the power of the gateway's radio, connection
/// events, services of links of other programs, and GAP names before a program reads them. The buffer for write commands has another size:
/// `WriteAdmissionTests` has its tests. Tests of the peripheral role, of channels, of pairing agents and of restored state test a host,
/// which here is the gateway's.
@Suite struct WorldOverGatewayTests {
    typealias Body = @Sendable () async throws -> Void

    static let tests: [String: Body] = [
        "row021": { try await WorldCentralTests().row021_row024_aDeviceIsReportedOnceForEachScan() },
        "row040": { try await WorldCentralTests().row040_anAttemptWaitsMinutesForItsDevice() },
        "row044": { try await WorldCentralTests().row044_aCancelledAttemptEndsInDidDisconnect() },
        "row045": { try await WorldCentralTests().row045_connectingRightAfterACancellationWorksOnTheAir() },
        "row046": { try await WorldCentralTests().row046_aDeviceThatPowersOffDisconnects() },
        "row047": { try await WorldCentralTests().row047_aDeviceWithoutPowerCausesASupervisionTimeout() },
        "row051": { try await WorldCentralTests().row051_row052_aDeviceThatReturnsIntoRangeReconnects() },
        "row041": { try await WorldCentralTests().row041_releasingAPeripheralEndsItsConnection() },
        "row056": { try await WorldCentralTests().row056_theAttemptStartsAfterItsDelay() },
        "row069": { try await WorldValueTests().row069_theGAPAndGATTServicesAreHidden() },
        "row066": { try await WorldValueTests().row066_anAbsentServiceIsNoError() },
        "row078": { try await WorldValueTests().row078_row121_permissionErrorsReachTheClientWithoutAServerCallback() },
        "row087": { try await WorldValueTests().row087_aWriteOf513OctetsFails() },
        "row085": { try await WorldValueTests().row085_row146_bothSidesReportTheMTU() },
        "row090": { try await WorldValueTests().row090_readsAndWritesInterleaveInTheOrderOfTheCalls() },
        "row093": { try await WorldValueTests().row093_aSecondSubscriptionSendsNoPacket() },
        "row143": { try await WorldValueTests().row143_updatesResumeAfterAFullQueueWithoutLoss() },
        "row139": { try await WorldValueTests().row139_row144_twoCentralsShareOnePeripheral() },
        "row142": { try await WorldValueTests().row142_aConnectionAloneHasNoPeripheralCallback() },
        "row077": { try await WorldProcedureTests().row077_aLongValueIsReadInParts() },
        "row086": { try await WorldProcedureTests().row086_aLongWriteIsPreparedInParts() },
        "row095": { try await WorldProcedureTests().row095_indicationsAreConfirmed() },
        "row147": { try await WorldProcedureTests().row147_theClientConfigurationSelectsNotificationOrIndication() },
        "row145": { try await WorldProcedureTests().row145_aLongUpdateIsTruncated() },
        "row114": { try await WorldProcedureTests().row114_aDynamicValueIsRequestedForEachRead() },
        "row104": { try await WorldProcedureTests().row104_aRequestPendingAtTheDisconnectionHasNoCallback() },
        "row116": { try await WorldProcedureTests().row116_theHostAddsTheClientConfiguration() },
        "row045 pending": {
            try await WorldConformanceTests().row045_aCancelledLinkAnswersEachPendingCommandAtMostOnce()
        },
        "row043": { try await WorldLinkEndTests().row043_aCancellationOfALostLinkIsReported() },
        "row044 row045": {
            try await WorldLinkEndTests().row044_row045_aLinkCancelledBeforeItIsReadyDoesNotFailTheNextAttempt()
        },
        "513 octets": { try await WorldDatabaseTests().aValueOfMoreThan512OctetsIsAnErrorAtTheClient() },
    ]

    @Test(arguments: tests.keys.sorted()) func aTestOfAWorldPassesOverAGateway(name: String) async throws {
        let body = try #require(Self.tests[name])
        try await PhonePath.$isOverGateway.withValue(true) { try await body() }
    }
}
