/// A program of a scene. It is an ordinary program that uses CoreBluetooth, as a reader would write it, and prints what it does and hears.
protocol SceneProgram: AnyObject {
    /// Receives lines. A line that begins with the name of a method reports that call or callback.
    var log: (String) -> Void { get set }
    func start()
    func stop()
    /// Performs what the scene calls `button`. Returns false if the program has no such button.
    func press(_ button: String) -> Bool
    /// The time between two calls of `tick`; nil if the program needs none.
    var period: Duration? { get }
    func tick()
}

extension SceneProgram {
    func stop() {}
    func press(_ button: String) -> Bool { false }
    var period: Duration? { nil }
    func tick() {}
}

extension ScanningPhone: SceneProgram {}
extension HastyPhone: SceneProgram {}
extension NamePhone: SceneProgram {}
extension TimingPhone: SceneProgram {}
extension PairingPhone: SceneProgram {}
extension AddressPhone: SceneProgram {}
extension AddressGadget: SceneProgram {}
extension CheckingGadget: SceneProgram {}
extension TryingPhone: SceneProgram {}

extension Gadget: SceneProgram {
    var period: Duration? { .seconds(1) }
    func tick() { everySecond() }

    func press(_ button: String) -> Bool {
        guard button == "rename" else { return false }
        rename(name == "Renamed" ? "Gadget" : "Renamed")
        return true
    }
}

extension ManyPhone: SceneProgram {
    var period: Duration? { .seconds(1) }
    func tick() { everySecond() }
}

extension LengthPhone: SceneProgram {
    var period: Duration? { .seconds(1) }
    func tick() { everySecond() }
}

extension SendingPhone: SceneProgram {
    var period: Duration? { .milliseconds(100) }
    func tick() { everyTenthOfASecond() }
}

extension KeepingPhone: SceneProgram {
    func press(_ button: String) -> Bool {
        switch button {
        case "connect": connect()
        case "cancel": cancel()
        default: return false
        }
        return true
    }
}

extension ReturningPhone: SceneProgram {
    func press(_ button: String) -> Bool {
        switch button {
        case "scan": scan()
        case "connected": retrieveConnected()
        case "known": retrieveKnown()
        case "cancel": cancel()
        default: return false
        }
        return true
    }
}

extension TwoRolePhone: SceneProgram {
    func press(_ button: String) -> Bool {
        guard button == "advertise" else { return false }
        advertise()
        return true
    }
}
