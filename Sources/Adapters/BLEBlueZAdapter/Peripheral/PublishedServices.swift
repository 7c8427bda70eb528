import BLEAdapter
import BLEWire

/// The services of all sessions, and the applications that carry them. What bluetoothd has to be asked comes out as steps, in order.
struct PublishedServices {
    enum Step {
        case register(PublishedApplication)
        /// The subscriptions to its characteristics end.
        case unregister(Int)
        case added(PublishedKey, PublishingError?)
        /// bluetoothd took this service before, and does not take it now.
        case lost(PublishedKey)
    }

    private struct Service {
        let key: PublishedKey
        let definition: ServiceDefinition
        /// The session has its answer.
        var isAdded = false
        var application: Int?
    }

    /// The services of all sessions: a database has 65535 handles, and bluetoothd reads every object of every service.
    static let limit = 1024

    /// In the order in which they were added: a service comes after those that it includes.
    private var services: [Service] = []
    private var count = 0
    private(set) var isOn = false
    var isEmpty: Bool { services.isEmpty }

    func contains(_ key: PublishedKey) -> Bool { services.contains { $0.key == key } }
    func definition(of key: PublishedKey) -> ServiceDefinition? { services.first { $0.key == key }?.definition }
    func application(of key: PublishedKey) -> Int? { services.first { $0.key == key }?.application }

    // MARK: Sessions

    mutating func add(_ definition: ServiceDefinition, _ key: PublishedKey) -> [Step] {
        guard services.count < Self.limit, !contains(key) else { return [.added(key, .outOfSpace)] }
        guard definition.includedServices.allSatisfy({ contains(PublishedKey(session: key.session, token: $0)) })
        else { return [.added(key, .unknownIncludedService)] }
        services.append(Service(key: key, definition: definition))
        guard isOn else {
            services[services.count - 1].isAdded = true
            return [.added(key, nil)]
        }
        return regroup(group(of: key))
    }

    /// Removes services of a session. Their subscriptions end without an event: the session ends them itself.
    mutating func remove(of session: Int, where isMeant: (_ token: Int) -> Bool) -> [Step] {
        let removed = services.filter { $0.key.session == session && isMeant($0.key.token) }
        guard !removed.isEmpty else { return [] }
        let applications = Set(removed.compactMap(\.application))
        services.removeAll { service in removed.contains { $0.key == service.key } }
        let rest = Set(services.filter { $0.application.map(applications.contains) ?? false }.map(\.key))
        for index in services.indices where rest.contains(services[index].key) { services[index].application = nil }
        return applications.sorted().map { .unregister($0) } + register(rest)
    }

    // MARK: Power

    mutating func begin() -> [Step] {
        isOn = true
        return register(Set(services.map(\.key)))
    }

    /// bluetoothd has no application any more. The services stay unless they are to be forgotten.
    mutating func end(forgetsServices: Bool) -> [Step] {
        isOn = false
        let unanswered = services.filter { !$0.isAdded }.map(\.key)
        if forgetsServices {
            services = []
            return unanswered.map { .added($0, .notPoweredOn) }
        }
        for index in services.indices { (services[index].application, services[index].isAdded) = (nil, true) }
        return unanswered.map { .added($0, nil) }
    }

    // MARK: Answers

    mutating func registered(_ application: Int) -> [Step] {
        var steps: [Step] = []
        for index in services.indices where services[index].application == application && !services[index].isAdded {
            services[index].isAdded = true
            steps.append(.added(services[index].key, nil))
        }
        return steps
    }

    /// bluetoothd did not take an application. Those of its services that are new are at fault; the others go on without them.
    mutating func refused(_ application: Int) -> [Step] {
        let members = services.filter { $0.application == application }
        let new = members.filter { !$0.isAdded }.map(\.key)
        let old = members.filter(\.isAdded).map(\.key)
        services.removeAll { new.contains($0.key) }
        for index in services.indices where old.contains(services[index].key) { services[index].application = nil }
        let answers = new.map { Step.added($0, .outOfSpace) }
        return answers + (new.isEmpty ? old.map { .lost($0) } : register(Set(old)))
    }

    // MARK: Groups

    /// The services that must be in one application with this one.
    private func group(of key: PublishedKey) -> Set<PublishedKey> {
        var group: Set = [key]
        var isComplete = false
        while !isComplete {
            isComplete = true
            for service in services where service.key.session == key.session {
                let relatives = Set(
                    service.definition.includedServices.map { PublishedKey(session: key.session, token: $0) }
                        .filter(contains) + [service.key])
                guard !relatives.isDisjoint(with: group), !relatives.isSubset(of: group) else { continue }
                group.formUnion(relatives)
                isComplete = false
            }
        }
        return group
    }

    /// Unregisters the applications of a group, and registers the group as one.
    private mutating func regroup(_ keys: Set<PublishedKey>) -> [Step] {
        let applications = Set(services.filter { keys.contains($0.key) }.compactMap(\.application))
        return applications.sorted().map { .unregister($0) } + [.register(application(keys))]
    }

    /// Registers services that are in no application.
    private mutating func register(_ keys: Set<PublishedKey>) -> [Step] {
        var rest = keys
        var steps: [Step] = []
        for key in services.map(\.key) where rest.contains(key) {
            let group = group(of: key).intersection(rest)
            rest.subtract(group)
            steps.append(.register(application(group)))
        }
        return steps
    }

    private mutating func application(_ keys: Set<PublishedKey>) -> PublishedApplication {
        count += 1
        var members: [PublishedApplication.Member] = []
        for index in services.indices where keys.contains(services[index].key) {
            services[index].application = count
            members.append(.init(key: services[index].key, definition: services[index].definition))
        }
        return PublishedApplication(number: count, members: members)
    }
}
