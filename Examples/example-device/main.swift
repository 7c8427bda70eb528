import CoreBluetooth
import Devices
import ExamplePrograms

// One of the devices of Examples/Devices, until Ctrl-C. 运行 Examples/Devices 里的一个设备，直到按下 Ctrl-C。
let usage = """
    example-device DEVICE [--flash FILE]
      mcumgr     firmware updates with MCUmgr (SMP)
      dfu        firmware updates with Nordic's secure DFU
      mesh       a lamp in a Bluetooth mesh: PB-GATT and GATT proxy
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
default:
    printLine("usage: \(usage)")
    exit(2)
}
