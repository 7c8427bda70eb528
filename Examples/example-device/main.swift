import CoreBluetooth
import Devices
import ExamplePrograms
import ImprovWiFi

// One of the devices of Examples/Devices, until Ctrl-C. 运行 Examples/Devices 里的一个设备，直到按下 Ctrl-C。
let usage = """
    example-device DEVICE [--flash FILE]
      mcumgr     firmware updates with MCUmgr (SMP)
      dfu        firmware updates with Nordic's secure DFU
      mesh       a lamp in a Bluetooth mesh: PB-GATT and GATT proxy
      improv     a device that waits for the credentials of a Wi-Fi network
      microbit   a BBC micro:bit, whose left button is pressed every second
      lego       a LEGO hub with a train motor
    FILE is the flash memory of mcumgr and dfu; an update needs it for its reset.
    """
answerHelp(usage)
let arguments = Array(CommandLine.arguments.dropFirst())
let hasFlash = arguments.count == 3 && arguments[1] == "--flash"
guard let device = arguments.first, arguments.count == 1 || hasFlash else {
    printLine("usage: \(usage)")
    exit(2)
}
let flash = FlashFile(path: hasFlash ? arguments[2] : nil)

switch device {
case "mcumgr":
    let device = MCUmgrDevice(flash: flash.content)
    device.log = printLine
    device.onReset = {
        MainActor.assumeIsolated {
            device.boot()
            flash.reset(saving: try? device.flash)
        }
    }
    printLine("running version \(device.version)")
    device.start()
    runUntilInterrupted { device.stop() }
case "dfu":
    let device = try SecureDFUDevice(memory: flash.content)
    device.log = printLine
    device.onReset = { mode in
        MainActor.assumeIsolated {
            device.boot()
            flash.reset(saving: try? device.memory, usesNextAddress: mode == .bootloader)
        }
    }
    printLine("\(device.mode), firmware version \(device.version)")
    device.start()
    runUntilInterrupted { device.stop() }
case "mesh":
    let lamp = MeshLamp(identifier: UUID())
    lamp.log = printLine
    lamp.onSwitch = { printLine($0 ? "on" : "off") }
    lamp.start()
    runUntilInterrupted { lamp.stop() }
case "improv":
    // The network is simulated; NetworkManagerWiFi() joins a real one. 模拟的网络；NetworkManagerWiFi() 加入真实网络。
    let wifi = SimulatedWiFi([.init(name: "home", password: "correct horse")], delay: .seconds(1))
    let device = ImprovPeripheral(name: "Improv", capabilities: .identify, requiresAuthorization: false, joiner: wifi) {
        printLine("\($0)")
    }
    device.start()
    runUntilInterrupted { device.stop() }
case "microbit":
    let board = MicrobitDevice()
    board.log = printLine
    board.onLights = { rows in
        for row in rows { printLine((0..<5).reversed().map { row >> $0 & 1 == 1 ? "●" : "·" }.joined(separator: " ")) }
    }
    board.onText = { printLine("text: \($0)") }
    board.onEvent = { printLine("event \($0), value \($1)") }
    board.start()
    let clock = DispatchSource.makeTimerSource(queue: .main)
    var isPressed = false
    clock.schedule(deadline: .now() + 1, repeating: 1)
    clock.setEventHandler {
        MainActor.assumeIsolated {
            isPressed.toggle()
            board.press(.left, isPressed)
        }
    }
    clock.resume()
    @MainActor func measure() {
        board.measure()
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(board.accelerationPeriod)) {
            MainActor.assumeIsolated { measure() }
        }
    }
    measure()
    runUntilInterrupted { board.stop() }
case "lego":
    let hub = LEGOHub()
    hub.log = printLine
    hub.onPower = { power in
        printLine("motor: \(power) %")
        // The motor takes 4 mA for each percent, and the batteries have 1.25 Ω. 马达每 1% 功率消耗 4 毫安，电池内阻 1.25 欧姆。
        hub.measure(millivolts: 7500 - 5 * UInt16(power.magnitude))
        hub.measure(milliamperes: 4 * UInt16(power.magnitude))
    }
    hub.onColour = { printLine("light: colour \($0)") }
    hub.onEnd = {
        printLine("the client ends the link")
        exit(0)
    }
    hub.start()
    runUntilInterrupted { hub.stop() }
default:
    printLine("usage: \(usage)")
    exit(2)
}
