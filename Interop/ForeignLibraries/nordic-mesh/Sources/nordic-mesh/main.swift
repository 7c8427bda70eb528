import CoreBluetooth
import Foundation
import NordicMesh

let start = Date()

func say(_ text: String) {
    print(String(format: "%6.2f s  %@", Date().timeIntervalSince(start), text))
    fflush(stdout)
}

/// Returns a response, which must have the type and the content that the caller expects.
func expect<Response>(_ response: Any, _ isRight: (Response) -> Bool = { _ in true }) throws -> Response {
    guard let expected = response as? Response, isRight(expected) else {
        throw Failure(errorDescription: "unexpected response: \(response)")
    }
    return expected
}

/// Provisions the first lamp, configures it, switches it, and resets it. Prints each step.
@MainActor func run() async throws {
    let reports = Reports()
    let manager = MeshNetworkManager(using: NoStorage())
    let network = manager.createNewMeshNetwork(withName: "Test", by: "Provisioner")
    manager.localElements = [Element(models: [Model(sigModelId: .genericOnOffClientModelId, delegate: OnOffClient())])]
    manager.proxyFilter.delegate = reports

    let (lamp, advertisement) = try await reports.scan(for: MeshProvisioningService.uuid) {
        UnprovisionedDevice(advertisementData: $0) != nil
    }
    let device = UnprovisionedDevice(advertisementData: advertisement)!
    say("found \(device.name ?? "a device without a name")")
    let link = PBGattBearer(target: lamp)
    link.delegate = reports
    link.open()
    try await reports.wait(for: .opened)
    let provisioning = try manager.provision(unprovisionedDevice: device, over: link)
    provisioning.delegate = reports
    try provisioning.identify(andAttractFor: 0)
    try await reports.wait(for: .capabilities)
    let capabilities = provisioning.provisioningCapabilities!
    say("elements: \(capabilities.numberOfElements), algorithms: \(capabilities.algorithms)")
    try provisioning.provision(
        usingAlgorithm: capabilities.algorithms.strongest, publicKey: .noOobPublicKey, authenticationMethod: .noOob)
    try await reports.wait(for: .complete)
    let node = network.node(for: device)!
    say("provisioning complete, address \(node.primaryUnicastAddress)")
    link.close()
    try await reports.wait(for: .closed)

    let (provisionedLamp, _) = try await reports.scan(for: MeshProxyService.uuid) {
        $0.networkIdentity.map { network.matches(networkIdentity: $0) } ?? false
    }
    let proxy = GattBearer(target: provisionedLamp)
    proxy.delegate = reports
    proxy.dataDelegate = manager
    manager.transmitter = proxy
    proxy.open()
    // The library sets the filter after the beacon of the proxy. Until the answer, it refuses to send other messages.
    try await reports.wait(for: .filter)
    say("proxy filter: \(manager.proxyFilter.type) \(manager.proxyFilter.addresses.sorted())")

    let _: ConfigCompositionDataStatus = try await expect(manager.send(ConfigCompositionDataGet(page: 0), to: node))
    let models = node.elements.flatMap(\.models)
    say("composition: \(models.map { $0.name ?? "a model without a name" })")
    let timeToLive: ConfigDefaultTtlStatus = try await expect(manager.send(ConfigDefaultTtlGet(), to: node))
    say("default TTL: \(timeToLive.ttl)")

    let key = try network.add(applicationKey: .random128BitKey(), name: "Lights")
    let addition: ConfigAppKeyStatus = try await expect(
        manager.send(ConfigAppKeyAdd(applicationKey: key), to: node), \.isSuccess)
    say("application key: \(addition.message)")
    guard let server = models.first(where: { $0.modelIdentifier == .genericOnOffServerModelId }),
        let request = ConfigModelAppBind(applicationKey: key, to: server)
    else { throw Failure(errorDescription: "the node has no Generic OnOff Server") }
    let binding: ConfigModelAppStatus = try await expect(manager.send(request, to: node), \.isSuccess)
    say("binding: \(binding.message)")

    for isOn in [true, false, true] {
        let _: GenericOnOffStatus = try await expect(manager.send(GenericOnOffSet(isOn), to: server)) {
            $0.isOn == isOn
        }
        say("set: \(isOn ? "on" : "off")")
    }
    let _: GenericOnOffStatus = try await expect(manager.send(GenericOnOffGet(), to: server), \.isOn)
    say("get: on")

    let _: ConfigNodeResetStatus = try await expect(manager.send(ConfigNodeReset(), to: node))
    say("reset")
    proxy.close()
    try await reports.wait(for: .closed)
    _ = try await reports.scan(for: MeshProvisioningService.uuid) {
        UnprovisionedDevice(advertisementData: $0)?.uuid == device.uuid
    }
    say("the lamp can be provisioned again")
}

do {
    try await run()
    exit(0)
} catch {
    say("error: \(error.localizedDescription)")
    exit(1)
}
