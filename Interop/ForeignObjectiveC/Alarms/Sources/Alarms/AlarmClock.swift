@_exported import AlarmParts
import Foundation

extension Notification.Name {
    /// Silences all clocks.
    public static let silence = Notification.Name("org.example.alarms.silence")
}

/// A clock whose alarms are timers with selectors.
@objc(OEAlarmClock)
open class AlarmClock: NSObject {
    /// The object that hears of alarms.
    @objc public weak var delegate: AlarmDelegate?
    /// Called for each alarm with its title.
    public var onRing: ((String) -> Void)?
    /// The alarms that rang.
    public private(set) var records: [AlarmRecord] = []
    /// Whether the clock rings.
    public private(set) var isSilent = false
    /// How often a second passed.
    @IBInspectable public private(set) var ticks = 0
    private var ticking: Timer?

    /// Makes a clock that notifications silence.
    @objc public override init() {
        super.init()
        NotificationCenter.default.addObserver(
            self, selector: #selector(silence(_:)), name: .silence, object: nil)
    }

    deinit {
        NotificationCenter.default.removeObserver(self)
        ticking?.invalidate()
    }

    /// Sets an alarm that rings once.
    @discardableResult
    @objc public func setAlarm(_ name: String, after interval: TimeInterval) -> Timer {
        delegate?.alarm?(name, didSetAt: Date())
        return Timer.scheduledTimer(
            timeInterval: interval, target: self, selector: #selector(ring(_:)), userInfo: ["name": name],
            repeats: false)
    }

    /// Counts in the main run loop's mode for everything.
    public func startTicking(every interval: TimeInterval) {
        let timer = Timer(
            timeInterval: interval, target: self, selector: #selector(AlarmClock.tick), userInfo: nil, repeats: true)
        RunLoop.current.add(timer, forMode: .default)
        ticking = timer
    }

    /// Ends the count.
    public func stopTicking() { ticking?.invalidate() }

    /// Rings after a delay, unless it is called off.
    public func remind(_ name: String, after delay: TimeInterval) {
        perform(#selector(self.remindNow), with: name, afterDelay: delay)
    }

    /// Calls off a reminder.
    public func callOff(_ name: String) {
        NSObject.cancelPreviousPerformRequests(withTarget: self, selector: #selector(remindNow), object: name)
    }

    /// The loudness of an alarm, low if the delegate does not know it.
    public func loudness(of name: String) -> Loudness { delegate?.loudness?(of: name) ?? .low }

    /// The title of an alarm.
    public func title(of name: String, count: Int) -> String {
        guard let title = delegate?.title?(of: name, count: count) else { return (delegate?.prefix ?? "") + name }
        return title
    }

    /// The keys of a record, for archives.
    public static let keys = [#keyPath(AlarmRecord.name), "\(#keyPath(AlarmRecord.count))"]

    @objc private func ring(_ timer: Timer) {
        guard let name = (timer.userInfo as? [String: String])?["name"] else { return }
        remindNow(name)
    }

    @objc private func remindNow(_ name: String) {
        guard !isSilent else { return }
        let record = records.first { $0.name == name } ?? AlarmRecord(name: name)
        if record.count == 0 { records.append(record) }
        record.count += 1
        delegate?.alarmDidRing(name)
        onRing?(title(of: name, count: record.count))
    }

    @objc private func tick() { ticks += 1 }

    @objc dynamic func silence(_ notification: Notification) { isSilent = true }
}
