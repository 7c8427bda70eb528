extension Schemas {
    /// Running, cycling, location.
    static let fitness: [UInt16: [Field]] = [
        0x2A53: [
            .flags(1, [0: "stride length", 1: "total distance", 2: "running"]),
            .u16("Speed").divided(by: 256).unit("m/s"),
            .u8("Cadence").unit("steps/min"), .u16("Stride length").times(ten: -2).unit("m").when(0),
            .u32("Total distance").times(ten: -1).unit("m").when(1),
        ],
        0x2A54: [
            .flags(
                2,
                [
                    0: "stride length", 1: "total distance", 2: "walking or running", 3: "calibration",
                    4: "several sensor locations",
                ])
        ],
        0x2A5B: [
            .flags(1, [0: "wheel", 1: "crank"]), .u32("Wheel revolutions").when(0),
            .u16("Last wheel event").divided(by: 1024).unit("s").when(0), .u16("Crank revolutions").when(1),
            .u16("Last crank event").divided(by: 1024).unit("s").when(1),
        ],
        0x2A5C: [.flags(2, [0: "wheel revolutions", 1: "crank revolutions", 2: "several sensor locations"])],
        0x2A5D: [
            .choice(
                "Sensor Location",
                [
                    0: "other", 1: "top of shoe", 2: "in shoe", 3: "hip", 4: "front wheel", 5: "left crank",
                    6: "right crank", 7: "left pedal", 8: "right pedal", 9: "front hub", 10: "rear dropout",
                    11: "chainstay", 12: "rear wheel", 13: "rear hub", 14: "chest", 15: "spider", 16: "chain ring",
                ])
        ],
        0x2A63: [
            .flags(2, [1: "balance of the left pedal", 3: "torque of the crank", 12: "offset compensation"]),
            .s16("Power").unit("W"), .u8("Pedal balance").divided(by: 2).unit("%").when(0),
            .u16("Accumulated torque").divided(by: 32).unit("Nm").when(2), .u32("Wheel revolutions").when(4),
            .u16("Last wheel event").divided(by: 2048).unit("s").when(4), .u16("Crank revolutions").when(5),
            .u16("Last crank event").divided(by: 1024).unit("s").when(5), .s16("Maximum force").unit("N").when(6),
            .s16("Minimum force").unit("N").when(6), .s16("Maximum torque").divided(by: 32).unit("Nm").when(7),
            .s16("Minimum torque").divided(by: 32).unit("Nm").when(7),
            .parts("Extreme angles", 3, [Field.Part("maximum", bits: 12), Field.Part("minimum", bits: 12)]).when(8),
            .u16("Top dead spot").unit("°").when(9), .u16("Bottom dead spot").unit("°").when(10),
            .u16("Accumulated energy").unit("kJ").when(11),
        ],
        0x2A65: [
            .flags(
                4,
                [
                    0: "pedal balance", 1: "accumulated torque", 2: "wheel revolutions", 3: "crank revolutions",
                    4: "extreme magnitudes", 5: "extreme angles", 6: "dead spots", 7: "accumulated energy",
                ])
        ],
        0x2A67: [
            .flags(2), .u16("Speed").times(ten: -2).unit("m/s").when(0),
            .u24("Total distance").times(ten: -1).unit("m").when(1), .s32("Latitude").times(ten: -7).unit("°").when(2),
            .s32("Longitude").times(ten: -7).unit("°").when(2), .s24("Elevation").times(ten: -2).unit("m").when(3),
            .u16("Heading").times(ten: -2).unit("°").when(4), .u8("Rolling time").unit("s").when(5),
            .time("UTC").when(6),
        ],
    ]
}
