extension Schemas {
    /// The Fitness Machine Service: the data of the machines (GATT Specification Supplement, under the names of the
    /// characteristics), its features and its status (Fitness Machine Service, 4.3 and 4.10).
    static let machines: [UInt16: [Field]] = [
        0x2ACC: [
            .bits(
                "Features", 4,
                [
                    0: "average speed", 1: "cadence", 2: "total distance", 3: "inclination", 4: "elevation gain",
                    5: "pace", 6: "step count", 7: "resistance level", 8: "stride count", 9: "expended energy",
                    10: "heart rate", 11: "metabolic equivalent", 12: "elapsed time", 13: "remaining time",
                    14: "power", 15: "force on belt", 16: "user data retention",
                ]),
            .bits(
                "Targets", 4,
                [
                    0: "speed", 1: "inclination", 2: "resistance", 3: "power", 4: "heart rate", 5: "energy",
                    6: "steps", 7: "strides", 8: "distance", 9: "training time", 10: "time in two zones",
                    11: "time in three zones", 12: "time in five zones", 13: "simulation", 14: "wheel circumference",
                    15: "spin down", 16: "cadence",
                ]),
        ],
        0x2ACD: [
            .flags(2, [0: "more data"]), speed("Speed").unless(0), speed("Average speed").when(1),
            .u24("Distance").unit("m").when(2), tenth("Inclination", "%").when(3), tenth("Ramp angle", "°").when(3),
            .u16("Ascent").times(ten: -1).unit("m").when(4), .u16("Descent").times(ten: -1).unit("m").when(4),
            .u16("Pace").unit("s/500 m").when(5), .u16("Average pace").unit("s/500 m").when(6),
        ] + energy(7) + effort(8, 9) + times(10) + [
            .s16("Force on belt").unit("N").when(12).special(0x7FFF, unavailable),
            .s16("Power").unit("W").when(12).special(0x7FFF, unavailable),
        ],
        0x2ACE: [
            .flags(3, [0: "more data", 15: "backward"]), speed("Speed").unless(0), speed("Average speed").when(1),
            .u24("Distance").unit("m").when(2), .u16("Steps").unit("1/min").when(3),
            .u16("Average steps").unit("1/min").when(3), .u16("Strides").times(ten: -1).when(4),
            .u16("Ascent").unit("m").when(5), .u16("Descent").unit("m").when(5), tenth("Inclination", "%").when(6),
            tenth("Ramp angle", "°").when(6), resistance.when(7), .s16("Power").unit("W").when(8),
            .s16("Average power").unit("W").when(9),
        ] + energy(10) + effort(11, 12) + times(13),
        0x2ACF: [
            .flags(2, [0: "more data"]), .u16("Floors").unless(0), .u16("Steps").unless(0),
            .u16("Step rate").unit("1/min").when(1), .u16("Average step rate").unit("1/min").when(2),
            .u16("Ascent").unit("m").when(3),
        ] + energy(4) + effort(5, 6) + times(7),
        0x2AD0: [
            .flags(2, [0: "more data"]), .u16("Floors").unless(0), .u16("Step rate").unit("1/min").when(1),
            .u16("Average step rate").unit("1/min").when(2), .u16("Ascent").unit("m").when(3),
            .u16("Strides").when(4),
        ] + energy(5) + effort(6, 7) + times(8),
        0x2AD1: [
            .flags(2, [0: "more data"]), .u8("Stroke rate").divided(by: 2).unit("1/min").unless(0),
            .u16("Strokes").unless(0), .u8("Average stroke rate").divided(by: 2).unit("1/min").when(1),
            .u24("Distance").unit("m").when(2), .u16("Pace").unit("s/500 m").when(3),
            .u16("Average pace").unit("s/500 m").when(4), .s16("Power").unit("W").when(5),
            .s16("Average power").unit("W").when(6), resistance.when(7),
        ] + energy(8) + effort(9, 10) + times(11),
        0x2AD2: [
            .flags(2, [0: "more data"]), speed("Speed").unless(0), speed("Average speed").when(1),
            .u16("Cadence").divided(by: 2).unit("1/min").when(2),
            .u16("Average cadence").divided(by: 2).unit("1/min").when(3), .u24("Distance").unit("m").when(4),
            resistance.when(5), .s16("Power").unit("W").when(6), .s16("Average power").unit("W").when(7),
        ] + energy(8) + effort(9, 10) + times(11),
        0x2AD3: [
            .flags(1, [0: "text", 1: "more text"]),
            .choice(
                "Training Status",
                [
                    0: "other", 1: "idle", 2: "warming up", 3: "low intensity interval", 4: "high intensity interval",
                    5: "recovery interval", 6: "isometric", 7: "heart rate control", 8: "fitness test",
                    9: "speed outside of control region, low", 10: "speed outside of control region, high",
                    11: "cool down", 12: "watt control", 13: "manual mode", 14: "pre-workout", 15: "post-workout",
                ]),
            .text("Text").when(0),
        ],
        0x2AD4: [speed("Minimum"), speed("Maximum"), speed("Increment")],
        0x2AD5: [tenth("Minimum", "%"), tenth("Maximum", "%"), .u16("Increment").times(ten: -1).unit("%")],
        0x2AD6: [resistance.named("Minimum"), resistance.named("Maximum"), resistance.named("Increment")],
        0x2AD7: [.u8("Minimum").unit("bpm"), .u8("Maximum").unit("bpm"), .u8("Increment").unit("bpm")],
        0x2AD8: [.s16("Minimum").unit("W"), .s16("Maximum").unit("W"), .u16("Increment").unit("W")],
    ]

    private static let unavailable = "not available"
    private static let resistance = Field.u8("Resistance").times(10)
    private static func speed(_ name: String) -> Field { .u16(name).times(ten: -2).unit("km/h") }
    private static func tenth(_ name: String, _ unit: String) -> Field { .s16(name).times(ten: -1).unit(unit) }

    private static func energy(_ bit: Int) -> [Field] {
        [
            .u16("Energy").unit("kcal").special(0xFFFF, unavailable).when(bit),
            .u16("Energy per hour").unit("kcal").special(0xFFFF, unavailable).when(bit),
            .u8("Energy per minute").unit("kcal").special(0xFF, unavailable).when(bit),
        ]
    }

    private static func effort(_ rate: Int, _ metabolic: Int) -> [Field] {
        [
            .u8("Heart rate").unit("bpm").when(rate),
            .u8("Metabolic equivalent").times(ten: -1).unit("MET").when(metabolic),
        ]
    }

    private static func times(_ elapsed: Int) -> [Field] {
        [.u16("Elapsed").unit("s").when(elapsed), .u16("Remaining").unit("s").when(elapsed + 1)]
    }
}
