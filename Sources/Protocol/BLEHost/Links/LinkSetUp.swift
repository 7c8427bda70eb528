import BLEWire

/// The procedures that a central starts on a new link, one after another: feature exchange, data length update, PHY
/// update (Vol 6, Part B, 5.1.4, 5.1.9 and 5.1.10). A link that began on the Coded PHY stays there: its peer may be out of range of another.
struct LinkSetUp: Sendable {
    enum Action: Hashable, Sendable {
        case readRemoteFeatures
        case setDataLength(octets: UInt16, time: UInt16)
        case readPHY
        case setPHY
    }

    private enum Step: Int, Hashable, Sendable {
        case features, dataLength, readPHY, phy, done

        var next: Step { Step(rawValue: rawValue + 1) ?? .done }
    }

    private var step: Step
    private var isWaiting = false
    /// Whether the link began on the Coded PHY, as far as this host knows.
    private var mayBeCoded = false
    private let capabilities: ControllerCapabilities
    private let usesDataLengthExtension: Bool
    private let uses2MPHY: Bool
    /// What this host, as central, grants its peripheral.
    let parameterPolicy: ParameterPolicy
    /// The peer's features; nil until the feature exchange has succeeded.
    private(set) var remoteFeatures: HCI.LEFeatures?

    init(role: LinkRole, capabilities: ControllerCapabilities, configuration: HostConfiguration) {
        self.capabilities = capabilities
        usesDataLengthExtension = configuration.usesDataLengthExtension
        uses2MPHY = configuration.uses2MPHY
        parameterPolicy = configuration.parameterPolicy
        step = role == .central ? .features : .done
    }

    mutating func next() -> Action? {
        while !isWaiting, step != .done {
            let action = self.action(of: step)
            step = step.next
            if let action {
                isWaiting = true
                return action
            }
        }
        return nil
    }

    private func action(of step: Step) -> Action? {
        switch step {
        case .features:
            return capabilities.has(.leReadRemoteFeatures) ? .readRemoteFeatures : nil
        case .dataLength:
            guard usesDataLengthExtension, capabilities.features.contains(.dataPacketLengthExtension),
                capabilities.has(.leSetDataLength), remoteFeatures?.contains(.dataPacketLengthExtension) ?? true
            else { return nil }
            let longest = capabilities.longestData
            return .setDataLength(octets: longest.octets, time: longest.time)
        case .readPHY: return mayBeCoded && capabilities.has(.leReadPHY) ? .readPHY : nil
        case .phy:
            guard uses2MPHY, !mayBeCoded, capabilities.features.contains(.phy2M), capabilities.has(.leSetPHY),
                remoteFeatures?.contains(.phy2M) == true
            else { return nil }
            return .setPHY
        case .done: return nil
        }
    }

    /// Takes note that the link may have begun on the Coded PHY: the host has to read it.
    mutating func readsPHY() { mayBeCoded = true }

    mutating func completed(isCoded: Bool) {
        mayBeCoded = isCoded
        isWaiting = false
    }

    /// Takes the end of the current action, successful or not.
    mutating func completed() { isWaiting = false }

    mutating func completed(remoteFeatures: HCI.LEFeatures?) {
        self.remoteFeatures = remoteFeatures
        isWaiting = false
    }
}
