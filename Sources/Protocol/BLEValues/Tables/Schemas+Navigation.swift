extension Schemas {
    /// Location and navigation, cycling power vectors, and control points of the cycling and running services (GATT Specification
    /// Supplement, under the names of the characteristics).
    static let navigation: [UInt16: [Field]] = [
        0x2A55: [.choice("SC Control Point", sensorOperations), .octets("Parameter").optional()],
        0x2A64: [
            .flags(1, [0: "crank", 1: "first angle", 2: "forces", 3: "torques", 4: "tangential", 5: "radial"]),
            .u16("Crank revolutions").when(0), .u16("Last crank event").divided(by: 1024).unit("s").when(0),
            .u16("First angle").unit("°").when(1), .s16("Force").unit("N").when(2).repeated(),
            .s16("Torque").divided(by: 32).unit("Nm").when(3).repeated(),
        ],
        0x2A68: [
            .flags(2, [5: "magnetic heading", 6: "to destination", 7: "waypoint reached", 8: "destination reached"]),
            .u16("Bearing").times(ten: -2).unit("°"), .u16("Heading").times(ten: -2).unit("°"),
            .u24("Remaining distance").times(ten: -1).unit("m").when(0),
            .s24("Remaining vertical distance").times(ten: -2).unit("m").when(1), .time("Arrival").when(2),
        ],
        0x2A69: [
            .flags(2), .u8("Beacons in solution").when(0), .u8("Beacons in view").when(1),
            .u16("Time to first fix").times(ten: -1).unit("s").when(2),
            .u32("Horizontal error").times(ten: -2).unit("m").when(3),
            .u32("Vertical error").times(ten: -2).unit("m").when(4), .u8("HDOP").times(2).times(ten: -1).when(5),
            .u8("VDOP").times(2).times(ten: -1).when(6),
        ],
        0x2A6A: [
            .bits(
                "LN Feature", 4,
                [
                    0: "speed", 1: "total distance", 2: "location", 3: "elevation", 4: "heading", 5: "rolling time",
                    6: "UTC time", 7: "remaining distance", 8: "remaining vertical distance", 9: "time of arrival",
                    10: "beacons in solution", 11: "beacons in view", 12: "time to first fix",
                    13: "horizontal error", 14: "vertical error", 15: "HDOP", 16: "VDOP", 17: "content masking",
                    18: "fix rate setting", 19: "elevation setting", 20: "position status",
                ])
        ],
        0x2AB5: [.text("Location Name")],
        0x2AB6: [.text("URI")],
    ]

    private static let sensorOperations: [UInt64: String] = [
        1: "set cumulative value", 2: "start calibration", 3: "update sensor location",
        4: "request sensor locations", 16: "response",
    ]
}
