import CoreBluetooth
import ExamplePrograms

// A wristband that notifies its pulse once a second.
answerHelp("wristband   a wristband that notifies its pulse once a second, until Ctrl-C")
let wristband = WristbandPeripheral()
wristband.log = printLine
wristband.start()
let pulse = DispatchSource.makeTimerSource(queue: .main)
pulse.schedule(deadline: .now() + 1, repeating: 1)
pulse.setEventHandler { MainActor.assumeIsolated { wristband.beat() } }
pulse.resume()
runUntilInterrupted { wristband.stop() }
