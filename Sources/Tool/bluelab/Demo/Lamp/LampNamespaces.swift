import BLEAdapter
import Foundation

/// Three network namespaces without names, which end with their processes: the house with the router, the lamp, and the phone.
///
///     house: router 192.0.2.1        the bridge of the local network
///            air                     the bridge that stands for the lamp's access point
///            mobile 203.0.113.1      the phone's mobile network; the broker listens here
///     lamp:  lan0 192.0.2.2, ap0 198.51.100.1, default route through the router
///     phone: lan0 192.0.2.3, ap0 198.51.100.2, wan0 203.0.113.2, default route through the lamp
///
/// Each interface of the lamp and the phone is one end of a pair, whose other end is a port in the house. A cut takes the port of the
/// phone down.
///
/// `@unchecked Sendable`: used on one queue only.
final class LampNamespaces: @unchecked Sendable {
    struct NamespaceError: Error, CustomStringConvertible {
        let description: String
    }

    /// The answer of a shell to a list of commands: `nil` is success.
    private typealias Answer = @Sendable (NamespaceError?) -> Void

    /// The interfaces that the programs use.
    static let network = "lan0"
    private static let broker = "203.0.113.1"
    private static let tools = (
        sh: "/bin/sh", unshare: "unshare", setpriv: "setpriv", ip: "ip", broker: "mosquitto"
    )

    private let queue: DispatchQueue
    private let unshare: String
    private let ip: String
    private let path: String
    private var house: LampChild!
    private var output: [String] = []
    private var answers: [Answer] = []
    /// Why the house has ended.
    private var ended: NamespaceError?
    /// Called when the house ends, after the answers.
    var onEnd: (NamespaceError) -> Void = { _ in }

    /// The folders where programs of the system are.
    private static var folders: String {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"
    }

    /// Why this machine has no namespaces for the demo; nil if it may have them.
    static var obstacle: String? {
        if geteuid() != 0 { return "only root can make them (or try: unshare --map-root-user --net bluelab demo lamp)" }
        let packages = [tools.unshare: "util-linux", tools.setpriv: "util-linux", tools.ip: "iproute2"]
        for tool in [tools.unshare, tools.setpriv, tools.ip] where BrowserLauncher.path(of: tool, in: folders) == nil {
            return "the program \(tool) is missing (Debian package \(packages[tool]!))"
        }
        return nil
    }

    /// The path of mosquitto; nil without it.
    static var mosquitto: String? { BrowserLauncher.path(of: tools.broker, in: folders) }
    /// The address of the broker for its clients.
    static let brokerAddress = "mqtt://\(broker)"

    /// - Parameter queue: The queue of all calls.
    init(queue: DispatchQueue) throws(NamespaceError) {
        if let obstacle = Self.obstacle { throw NamespaceError(description: obstacle) }
        self.queue = queue
        path = Self.folders
        unshare = BrowserLauncher.path(of: Self.tools.unshare, in: path)!
        ip = BrowserLauncher.path(of: Self.tools.ip, in: path)!
        do {
            house = try LampChild(
                [unshare, "--net", Self.tools.sh], environment: ["PATH": path], queue: queue,
                onLine: { [weak self] in self?.receive($0) }, onEnd: { [weak self] in self?.houseEnded() })
        } catch {
            throw NamespaceError(description: "\(unshare) does not start: \(error.localizedDescription)")
        }
        // Ctrl-C reaches all processes of the terminal. The demo itself ends the others. The broker ends with this shell.
        house.send("trap '' INT TERM HUP")
    }

    /// Makes the router and the other bridges.
    func open(_ answer: @escaping @Sendable (NamespaceError?) -> Void) {
        run(
            [
                "\(ip) link set dev lo up",
                "\(ip) link add name router type bridge", "\(ip) link add name air type bridge",
                "\(ip) link add name mobile type bridge",
                "\(ip) address add 192.0.2.1/24 dev router", "\(ip) address add \(Self.broker)/24 dev mobile",
                "\(ip) link set dev router up", "\(ip) link set dev air up", "\(ip) link set dev mobile up",
            ], answer)
    }

