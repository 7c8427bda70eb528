extension Schemas {
    /// The Battery Service (GATT Specification Supplement, under the names of the characteristics).
    static let battery: [UInt16: [Field]] = [
        0x2A19: [.u8("Battery Level").unit("%")],
        0x2BE9: [.bits("Battery Critical Status", 1, [0: "critical power", 1: "immediate service required"])],
        0x2BEA: [
            .flags(1, [0: "health summary", 1: "cycle count", 2: "temperature", 3: "deep discharges"]),
            .u8("Health").unit("%").when(0), .u16("Charge cycles").when(1), batteryTemperature("Temperature").when(2),
            .u16("Deep discharges").when(3),
        ],
        0x2BEB: [
            .flags(1, [0: "designed cycles", 1: "operating temperatures"]), .u16("Designed charge cycles").when(0),
            batteryTemperature("Minimum temperature").when(1), batteryTemperature("Maximum temperature").when(1),
        ],
        0x2BEC: [
            .flags(
                2,
                [
                    0: "manufacture date", 1: "expiration date", 2: "designed capacity", 3: "low energy",
                    4: "critical energy", 5: "chemistry", 6: "nominal voltage", 7: "aggregation group",
                ]),
            .bits("Features", 1, [0: "replaceable", 1: "rechargeable"]), .day("Manufactured").when(0),
            .day("Expires").when(1), energy("Designed capacity").when(2), energy("Low energy").when(3),
            energy("Critical energy").when(4), .choice("Chemistry", chemistries).when(5),
            .sfloat("Nominal voltage").unit("V").when(6),
            .u8("Aggregation group").special(0, "none").when(7),
        ],
        0x2BED: [
            .flags(1, [0: "identifier", 1: "battery level", 2: "additional status"]),
            .parts("Power state", 2, powerState), .u16("Identifier").when(0),
            .u8("Battery level").unit("%").when(1),
            .parts(
                "Status", 1,
                [
                    Field.Part("service required", bits: 2, [0: "", 1: "service required", 2: "service unknown"]),
                    Field.Part("fault", bits: 1, [0: "no fault", 1: "battery fault"]),
                    Field.Part("reserved", bits: 5, [0: ""]),
                ]
            ).when(2),
        ],
        0x2BEE: [
            .flags(1, [0: "standby", 1: "recharged"]), minutes("Until discharged"),
            minutes("Until discharged on standby").when(0), minutes("Until recharged").when(1),
        ],
        0x2BEF: [.day("Estimated Service Date")],
        0x2BF0: [
            .flags(
                1,
                [
                    0: "external power", 1: "voltage", 2: "available energy", 3: "capacity", 4: "charge rate",
                    5: "energy at last charge",
                ]),
            .sfloat("External power").unit("W").when(0), .sfloat("Voltage").unit("V").when(1),
            energy("Available energy").when(2), energy("Capacity").when(3), .sfloat("Charge rate").unit("W").when(4),
            energy("Energy at last charge").when(5),
        ],
    ]

    private static let powerState: [Field.Part] = [
        Field.Part("", bits: 1, [0: "no battery", 1: "battery present"]),
        Field.Part("wired power", bits: 2, [0: "no wired power", 1: "wired power", 2: "wired power unknown"]),
        Field.Part("wireless power", bits: 2, [0: "", 1: "wireless power", 2: "wireless power unknown"]),
        Field.Part("", bits: 2, [0: "charge state unknown", 1: "charging", 2: "discharging", 3: "idle"]),
        Field.Part("", bits: 2, [0: "", 1: "level good", 2: "level low", 3: "level critical"]),
        Field.Part(
            "charging type", bits: 3,
            [0: "", 1: "constant current", 2: "constant voltage", 3: "trickle", 4: "float"]),
        Field.Part("", bits: 1, [0: "", 1: "battery fault"]),
        Field.Part("", bits: 1, [0: "", 1: "external power fault"]),
        Field.Part("", bits: 1, [0: "", 1: "other fault"]), Field.Part("reserved", bits: 1, [0: ""]),
    ]

    private static let chemistries: [UInt64: String] = [
        0: "unknown", 1: "alkaline", 2: "lead acid", 3: "lithium iron disulfide", 4: "lithium manganese dioxide",
        5: "lithium ion", 6: "lithium polymer", 7: "nickel oxyhydroxide", 8: "nickel cadmium",
        9: "nickel metal hydride", 10: "silver oxide", 11: "zinc chloride", 12: "zinc air", 13: "zinc carbon",
        255: "other",
    ]

    private static func batteryTemperature(_ name: String) -> Field {
        .s8(name).unit("°C").special(0x7F, "above 126 °C").special(0x80, "below -127 °C")
    }
    private static func energy(_ name: String) -> Field { .sfloat(name).unit("kWh") }
    private static func minutes(_ name: String) -> Field {
        .u24(name).unit("min").special(0xFF_FFFE, "more than 16777213 min").unknown(0xFF_FFFF)
    }
}
