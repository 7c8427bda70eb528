import BLEController
import BLECrypto
import BLEAdapter
import BLEHost
import BLEStore
import BLEVirtualRadio
import BLEWire

/// A host in this process on a virtual radio.
package struct VirtualHost: Sendable {
    package let adapter: HostAdapter
    /// Its slot on the network, from 0.
    package let slot: Int
}

extension VirtualRadioRuntime {
    /// Adds a controller to the radio, with a host that powers on at once.
    ///
    /// - Parameters:
    ///   - store: The store of the host; nil creates a new one.
    ///   - privateAddressInterval: The lifetime of the host's private addresses; nil for that of the platform.
    ///   - platform: The properties of the host and of its controller.
    package func addHost(
        named name: String, seed: UInt64, at position: RadioPosition, store: DeviceStore? = nil,
        privateAddressInterval: TimeSpan? = nil, platform: HostPlatform = HostPlatform()
    ) -> VirtualHost {
        var random = SeededRandom(seed: seed)
        var configuration = platform.hostConfiguration
        configuration.deviceName = Array(name.utf8)
        if let privateAddressInterval {
            configuration.privacy.usesPrivateAddress = true
            configuration.privacy.addressLifetime = privateAddressInterval
        }
        var keySource = random.fork()
        let store = store ?? DeviceStore(key: StoreKey(using: &keySource))
        let slot = nextSlot()
        let hostRandom = random.fork()
        let crypto = SwiftCryptoProvider(generator: random.fork())
        let adapter = HostAdapter(
            executor: VirtualTimeExecutor<HostDriver>(self, slot: slot), configuration: configuration, store: store,
            random: hostRandom, crypto: crypto, callbackRules: platform.callbackRules)
        let network = self.network
        addHost(slot, platform.controllerConfiguration, at: position) {
            let driver = adapter.onExecutor
            driver.attach(VirtualControllerLink(network.object, slot: slot))
            return driver
        }
        adapter.submit { _ in }
        return VirtualHost(adapter: adapter, slot: slot)
    }

    /// Removes a host's controller from the radio without ending its links.
    package func remove(_ host: VirtualHost) { host.adapter.submit { $0.detach() } }
}

extension HostDriver: HCIHost {
    /// The network keeps the host without its controller, so that its sessions can report the loss.
    package var outlivesController: Bool { true }
}
