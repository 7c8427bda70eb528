import CoreBluetooth
import ExamplePrograms

// A wristband whose pulse beats once a second for whoever subscribes.
let wristband = WristbandPeripheral()
wristband.log = printLine
wristband.start()
let pulse = DispatchSource.makeTimerSource(queue: .main)
pulse.schedule(deadline: .now() + 1, repeating: 1)
pulse.setEventHandler { MainActor.assumeIsolated { wristband.beat() } }
pulse.resume()
runUntilInterrupted { wristband.stop() }
