extension Schemas {
    /// Environmental sensing (GATT Specification Supplement, under the names of the characteristics).
    static let environment: [UInt16: [Field]] = [
        0x2A2C: [.u16("Magnetic Declination").times(ten: -2).unit("°")],
        0x2A6C: [.s24("Elevation").times(ten: -2).unit("m")],
        0x2A6D: [.u32("Pressure").times(ten: -1).unit("Pa")],
        0x2A6E: [.s16("Temperature").times(ten: -2).unit("°C").unknown(0x8000)],
        0x2A6F: [.u16("Humidity").times(ten: -2).unit("%").unknown(0xFFFF)],
        0x2A70: [.u16("True Wind Speed").times(ten: -2).unit("m/s")],
        0x2A71: [.u16("True Wind Direction").times(ten: -2).unit("°")],
        0x2A72: [.u16("Apparent Wind Speed").times(ten: -2).unit("m/s")],
        0x2A73: [.u16("Apparent Wind Direction").times(ten: -2).unit("°")],
        0x2A74: [.u8("Gust Factor").times(ten: -1)],
        0x2A75: [.u24("Pollen Concentration").unit("1/m³")],
        0x2A76: [.u8("UV Index")],
        0x2A77: [.u16("Irradiance").times(ten: -1).unit("W/m²")],
        0x2A78: [.u16("Rainfall").unit("mm")],
        0x2A79: [.s8("Wind Chill").unit("°C")],
        0x2A7A: [.s8("Heat Index").unit("°C")],
        0x2A7B: [.s8("Dew Point").unit("°C")],
        0x2AA0: [flux("X"), flux("Y")],
        0x2AA1: [flux("X"), flux("Y"), flux("Z")],
        0x2AA3: [
            .choice(
                "Barometric Pressure Trend",
                [
                    0: "unknown", 1: "continuously falling", 2: "continuously rising", 3: "falling, then steady",
                    4: "rising, then steady", 5: "falling before a lesser rise", 6: "falling before a greater rise",
                    7: "rising before a greater fall", 8: "rising before a lesser fall", 9: "steady",
                ])
        ],
        0x2B8C: [.u16("CO2 Concentration").unit("ppm").special(0xFFFE, "65534 ppm or more").unknown(0xFFFF)],
        0x2BCF: [particles("Ammonia")],
        0x2BD0: [particles("Carbon monoxide")],
        0x2BD1: [.sfloat("Methane").unit("ppb")],
        0x2BD2: [particles("Nitrogen dioxide")],
        0x2BD3: [particles("Volatile organic compounds")],
        0x2BD4: [particles("Ozone")],
        0x2BD8: [particles("Sulfur dioxide")],
        0x2BD9: [particles("Sulfur hexafluoride")],
        0x2BE7: [.u16("VOC Concentration").unit("ppb").special(0xFFFE, "65534 ppb or more").unknown(0xFFFF)],
        0x2BD5: [particles("PM1")],
        0x2BD6: [particles("PM2.5")],
        0x2BD7: [particles("PM10")],
    ]

    private static func flux(_ axis: String) -> Field { .s16("Flux density \(axis)").times(ten: -1).unit("µT") }

    /// kg/m³ on the air.
    private static func particles(_ name: String) -> Field { .sfloat(name).times(ten: 9).unit("µg/m³") }
}
