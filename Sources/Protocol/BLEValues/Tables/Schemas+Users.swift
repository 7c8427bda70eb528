extension Schemas {
    /// The User Data Service and Physical Activity Monitor (GATT Specification Supplement, under the names of the characteristics).
    static let users: [UInt16: [Field]] = [
        0x2A7E: [rate("Aerobic Heart Rate Lower Limit")],
        0x2A7F: [rate("Aerobic Threshold")],
        0x2A80: [.u8("Age").unit("years")],
        0x2A81: [rate("Anaerobic Heart Rate Lower Limit")],
        0x2A82: [rate("Anaerobic Heart Rate Upper Limit")],
        0x2A83: [rate("Anaerobic Threshold")],
        0x2A84: [rate("Aerobic Heart Rate Upper Limit")],
        0x2A85: [.date("Date of Birth")],
        0x2A86: [.date("Date of Threshold Assessment")],
        0x2A87: [.text("Email Address")],
        0x2A88: [rate("Fat Burn Heart Rate Lower Limit")],
        0x2A89: [rate("Fat Burn Heart Rate Upper Limit")],
        0x2A8A: [.text("First Name")],
        0x2A8B: [
            rate("Very light to light"), rate("Light to moderate"), rate("Moderate to hard"), rate("Hard to maximum"),
        ],
        0x2A8C: [.choice("Gender", [0: "male", 1: "female", 2: "unspecified"])],
        0x2A8D: [rate("Heart Rate Max")],
        0x2A8E: [.u16("Height").times(ten: -2).unit("m")],
        0x2A8F: [.u16("Hip Circumference").times(ten: -2).unit("m")],
        0x2A90: [.text("Last Name")],
        0x2A91: [rate("Maximum Recommended Heart Rate")],
        0x2A92: [rate("Resting Heart Rate")],
        0x2A93: [
            .choice(
                "Sport Type",
                [
                    0: "unspecified", 1: "running", 2: "cycling", 3: "rowing", 4: "cross training", 5: "climbing",
                    6: "skiing", 7: "skating", 8: "arm exercising", 9: "lower body exercising",
                    10: "upper body exercising", 11: "whole body exercising",
                ])
        ],
        0x2A94: [rate("Light to moderate"), rate("Moderate to hard")],
        0x2A95: [rate("Fat burn to fitness")],
        0x2A96: [.u8("VO2 Max").unit("ml/kg/min")],
        0x2A97: [.u16("Waist Circumference").times(ten: -2).unit("m")],
        0x2A98: [.u16("Weight").times(5).times(ten: -3).unit("kg")],
        0x2A99: [.u32("Database Change Increment")],
        0x2A9A: [.u8("User Index").special(255, "unknown user")],
        0x2AA2: [.text("Language")],
        0x2B46: [Field("Unit", .assigned(.unit)).repeated()],
        0x2B47: [.u16("Height").times(ten: -4).unit("m")],
        0x2B48: [.text("Middle Name")],
        0x2B49: [.u16("Stride Length").times(ten: -3).unit("m")],
        0x2B4A: [.choice("Handedness", [0: "left-handed", 1: "right-handed", 2: "ambidextrous", 3: "unspecified"])],
        0x2B4C: [rate("Light to moderate"), rate("Moderate to hard"), rate("Hard to maximum")],
        0x2B4E: [
            .flags(
                1,
                [
                    0: "energy", 1: "walking steps", 2: "intensity steps", 3: "floor steps", 4: "distance",
                    5: "walking time", 6: "intensity time",
                ]),
            .u16("Energy").unit("kJ").when(0), .u24("Walking steps").when(1), .u24("Intensity steps").when(2),
            .u24("Floor steps").when(3), .u24("Distance").unit("m").when(4),
            .u24("Walking").unit("s").when(5), .u24("Intensity walking").unit("s").when(6),
        ],
        0x2B4F: [.u16("Sedentary Interval Notification").unit("s")],
        0x2B50: [.u16("Caloric Intake").unit("kcal")],
    ]

    private static func rate(_ name: String) -> Field { .u8(name).unit("bpm") }
}
