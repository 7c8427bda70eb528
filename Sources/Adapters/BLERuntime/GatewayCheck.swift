import BLEAdapter
import BLEGatewayAdapter
import BLEStore
import BLETransport
import Dispatch

/// A check of a gateway: whether it answers with the key of this process, and is a Bluetooth proxy.
package enum GatewayCheck {
    /// Longer than a search for gateways by multicast DNS.
    private static let limit = DispatchTimeInterval.seconds(8)

    /// The reason why the gateway cannot be used; nil if it can.
    package static func failure(of place: GatewayAddress) async -> ControllerError? {
        let answer: Lock<CheckedContinuation<ControllerError?, Never>?> = Lock(nil)
        @Sendable func end(_ failure: ControllerError?) {
            answer.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: failure)
        }
        let queue = DispatchQueue(label: "gateway-check")
        let adapter = Lock<GatewayAdapter?>(nil)
        let failure = await withCheckedContinuation { continuation in
            answer.withLock { $0 = continuation }
            queue.asyncAfter(deadline: .now() + limit) {
                end(ControllerError(gateway: place, .network("It does not answer.")))
            }
            do throws(ControllerError) {
                let key = try GatewayKeyVariable.key(for: place)
                let scheduler = QueueScheduler(queue)
                // The check reports no peer, so it needs no identifiers that last.
                let store = DeviceStore(key: StoreKey(high: 0, low: 1))
                let checked = GatewayAdapter(
                    LocalGatewayNetwork(place, scheduler: scheduler), key: key, identification: store,
                    scheduler: scheduler
                ) { loss in end(loss.map { ControllerError(gateway: place, $0) }) }
                adapter.withLock { $0 = checked }
            } catch {
                end(error)
            }
        }
        adapter.withLock { $0 = nil }
        return failure
    }
}
