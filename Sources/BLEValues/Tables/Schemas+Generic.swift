extension Schemas {
    /// GAP, GATT, time, alerts and the characteristics that many profiles share.
    static let generic: [UInt16: [Field]] = [
        0x2A00: [.text("Device Name")],
        0x2A01: [.u16("Appearance")],
        0x2A04: [
            .u16("Interval minimum").times(125).divided(by: 100).unit("ms").unknown(0xFFFF),
            .u16("Interval maximum").times(125).divided(by: 100).unit("ms").unknown(0xFFFF),
            .u16("Latency"), .u16("Supervision timeout").times(10).unit("ms").unknown(0xFFFF),
        ],
        0x2A05: [.u16("First handle"), .u16("Last handle")],
        0x2A06: [.choice("Alert Level", [0: "no alert", 1: "mild alert", 2: "high alert"])],
        0x2A07: [.s8("Tx Power").unit("dBm")],
        0x2A08: [.time("Date Time")],
        0x2A09: [dayOfWeek],
        0x2A0F: [
            .s8("Time zone").times(15).unit("min").unknown(0x80),
            .choice(
                "Daylight saving",
                [0: "standard time", 2: "+0.5 h", 4: "+1 h", 8: "+2 h", 255: "unknown"]),
        ],
        0x2A14: [
            .choice(
                "Source",
                [
                    0: "unknown", 1: "network time protocol", 2: "GPS", 3: "radio time signal", 4: "manual",
                    5: "atomic clock", 6: "cellular network", 7: "not synchronised",
                ]),
            .u8("Accuracy").divided(by: 8).unit("s").unknown(255), .u8("Days since update"), .u8("Hours since update"),
        ],
        0x2A19: [.u8("Battery Level").unit("%")],
        0x2A2B: [
            .time("Time"), dayOfWeek, .u8("Fractions").divided(by: 256).unit("s"),
            Field(
                "Reason",
                .flags(
                    octets: 1, names: [0: "manual", 1: "reference time", 2: "time zone", 3: "daylight saving"])),
        ],
        0x2AA6: [.choice("Central Address Resolution", [0: "not supported", 1: "supported"])],
        0x2AC9: [.choice("Resolvable Private Address Only", [0: "only resolvable private addresses"])],
        0x2B29: [.flags(1, [0: "robust caching", 1: "enhanced ATT", 2: "multiple handle value notifications"])],
        0x2B2A: [Field("Database Hash", .octets(16))],
        0x2B3A: [.flags(1, [0: "enhanced ATT"])],
    ]

    /// Device Information Service.
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

    static let dayOfWeek = Field.choice(
        "Day",
        [
            0: "unknown day", 1: "Monday", 2: "Tuesday", 3: "Wednesday", 4: "Thursday", 5: "Friday", 6: "Saturday",
            7: "Sunday",
        ])
}
