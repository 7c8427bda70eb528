import Alarms
import Foundation

let clock = AlarmClock()
clock.onRing = { title in
    // @objc and #selector(ring) in a comment and in a string stay.
    print("\(title) rang, without @objc")
    exit(0)
}
clock.setAlarm("tea", after: 0.05)
RunLoop.current.run(until: Date(timeIntervalSinceNow: 20))
exit(1)
