import BLEWire

/// The procedures of power control: what the PDUs change, and what the host learns (Vol 6, Part B, 5.1.17 and 5.1.18).
extension LinkPower {
    // MARK: Requests of this side

    /// Takes the answer to a request. Returns what the host learns.
    mutating func take(_ response: LL.PowerControlRsp, to request: PowerRequest) -> PowerReport? {
        let change = learn(response.power, response.limits, on: request.phy)
        switch request.purpose {
        case .own: return change.flatMap { reportOfPeer(request.phy, $0) }
        case .read:
            let level = peerLevel(on: request.phy)
            // Without a power, the other fields have no meaning (Vol 6, Part B, 2.4.2.34).
            let delta = level.isKnown ? response.delta : Self.unavailable
            return PowerReport(reason: .remoteRead, phy: request.phy, level: level, delta: delta)
        }
    }

    /// Ends a request without an answer. Returns what the host learns.
    mutating func refuse(_ request: PowerRequest, _ error: HCI.ErrorCode) -> PowerReport? {
        switch request.purpose {
        case .own:
            if error == .unsupportedRemoteFeature { isRefused = true }
            return nil
        case .read:
            return PowerReport(
                status: error, reason: .remoteRead, phy: request.phy, level: Level(power: Self.unavailable),
                delta: Self.unavailable)
        }
    }

    // MARK: Requests and changes of the peer

    /// Changes the power by the peer's request.
    ///
    /// - Parameter reduction: What the response says about the peer's power.
    mutating func answer(
        _ request: LL.PowerControlReq, on phy: LL.PHY, reduction: UInt8
    ) -> (response: LL.PowerControlRsp, reports: [PowerReport]) {
        isPeerInterested = true
        let peerChange = learn(request.power, nil, on: phy)
        let delta = set(Int(power(on: phy)) + Int(request.delta), on: phy)
        let level = level(on: phy)
        let response = LL.PowerControlRsp(
            limits: level.limits, delta: delta, power: level.power, acceptableReduction: reduction)
        let reports = [peerChange.flatMap { reportOfPeer(phy, $0) }, reportOfOwn(phy, delta)]
        return (response, reports.compactMap { $0 })
    }

    /// Takes a change that the peer made by itself. PHYs that this controller does not support are ignored.
    mutating func take(_ indication: LL.PowerChangeInd, among supported: LL.PowerPHYSet) -> [PowerReport] {
        var reports: [PowerReport] = []
        for phy in indication.phys.intersection(supported).phys {
            guard let change = learn(indication.power, indication.limits, on: phy) else { continue }
            if let report = reportOfPeer(phy, change) { reports.append(report) }
        }
        return reports
    }

    // MARK: Changes of this side

    /// Changes the power by this controller's decision. A peer that has made a request before gets the indication.
    mutating func change(
        to power: Int8, on phy: LL.PHY
    ) -> (indication: LL.PowerChangeInd?, report: PowerReport?) {
        let delta = set(Int(power), on: phy)
        guard delta != 0 else { return (nil, nil) }
        let level = level(on: phy)
        let indication = LL.PowerChangeInd(
            phys: LL.PowerPHYSet(phy), limits: level.limits, delta: delta, power: level.power)
        return (isPeerInterested ? indication : nil, reportOfOwn(phy, delta))
    }

    // MARK: Reports

    private func reportOfOwn(_ phy: LL.PHY, _ delta: Int8) -> PowerReport? {
        guard delta != 0, reports.contains(.local) else { return nil }
        return PowerReport(reason: .localChanged, phy: phy, level: level(on: phy), delta: delta)
    }

    private func reportOfPeer(_ phy: LL.PHY, _ change: Int8) -> PowerReport? {
        guard reports.contains(.remote) else { return nil }
        return PowerReport(reason: .remoteChanged, phy: phy, level: peerLevel(on: phy), delta: change)
    }
}
