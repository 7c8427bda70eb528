extension Schemas {
    /// GAP and GATT (Vol 3, Part C, 12, and Part G, 7), and the transmit power.
    static let generic: [UInt16: [Field]] = [
        0x2A00: [.text("Device Name")],
        0x2A01: [Field("Appearance", .assigned(.appearance))],
        0x2A02: [.choice("Peripheral Privacy", [0: "disabled", 1: "enabled"])],
        0x2A03: [.octets("Reconnection Address", 6)],
        0x2A04: [
            .u16("Interval minimum").times(125).divided(by: 100).unit("ms").unknown(0xFFFF),
            .u16("Interval maximum").times(125).divided(by: 100).unit("ms").unknown(0xFFFF),
            .u16("Latency"), .u16("Supervision timeout").times(10).unit("ms").unknown(0xFFFF),
        ],
        0x2A05: [.u16("First handle"), .u16("Last handle")],
        0x2A07: [.s8("Tx Power").unit("dBm")],
        0x2AA6: [.choice("Central Address Resolution", [0: "not supported", 1: "supported"])],
        0x2AC9: [.choice("Resolvable Private Address Only", [0: "only resolvable private addresses"])],
        0x2B29: [.flags(1, [0: "robust caching", 1: "enhanced ATT", 2: "multiple handle value notifications"])],
        0x2B2A: [Field("Database Hash", .octets(16))],
        0x2B3A: [.flags(1, [0: "enhanced ATT"])],
        0x2BF5: [.octets("LE GATT Security Levels")],
    ]

    /// Device Information Service (GATT Specification Supplement, under the names of the characteristics).
    static let deviceInformation: [UInt16: [Field]] = [
        0x2A23: [Field("System ID", .octets(8))],
        0x2A24: [.text("Model Number")],
        0x2A25: [.text("Serial Number")],
        0x2A26: [.text("Firmware Revision")],
        0x2A27: [.text("Hardware Revision")],
        0x2A28: [.text("Software Revision")],
        0x2A29: [.text("Manufacturer Name")],
        0x2A2A: [Field("Regulatory certification", .octets(nil))],
        0x2A50: [
            .choice("Vendor source", [1: "Bluetooth SIG", 2: "USB Implementers Forum"]), .u16("Vendor"),
            .u16("Product"), .u16("Version"),
        ],
    ]
}
