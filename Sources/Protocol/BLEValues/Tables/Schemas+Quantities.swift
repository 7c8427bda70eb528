extension Schemas {
    /// Quantities that services of lighting, buildings and generic sensors share (GATT Specification Supplement, under the names of
    /// the characteristics).
    static let quantities: [UInt16: [Field]] = [
        0x2AE0: [current("Average current"), .exponentialTime("Duration")],
        0x2AE1: [voltage("Average voltage"), .exponentialTime("Duration")],
        0x2AE2: [.choice("Boolean", [0: "false", 1: "true"])],
        0x2AE3: [planckian],
        0x2AE4: [chromaticity("x"), chromaticity("y")],
        0x2AE5: [colorTemperature("Color temperature"), planckian],
        0x2AE6: [.u8("Chromaticity tolerance").times(ten: -4)],
        0x2AE7: [.s8("Color Rendering Index").unknown(127)],
        0x2AE8: [Field("Coefficient", .real)],
        0x2AE9: [colorTemperature("Color temperature")],
        0x2AEA: [.u16("Count").unknown(0xFFFF)],
        0x2AEB: [.u24("Count").unknown(0xFF_FFFF)],
        0x2AEC: [.u16("Country Code").unknown(0xFFFF)],
        0x2AEE: [current("Electric Current")],
        0x2AEF: [current("Minimum"), current("Maximum")],
        0x2AF0: [current("Minimum"), current("Typical"), current("Maximum")],
        0x2AF1: [
            current("Average"), current("Standard deviation"), current("Minimum"), current("Maximum"),
            .exponentialTime("Duration"),
        ],
        0x2AF2: [energy],
        0x2AF3: [energy, decihour("Start"), decihour("End")],
        0x2AF4: [
            .u16("Events").unknown(0xFFFF), .u16("Average duration").unit("s").unknown(0xFFFF),
            .exponentialTime("Since the last event"), .exponentialTime("Duration"),
        ],
        0x2AF5: [.text("Fixed String 16")],
        0x2AF6: [.text("Fixed String 24")],
        0x2AF7: [.text("Fixed String 36")],
        0x2AF8: [.text("Fixed String 8")],
        0x2AF9: [.u16("Generic Level")],
        0x2AFA: [.u48("Global Trade Item Number").unknown(0)],
        0x2AFB: [illuminance("Illuminance")],
        0x2AFC: [.u16("Luminous Efficacy").times(ten: -1).unit("lm/W").unknown(0xFFFF)],
        0x2AFD: [.u24("Luminous Energy").times(1000).unit("lm h").unknown(0xFF_FFFF)],
        0x2AFE: [.u24("Luminous Exposure").times(1000).unit("lx h").unknown(0xFF_FFFF)],
        0x2AFF: [flux("Luminous Flux")],
        0x2B00: [flux("Minimum"), flux("Maximum")],
        0x2B01: [.u16("Luminous Intensity").unit("cd").unknown(0xFFFF)],
        0x2B02: [.u16("Mass Flow").unit("g/s").unknown(0xFFFF)],
        0x2B03: [.u16("Perceived Lightness")],
        0x2B04: [percentage("Percentage 8")],
        0x2B05: [power("Power")],
        0x2B06: [power("Minimum"), power("Typical"), power("Maximum")],
        0x2B07: [percentage("Relative runtime"), current("Minimum"), current("Maximum")],
        0x2B08: [percentage("Relative value"), .u16("Minimum"), .u16("Maximum")],
        0x2B09: [percentage("Relative value"), voltage("Minimum"), voltage("Maximum")],
        0x2B0A: [percentage("Relative value"), illuminance("Minimum"), illuminance("Maximum")],
        0x2B0B: [percentage("Relative value"), decihour("Start"), decihour("End")],
        0x2B0C: [percentage("Relative value"), temperature("Minimum"), temperature("Maximum")],
        0x2B0D: [temperature8("Temperature 8")],
        0x2B0E: [temperature8("Temperature"), decihour("Start"), decihour("End")],
        0x2B0F: [
            temperature8("Average"), temperature8("Standard deviation"), temperature8("Minimum"),
            temperature8("Maximum"), .exponentialTime("Duration"),
        ],
        0x2B10: [temperature("Minimum"), temperature("Maximum")],
        0x2B11: [
            temperature("Average"), temperature("Standard deviation"), temperature("Minimum"), temperature("Maximum"),
            .exponentialTime("Duration"),
        ],
        0x2B12: [decihour("Time Decihour 8")],
        0x2B13: [.exponentialTime("Time Exponential 8")],
        0x2B14: [.u24("Time Hour 24").unit("h").unknown(0xFF_FFFF)],
        0x2B15: [.u24("Time Millisecond 24").times(ten: -3).unit("s").unknown(0xFF_FFFF)],
        0x2B16: [.u16("Time Second 16").unit("s").unknown(0xFFFF)],
        0x2B17: [.u8("Time Second 8").unit("s").unknown(0xFF)],
        0x2B18: [voltage("Voltage")],
        0x2B19: [voltage("Minimum"), voltage("Typical"), voltage("Maximum")],
        0x2B1A: [
            voltage("Average"), voltage("Standard deviation"), voltage("Minimum"), voltage("Maximum"),
            .exponentialTime("Duration"),
        ],
        0x2B1B: [.u16("Volume Flow").times(ten: -3).unit("l/s").unknown(0xFFFF)],
        0x2B1C: [chromaticity("Chromaticity Coordinate")],
        0x2B89: [
            .u32("Apparent Energy").times(ten: -3).unit("kVAh").special(0xFFFF_FFFE, invalid).unknown(0xFFFF_FFFF)
        ],
        0x2B8A: [.u24("Apparent Power").times(ten: -1).unit("VA").special(0xFF_FFFE, invalid).unknown(0xFF_FFFF)],
        0x2B8D: [.s8("Cosine of the Angle").times(ten: -2).unknown(0x7F)],
        0x2BA8: [.u32("Energy").times(ten: -3).unit("kWh").special(0xFFFF_FFFE, invalid).unknown(0xFFFF_FFFF)],
        0x2BDE: [.text("Fixed String 64")],
        0x2BDF: [.s16("High Temperature").divided(by: 2).unit("°C").special(0x8001, invalid).unknown(0x8000)],
        0x2BE0: [.u24("High Voltage").divided(by: 64).unit("V").unknown(0xFF_FFFF)],
        0x2BE1: [
            .choice(
                "Light Distribution",
                [0: "not specified", 1: "type I", 2: "type II", 3: "type III", 4: "type IV", 5: "type V"])
        ],
        0x2BE2: [.u24("Light Output").unit("lm").special(0xFF_FFFE, invalid).unknown(0xFF_FFFF)],
        0x2BE3: [
            .choice(
                "Light Source Type",
                [
                    0: "not specified", 1: "low pressure fluorescent", 2: "high intensity discharge",
                    3: "low voltage halogen", 4: "incandescent", 5: "LED", 6: "OLED", 0xFD: "other",
                    0xFE: "no light source", 0xFF: "multiple types",
                ])
        ],
        0x2BE4: [.u8("Noise").unit("dB").special(0xFE, "254 dB or more").unknown(0xFF)],
        0x2BE5: [percentage("Relative runtime"), colorTemperature("Minimum"), colorTemperature("Maximum")],
        0x2BE6: [.u32("Time Second 32").unit("s").unknown(0xFFFF_FFFF)],
        0x2BE8: [.u16("Voltage Frequency").unit("Hz").special(0, "DC").special(0xFFFE, invalid).unknown(0xFFFF)],
    ]

    private static let invalid = "not valid"
    private static let energy = Field.u24("Energy").unit("kWh").unknown(0xFF_FFFF)
    private static let planckian = Field.s16("Distance from Planckian").times(ten: -5).special(0x7FFF, invalid)
        .unknown(0x7FFE)

    private static func current(_ name: String) -> Field { .u16(name).times(ten: -2).unit("A").unknown(0xFFFF) }
    private static func voltage(_ name: String) -> Field { .u16(name).divided(by: 64).unit("V").unknown(0xFFFF) }
    private static func chromaticity(_ name: String) -> Field { .u16(name).divided(by: 65_535) }
    private static func colorTemperature(_ name: String) -> Field { .u16(name).unit("K").unknown(0xFFFF) }
    private static func flux(_ name: String) -> Field { .u16(name).unit("lm").unknown(0xFFFF) }
    private static func illuminance(_ name: String) -> Field {
        .u24(name).times(ten: -2).unit("lx").unknown(0xFF_FFFF)
    }
    private static func percentage(_ name: String) -> Field { .u8(name).divided(by: 2).unit("%").unknown(0xFF) }
    private static func power(_ name: String) -> Field {
        .u24(name).times(ten: -1).unit("W").special(0xFF_FFFE, invalid).unknown(0xFF_FFFF)
    }
    private static func temperature(_ name: String) -> Field { .s16(name).times(ten: -2).unit("°C").unknown(0x8000) }
    private static func temperature8(_ name: String) -> Field { .s8(name).divided(by: 2).unit("°C").unknown(0x7F) }
    private static func decihour(_ name: String) -> Field { .u8(name).times(ten: -1).unit("h").unknown(0xFF) }
}
