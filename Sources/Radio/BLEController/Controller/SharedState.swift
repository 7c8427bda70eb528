import BLEWire

/// What the roles of a controller share: the radio and the links, the host's end, and the host's settings for all roles.
struct SharedState {
    var capabilities: LocalCapabilities
    let cryptography: Cryptography
    var random: SeededRandom
    var host = HostInterface()
    var radio: ControllerRadio
    /// Nil until the host uses a command of a family.
    var commandFamily: CommandFamily?
    var privacy: LinkLayerPrivacy
    var acceptList: FilterAcceptList
    var connections: Connections

    init(index: Int32, configuration: ControllerConfiguration, random: SeededRandom, cryptography: Cryptography) {
        capabilities = LocalCapabilities(configuration)
        self.cryptography = cryptography
        self.random = random
        radio = ControllerRadio(index: index)
        privacy = LinkLayerPrivacy(configuration)
        acceptList = FilterAcceptList(capacity: configuration.acceptListSize)
        connections = Connections(capabilities, cryptography)
    }

    /// Restores the state after power on (Vol 4, Part E, 7.3.2).
    mutating func reset(_ medium: inout Medium) {
        radio.reset(&medium)
        connections.reset(&radio, &medium)
        host.resetMasks()
        commandFamily = nil
        acceptList.removeAll()
        privacy = LinkLayerPrivacy(capabilities.configuration)
    }
}
