extension Schemas {
    /// Alert and phone status services, HID (GATT Specification Supplement; HID Service, 2.10 and 2.11; Scan Parameters Service,
    /// 3.1), and the object transfer's metadata.
    static let alerts: [UInt16: [Field]] = [
        0x2A06: [.choice("Alert Level", [0: "no alert", 1: "mild alert", 2: "high alert"])],
        0x2A3F: [.bits("Alert Status", 1, [0: "ringer", 1: "vibration", 2: "display"])],
        0x2A40: [.choice("Ringer Control Point", [1: "silent mode", 2: "mute once", 3: "cancel silent mode"])],
        0x2A41: [.choice("Ringer Setting", [0: "silent", 1: "normal"])],
        0x2A42: [.bits("Categories", 2, bitNames)],
        0x2A43: [.choice("Category", categories)],
        0x2A44: [
            .choice(
                "Alert Notification Control Point",
                [
                    0: "enable new alerts", 1: "enable unread alerts", 2: "disable new alerts",
                    3: "disable unread alerts", 4: "notify new alerts now", 5: "notify unread alerts now",
                ]),
            .choice("Category", categories),
        ],
        0x2A45: [.choice("Category", categories), .u8("Unread").special(255, "more than 254")],
        0x2A46: [.choice("Category", categories), .u8("New"), .text("Text")],
        // A mask may have one octet if the upper bits are 0.
        0x2A47: [.bits("Categories", 1, bitNames), .octets("More categories", 1).optional()],
        0x2A48: [.bits("Categories", 1, bitNames), .octets("More categories", 1).optional()],
        0x2A4A: [
            .u16("HID version").special(0x0111, "1.11").special(0x0101, "1.1"), .u8("Country"),
            .bits("HID flags", 1, [0: "remote wake", 1: "normally connectable"]),
        ],
        0x2A4C: [.choice("HID Control Point", [0: "suspend", 1: "exit suspend"])],
        0x2A4E: [.choice("Protocol Mode", [0: "boot protocol", 1: "report protocol"])],
        0x2A4F: [
            .u16("Scan interval").times(625).divided(by: 1000).unit("ms"),
            .u16("Scan window").times(625).divided(by: 1000).unit("ms"),
        ],
        0x2A31: [.choice("Scan Refresh", [0: "server requires refresh"])],
        0x2ABE: [.text("Object Name")],
        0x2ABF: [Field("Object Type", .uuid(octets: nil))],
        0x2AC1: [.time("Object First-Created")],
        0x2AC2: [.time("Object Last-Modified")],
        0x2AC3: [.u48("Object ID")],
        0x2BBA: [.u8("Content Control ID")],
    ]

    private static let categories: [UInt64: String] = [
        0: "simple alert", 1: "email", 2: "news", 3: "call", 4: "missed call", 5: "SMS or MMS", 6: "voice mail",
        7: "schedule", 8: "high prioritized alert", 9: "instant message", 255: "all",
    ]

    private static let bitNames: [Int: String] = [
        0: "simple alert", 1: "email", 2: "news", 3: "call", 4: "missed call", 5: "SMS or MMS", 6: "voice mail",
        7: "schedule", 8: "high prioritized alert", 9: "instant message",
    ]
}
