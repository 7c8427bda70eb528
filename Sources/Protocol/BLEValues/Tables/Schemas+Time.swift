extension Schemas {
    /// Time services. The fields are those of the GATT Specification Supplement, under the names of the characteristics.
    static let time: [UInt16: [Field]] = [
        0x2A08: [.time("Date Time")],
        0x2A09: [dayOfWeek],
        0x2A0A: [.time("Day Date Time"), dayOfWeek],
        0x2A0C: [.time("Exact Time 256"), dayOfWeek, fractions],
        0x2A0D: [daylightSaving],
        0x2A0E: [timeZone],
        0x2A0F: [timeZone, daylightSaving],
        0x2A11: [.time("Time with DST"), daylightSaving],
        0x2A12: [timeAccuracy],
        0x2A13: [timeSource],
        0x2A14: [
            timeSource, timeAccuracy, .u8("Days since update").special(255, "255 or more"),
            .u8("Hours since update").special(255, "unknown"),
        ],
        0x2A16: [.choice("Time Update Control Point", [1: "get reference update", 2: "cancel reference update"])],
        0x2A17: [
            .choice("State", [0: "idle", 1: "update pending"]),
            .choice(
                "Result",
                [
                    0: "successful", 1: "cancelled", 2: "no connection to the reference",
                    3: "error of the reference", 4: "timeout", 5: "not attempted after reset",
                ]),
        ],
        0x2A2B: [
            .time("Time"), dayOfWeek, fractions,
            .bits("Reason", 1, [0: "manual", 1: "reference time", 2: "time zone", 3: "daylight saving"]),
        ],
        0x2AED: [.day("Date UTC")],
        0x2BF2: [
            .parts(
                "Clock", 1,
                [
                    Field.Part("", bits: 1, [0: "time of day", 1: "tick counter"]),
                    Field.Part("", bits: 1, [0: "local time", 1: "UTC"]),
                    Field.Part("", bits: 2, [0: "in 1 s", 1: "in 100 ms", 2: "in 1 ms", 3: "in 100 us"]),
                    Field.Part("", bits: 1, [0: "", 1: "with offset"]),
                    Field.Part("", bits: 1, [0: "not from the current timeline", 1: ""]),
                    Field.Part("", bits: 2, [0: ""]),
                ]),
            .u48("Time value"), timeSource, timeZone.named("Offset"),
        ],
    ]

    static let dayOfWeek = Field.choice(
        "Day",
        [
            0: "unknown day", 1: "Monday", 2: "Tuesday", 3: "Wednesday", 4: "Thursday", 5: "Friday", 6: "Saturday",
            7: "Sunday",
        ])

    private static let fractions = Field.u8("Fractions").divided(by: 256).unit("s")
    static let timeZone = Field.s8("Time zone").times(15).unit("min").unknown(0x80)
    static let daylightSaving = Field.choice(
        "Daylight saving", [0: "standard time", 2: "+0.5 h", 4: "+1 h", 8: "+2 h", 255: "unknown"])
    private static let timeAccuracy = Field.u8("Accuracy").divided(by: 8).unit("s").special(254, "more than 31.625 s")
        .unknown(255)
    static let timeSource = Field.choice(
        "Source",
        [
            0: "unknown", 1: "network time protocol", 2: "GPS", 3: "radio time signal", 4: "manual", 5: "atomic clock",
            6: "cellular network", 7: "not synchronised",
        ])
}
