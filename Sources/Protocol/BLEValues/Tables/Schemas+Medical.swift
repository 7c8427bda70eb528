extension Schemas {
    /// What the health profiles have beside the measurements: contexts, features, records, continuous glucose monitoring, device
    /// identifiers (GATT Specification Supplement, under the names of the characteristics; Pulse Oximeter Service, 3.4).
    static let medical: [UInt16: [Field]] = [
        0x2A34: [
            .flags(
                1,
                [
                    0: "carbohydrate", 1: "meal", 2: "tester and health", 3: "exercise", 4: "medication",
                    5: "medication in litres", 6: "HbA1c", 7: "extended flags",
                ]),
            .u16("Sequence number"), .bits("Extended flags", 1).when(7),
            .choice(
                "Carbohydrate",
                [
                    1: "breakfast", 2: "lunch", 3: "dinner", 4: "snack", 5: "drink", 6: "supper", 7: "brunch",
                ]
            ).when(0),
            // kg on the air.
            .sfloat("Amount").times(ten: 3).unit("g").when(0),
            .choice(
                "Meal", [1: "before the meal", 2: "after the meal", 3: "fasting", 4: "casual", 5: "bedtime"]
            ).when(1),
            Field(
                "Tester",
                .halves(
                    low: [1: "self", 2: "health care professional", 3: "lab test", 15: "tester unknown"],
                    high: [
                        1: "minor health issues", 2: "major health issues", 3: "during menses", 4: "under stress",
                        5: "no health issues", 15: "health unknown",
                    ])
            ).when(2),
            .u16("Exercise").unit("s").special(0xFFFF, "65535 s or more").when(3), .u8("Intensity").unit("%").when(3),
            .choice(
                "Medication",
                [
                    1: "rapid acting insulin", 2: "short acting insulin", 3: "intermediate acting insulin",
                    4: "long acting insulin", 5: "pre-mixed insulin",
                ]
            ).when(4),
            // kg or litres on the air.
            .sfloat("Dose").times(ten: 6).unit("mg").when(4).unless(5),
            .sfloat("Dose").times(ten: 3).unit("ml").when(4).when(5), .sfloat("HbA1c").unit("%").when(6),
        ],
        0x2A52: [
            .choice(
                "Record Access Control Point",
                [
                    1: "report stored records", 2: "delete stored records", 3: "abort",
                    4: "report the number of stored records", 5: "number of stored records", 6: "response",
                    7: "combined report", 8: "combined report response",
                ]),
            .choice(
                "Operator",
                [
                    0: "null", 1: "all records", 2: "up to", 3: "from", 4: "range", 5: "first record",
                    6: "last record",
                ]),
            .octets("Operand").optional(),
        ],
        0x2A60: [
            .flags(
                2,
                [
                    0: "measurement status", 1: "device and sensor status", 2: "spot-check storage",
                    3: "spot-check time stamps", 4: "fast", 5: "slow", 6: "pulse amplitude index",
                    7: "multiple bonds",
                ]),
            oximeterStatus.when(0), oximeterSensor.when(1),
        ],
        0x2A9B: [
            .parts(
                "Body Composition Feature", 4,
                [
                    "time stamp", "multiple users", "basal metabolism", "muscle percentage", "muscle mass",
                    "fat free mass", "soft lean mass", "body water mass", "impedance", "weight", "height",
                ].map { Field.Part($0, bits: 1, [0: "", 1: $0]) } + resolutions + [
                    Field.Part("reserved", bits: 14, [0: ""])
                ])
        ],
        0x2A9E: [
            .parts(
                "Weight Scale Feature", 4,
                ["time stamp", "multiple users", "BMI"].map { Field.Part($0, bits: 1, [0: "", 1: $0]) } + resolutions
                    + [Field.Part("reserved", bits: 22, [0: ""])])
        ],
        0x2AA7: [
            .u8("Size"),
            .flags(
                1, [0: "trend", 1: "quality", 5: "warning octet", 6: "calibration octet", 7: "status octet"]),
            .sfloat("Glucose").unit("mg/dL"), .u16("Time offset").unit("min"),
            .bits(
                "Status", 1,
                [
                    0: "session stopped", 1: "battery low", 2: "sensor type", 3: "sensor malfunction",
                    4: "device specific alert", 5: "device fault",
                ]
            ).when(7),
            .bits("Calibration", 1).when(6), .bits("Warning", 1).when(5),
            .sfloat("Trend").unit("mg/dL/min").when(0), .sfloat("Quality").unit("%").when(1),
        ],
        0x2AA8: [
            .bits(
                "CGM Feature", 3,
                [
                    0: "calibration", 1: "patient alerts", 2: "hypo alerts", 3: "hyper alerts", 4: "rate alerts",
                    5: "device specific alert", 6: "sensor malfunction", 7: "sensor temperature",
                    8: "sensor result", 9: "low battery", 10: "sensor type", 11: "device fault", 12: "CRC",
                    13: "multiple bonds", 14: "multiple sessions", 15: "trend", 16: "quality",
                ]),
            Field("Sample", .halves(low: glucoseSamples, high: glucoseLocations)), checksum,
        ],
        0x2AA9: [.u16("Time offset").unit("min"), .bits("Status", 3), checksum],
        0x2AAA: [.time("Session start"), timeZone, daylightSaving, checksum],
        0x2AAB: [.u16("CGM Session Run Time").unit("h"), checksum],
        0x2B34: [
            .flags(
                1,
                [0: "kPa", 1: "time stamp", 2: "pulse rate", 3: "user", 4: "status", 5: "user time", 6: "epoch 2000"])
        ] + compoundPressure(["Systolic", "Diastolic", "Mean arterial pressure"]) + pressureContext,
        0x2B35: [
            .flags(
                1,
                [0: "kPa", 1: "time stamp", 2: "pulse rate", 3: "user", 4: "status", 5: "user time", 6: "epoch 2000"])
        ] + compoundPressure(["Cuff pressure"]) + pressureContext,
        0x2BFF: [
            .flags(1, [0: "label", 1: "device identifier", 2: "issuer", 3: "authority"]),
            Field("Label", .terminatedText).when(0), Field("Device identifier", .terminatedText).when(1),
            Field("Issuer", .terminatedText).when(2), Field("Authority", .terminatedText).when(3),
        ],
    ]

    /// Pulse Oximeter Service, 3.2.1.4 and 3.2.1.5.
    static let oximeterStatus = Field.bits(
        "Measurement status", 2,
        [
            5: "measurement ongoing", 6: "early estimate", 7: "validated", 8: "fully qualified", 9: "from storage",
            10: "for demonstration", 11: "for testing", 12: "calibration ongoing", 13: "unavailable",
            14: "questionable", 15: "invalid",
        ])
    static let oximeterSensor = Field.bits(
        "Sensor status", 3,
        [
            0: "extended display update", 1: "equipment malfunction", 2: "signal processing irregularity",
            3: "inadequate signal", 4: "poor signal", 5: "low perfusion", 6: "erratic signal",
            7: "nonpulsatile signal", 8: "questionable pulse", 9: "signal analysis", 10: "sensor interface",
            11: "sensor unconnected to the user", 12: "unknown sensor", 13: "sensor displaced",
            14: "sensor malfunction", 15: "sensor disconnected",
        ])

    private static let checksum = Field.octets("CRC", 2).optional()

    private static let resolutions: [Field.Part] = [
        Field.Part(
            "weight resolution", bits: 4,
            [
                0: "", 1: "in 0.5 kg or 1 lb", 2: "in 0.2 kg or 0.5 lb", 3: "in 0.1 kg or 0.2 lb",
                4: "in 0.05 kg or 0.1 lb", 5: "in 0.02 kg or 0.05 lb", 6: "in 0.01 kg or 0.02 lb",
                7: "in 0.005 kg or 0.01 lb",
            ]),
        Field.Part(
            "height resolution", bits: 3,
            [0: "", 1: "in 0.01 m or 1 in", 2: "in 0.005 m or 0.5 in", 3: "in 0.001 m or 0.1 in"]),
    ]

    private static func compoundPressure(_ names: [String]) -> [Field] {
        names.map { .sfloat($0).unit("mmHg").unless(0) } + names.map { .sfloat($0).unit("kPa").when(0) }
    }

    private static let pressureContext: [Field] = [
        .u32("Time").unit("s").when(1), .sfloat("Pulse rate").unit("bpm").when(2),
        .u8("User").special(255, "unknown user").when(3),
        .bits("Status", 2, [0: "body movement", 1: "cuff too loose", 2: "irregular pulse"]).when(4),
        .u32("User time").unit("s").when(5),
    ]
}