    /// Starts a program in a namespace of its own, and connects it. The program starts after the namespace has its interfaces.
    ///
    /// - Parameters:
    ///   - place: `lamp` or `phone`.
    ///   - command: The program and its arguments.
    func start(
        _ place: String, _ command: [String], environment: [String: String],
        onLine: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable () -> Void,
        _ answer: @escaping @Sendable (NamespaceError?) -> Void
    ) throws -> LampChild {
        let isLamp = place == "lamp"
        let interfaces =
            isLamp
            ? [("lan0", "router", "192.0.2.2"), ("ap0", "air", "198.51.100.1")]
            : [("lan0", "router", "192.0.2.3"), ("ap0", "air", "198.51.100.2"), ("wan0", "mobile", "203.0.113.2")]
        let gateway = isLamp ? "192.0.2.1" : "198.51.100.1"
        let setup =
            interfaces.map { "\(ip) address add \($0.2)/24 dev \($0.0) && \(ip) link set dev \($0.0) up" }
            + ["\(ip) link set dev lo up", "\(ip) route add default via \(gateway)"]
        let script =
            "trap '' INT HUP; echo namespace; read -r go && \(setup.joined(separator: " && ")) && exec \"$0\" \"$@\""
        let started = Lock<LampChild?>(nil)
        let child = try LampChild(
            [unshare, "--net", Self.tools.sh, "-c", script] + command,
            environment: environment.merging(["PATH": path]) { $1 }, queue: queue,
            onLine: { [weak self] line in
                guard line == "namespace", let self, let child = started.withLock({ $0 }) else { return onLine(line) }
                // Until this line the process was in the namespace of the machine.
                let commands = interfaces.flatMap { interface, bridge, _ in
                    [
                        "\(ip) link add name \(place)-\(interface) type veth peer name \(interface) netns \(child.identifier)",
                        "\(ip) link set dev \(place)-\(interface) master \(bridge)",
                    ] + (isLamp && interface == "lan0" ? [] : ["\(ip) link set dev \(place)-\(interface) up"])
                }
                run(commands) { failure in
                    if failure == nil { child.send("go") }
                    answer(failure)
                }
            }, onEnd: onEnd)
        // Lines arrive on the queue, which runs this now.
        started.withLock { $0 = child }
        return child
    }

    /// Starts the broker in the house. It reads its configuration from the shell, and writes no file. It ends with the shell, even if the shell
    /// is killed.
    func startBroker(_ mosquitto: String) {
        house.send(
            """
            \(Self.tools.setpriv) --pdeathsig KILL \(mosquitto) -c /dev/stdin >/dev/null 2>&1 <<'END' &
            user root
            listener 1883 \(Self.broker)
            allow_anonymous true
            persistence false
            END
            broker=$!
            trap 'kill $broker 2>/dev/null; wait $broker' EXIT
            """)
    }

    /// Connects the lamp with the router, because it has the password now.
    func join() { run(["\(ip) link set dev lamp-lan0 up"]) { _ in } }

    /// Takes the phone's ports down, or up again. Bluetooth has none.
    func set(_ ways: [LampTransport], isUp: Bool, _ answer: @escaping @Sendable (NamespaceError?) -> Void) {
        let interfaces: [String] = ways.compactMap { way in
            switch way {
            case .network: "lan0"
            case .direct: "ap0"
            case .cloud: "wan0"
            case .bluetooth: nil
            }
        }
        run(["true"] + interfaces.map { "\(ip) link set dev phone-\($0) \(isUp ? "up" : "down")" }, answer)
    }

    /// Ends the shell of the house, and with it the broker and the namespace.
    func close() {
        house.close()
        house.waitForEnd()
    }

    private func run(_ commands: [String], _ answer: @escaping Answer) {
        if let ended { return answer(ended) }
        answers.append(answer)
        house.send("{ \(commands.joined(separator: " && ")); } 2>&1 && echo =done || echo =failed")
    }

    private func receive(_ line: String) {
        guard line == "=done" || line == "=failed" else { return output.append(line) }
        let text = output.joined(separator: " ")
        output = []
        guard !answers.isEmpty else { return }
        answers.removeFirst()(line == "=done" ? nil : NamespaceError(description: text))
    }

    private func houseEnded() {
        let failure = NamespaceError(
            description: output.isEmpty ? "the shell of the router has ended" : output.joined(separator: " "))
        ended = failure
        let waiting = answers
        answers = []
        for answer in waiting { answer(failure) }
        onEnd(failure)
    }
}
