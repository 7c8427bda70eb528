import BLEAdapter
import BLEBlueZAdapter
import BLEGatewayAdapter
import BLEStore
import BLETransport
import Dispatch

/// A check of a controller that other programs may use at the same time: whether a gateway answers with the key of this process and is a Bluetooth
/// proxy, or bluetoothd has an adapter that is powered on.
package enum ControllerCheck {
    /// Longer than a search for gateways by multicast DNS.
    private static let limit = DispatchTimeInterval.seconds(8)

    /// The reason why the gateway cannot be used; nil if it can.
    package static func failure(of place: GatewayAddress) async -> ControllerError? {
        await failure(late: ControllerError(gateway: place, .network("It does not answer."))) {
            queue, store, end throws(ControllerError) in
            let key = try GatewayKeyVariable.key(for: place)
            let scheduler = QueueScheduler(queue)
            return GatewayAdapter(
                LocalGatewayNetwork(place, scheduler: scheduler), key: key, identification: store, scheduler: scheduler
            ) { loss in end(loss.map { ControllerError(gateway: place, $0) }) }
        }
    }

    /// The reason why bluetoothd's adapter cannot be used; nil if it can.
    ///
    /// - Parameter name: The name of the adapter; nil for the first one.
    package static func failure(ofBlueZ name: String?) async -> ControllerError? {
        await failure(late: ControllerError(.bluez(name), .silent)) { _, store, end in
            BlueZAdapter(adapter: name, identification: store) { end($0.map { ControllerError(.bluez(name), $0) }) }
        }
    }

    /// Makes an adapter and returns what it reports first, or after some time `late`.
    private static func failure(
        late: ControllerError,
        _ make: (DispatchQueue, DeviceStore, @escaping @Sendable (ControllerError?) -> Void) throws(ControllerError)
            -> any BluetoothAdapter
    ) async -> ControllerError? {
        let answer: Lock<CheckedContinuation<ControllerError?, Never>?> = Lock(nil)
        @Sendable func end(_ failure: ControllerError?) {
            answer.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: failure)
        }
        let queue = DispatchQueue(label: "controller-check")
        let adapter = Lock<(any BluetoothAdapter)?>(nil)
        let failure = await withCheckedContinuation { continuation in
            answer.withLock { $0 = continuation }
            queue.asyncAfter(deadline: .now() + limit) { end(late) }
            do throws(ControllerError) {
                // The check reports no peer, so it needs no identifiers that last.
                let checked = try make(queue, DeviceStore(key: StoreKey(high: 0, low: 1)), end)
                adapter.withLock { $0 = checked }
            } catch {
                end(error)
            }
        }
        adapter.withLock { $0 = nil }
        return failure
    }
}
