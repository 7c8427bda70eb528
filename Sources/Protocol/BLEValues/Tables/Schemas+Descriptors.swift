extension Schemas {
    /// Descriptors (Vol 3, Part G, 3.3.3; GATT Specification Supplement).
    static let descriptors: [UInt16: [Field]] = [
        0x2900: [.bits("Extended properties", 2, [0: "reliable write", 1: "writable auxiliaries"])],
        0x2901: [.text("User Description")],
        0x2902: [.bits("Client configuration", 2, [0: "notifications", 1: "indications"])],
        0x2903: [.bits("Server configuration", 2, [0: "broadcasts"])],
        0x2904: [
            .choice("Format", presentationFormats), .s8("Exponent"), Field("Unit", .assigned(.unit)),
            .choice("Name space", [1: "Bluetooth SIG"]), .u16("Description"),
        ],
        0x2905: [.u16("Handle").repeated()],
        0x2906: [.octets("Valid range")],
        0x2907: [Field("External report", .uuid(octets: nil))],
        0x2908: [.u8("Report ID"), .choice("Report type", [1: "input", 2: "output", 3: "feature"])],
        0x2909: [.u8("Number of Digitals")],
    ]

    /// Vol 3, Part G, 3.3.3.5.2, and Assigned Numbers, 2.4.1.
    private static let presentationFormats: [UInt64: String] = [
        0x01: "boolean", 0x02: "uint2", 0x03: "uint4", 0x04: "uint8", 0x05: "uint12", 0x06: "uint16", 0x07: "uint24",
        0x08: "uint32", 0x09: "uint48", 0x0A: "uint64", 0x0B: "uint128", 0x0C: "sint8", 0x0D: "sint12",
        0x0E: "sint16", 0x0F: "sint24", 0x10: "sint32", 0x11: "sint48", 0x12: "sint64", 0x13: "sint128",
        0x14: "float32", 0x15: "float64", 0x16: "medfloat16", 0x17: "medfloat32", 0x18: "uint16[2]", 0x19: "utf8s",
        0x1A: "utf16s", 0x1B: "struct", 0x1C: "medASN1",
    ]
}
