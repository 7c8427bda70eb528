import Testing

@testable import BLETransport

struct MachineTests {
    @Test func theMachineShowsItsVersionsAndDrivers() throws {
        let fake = try FakeMachine()
        try fake.file("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
        try fake.file("/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n")
        try fake.link("/sys/class/bluetooth/hci0/device/driver", "../../../../bus/usb/drivers/btusb")
        let machine = SystemBluetooth(root: fake.root)
        #expect(machine.kernelRelease == "6.1.0-18-amd64")
        #expect(machine.distribution == "Debian GNU/Linux 12")
        #expect(machine.driver(0) == "btusb")
        #expect(machine.driver(1) == nil)
        #expect(!machine.isContainer)
        try fake.file("/.dockerenv", "")
        #expect(machine.isContainer)
    }

    @Test(arguments: [
        ("0000003fffffffff", true), ("0000000000003000", true), ("0000000000001000", false),
        ("0000000000000000", false),
    ])
    func bothCapabilitiesAreNeeded(digits: String, isEnough: Bool) throws {
        let fake = try FakeMachine()
        try fake.file("/proc/self/status", "Name:\tbluelab\nCapPrm:\t0000003fffffffff\nCapEff:\t\(digits)\n")
        #expect(SystemBluetooth(root: fake.root).mayTakeAdapters == isEnough)
    }

    @Test func thePathIsAWordOfTheCommand() throws {
        let fake = try FakeMachine()
        try fake.link("/proc/self/exe", "/opt/my tools/bluelab")
        #expect(
            SystemBluetooth(root: fake.root).capabilityCommand
                == "sudo setcap 'cap_net_admin,cap_net_raw+eip' '/opt/my tools/bluelab'")
    }
}
