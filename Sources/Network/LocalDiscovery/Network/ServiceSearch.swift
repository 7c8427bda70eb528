import Dispatch

/// Finds the services of one type on the local network for some seconds.
///
/// An object on one queue. Keep a reference to it until the completion.
package final class ServiceSearch: @unchecked Sendable {
    private let network: LocalNetwork
    private let isEnough: ([FoundService]) -> Bool
    private var completion: (([FoundService]) -> Void)?
    private var found: [FoundService] = []

    /// - Parameters:
    ///   - interfaces: The names of the interfaces; empty for all that can multicast.
    ///   - isEnough: Whether these services end the search before `length`.
    ///   - completion: Called once on the queue with the services, by name.
    package init(
        type: String, for length: Duration, interfaces: [String] = [], queue: DispatchQueue,
        until isEnough: @escaping ([FoundService]) -> Bool = { _ in false },
        completion: @escaping ([FoundService]) -> Void
    ) throws(LocalServiceError) {
        network = LocalNetwork(browsingOn: interfaces, queue: queue)
        self.isEnough = isEnough
        self.completion = completion
        network.open()
        _ = try network.browse(type) { [weak self] event in self?.take(event) }
        let nanoseconds = Int((length / .nanoseconds(1)).rounded(.up))
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in self?.finish() }
    }

    private func take(_ event: ServiceBrowser.Event) {
        switch event {
        case .found(let service), .changed(let service):
            found.removeAll { $0.name == service.name }
            found.append(service)
        case .lost(let service): found.removeAll { $0.name == service.name }
        }
        if isEnough(found) { finish() }
    }

    private func finish() {
        guard let completion else { return }
        self.completion = nil
        network.close()
        completion(found.sorted { $0.name < $1.name })
    }
}
