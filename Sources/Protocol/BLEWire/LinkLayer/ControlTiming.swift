extension LL {
    /// Tells the central how many data channels the peripheral needs on some PHYs (Vol 6, Part B, 2.4.2.26).
    package struct MinUsedChannelsInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .minUsedChannelsInd }
        package var phys: PHYSet
        /// 2 to 37.
        package var minimum: UInt8
    }

    /// Reports the accuracy of the sender's sleep clock and requests the peer's (Vol 6, Part B, 2.4.2.30).
    package struct ClockAccuracyReq: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .clockAccuracyReq }
        /// 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
        package var sleepClockAccuracy: UInt8
    }

    /// Reports the accuracy of the sender's sleep clock (Vol 6, Part B, 2.4.2.30).
    package struct ClockAccuracyRsp: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .clockAccuracyRsp }
        /// 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
        package var sleepClockAccuracy: UInt8
    }

    /// The peripheral requests that the link uses only a part of its connection events (Vol 6, Part B, 2.4.2.39).
    package struct SubrateReq: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .subrateReq }
        /// 1 to 500.
        package var factorMinimum: UInt16
        /// 1 to 500.
        package var factorMaximum: UInt16
        /// In subrated events, 0 to 499.
        package var maximumLatency: UInt16
        /// In connection events, 0 to 499, less than the greatest factor.
        package var continuationNumber: UInt16
        /// In units of 10 ms, 10 to 3200.
        package var timeout: UInt16
    }

    /// The central's choice of the connection events that the link uses (Vol 6, Part B, 2.4.2.40).
    package struct SubrateInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .subrateInd }
        /// Every factor-th connection event is used, 1 to 500.
        package var factor: UInt16
        /// One of the used events.
        package var baseEvent: UInt16
        /// In subrated events, 0 to 499.
        package var latency: UInt16
        /// The events after one with data that are used as well, less than the factor.
        package var continuationNumber: UInt16
        /// In units of 10 ms, 10 to 3200.
        package var timeout: UInt16
    }
}
