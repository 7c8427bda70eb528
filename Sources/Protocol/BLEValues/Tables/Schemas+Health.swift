extension Schemas {
    /// Heart rate, thermometer, blood pressure, glucose, weight, body composition, pulse oximeter.
    static let health: [UInt16: [Field]] = [
        0x2A18: [
            .flags(
                1,
                [
                    0: "time offset", 1: "concentration", 2: "mol/L", 3: "sensor status", 4: "context follows",
                ]),
            .u16("Sequence number"), .time("Base time"), .s16("Time offset").unit("min").when(0),
            // In the units that people read: kg/L and mol/L on the air.
            .sfloat("Concentration").times(ten: 5).unit("mg/dL").when(1).unless(2),
            .sfloat("Concentration").times(ten: 3).unit("mmol/L").when(1).when(2),
            Field("Sample", .halves(low: glucoseSamples, high: glucoseLocations)).when(1),
            .bits(
                "Sensor status", 2,
                [
                    0: "battery low", 1: "sensor malfunction", 2: "sample size", 3: "strip insertion",
                    4: "strip type", 5: "result too high", 6: "result too low", 7: "temperature too high",
                    8: "temperature too low", 9: "read interrupt", 10: "device fault", 11: "time fault",
                ]
            ).when(3),
        ],
        0x2A1C: temperature,
        0x2A1D: [.choice("Temperature Type", temperatureTypes)],
        0x2A1E: temperature,
        0x2A21: [.u16("Measurement Interval").unit("s")],
        0x2A35: bloodPressure(["Systolic", "Diastolic", "Mean arterial pressure"]),
        0x2A36: bloodPressure(["Cuff pressure", "Not used", "Not used"]),
        0x2A37: [
            .flags(1, [0: "16-bit", 1: "contact", 2: "contact supported", 3: "energy", 4: "RR intervals"]),
            .u8("Heart rate").unit("bpm").unless(0), .u16("Heart rate").unit("bpm").when(0),
            .u16("Energy expended").unit("kJ").when(3),
            .u16("RR interval").divided(by: 1024).unit("s").when(4).repeated(),
        ],
        0x2A38: [
            .choice(
                "Body Sensor Location",
                [0: "Other", 1: "Chest", 2: "Wrist", 3: "Finger", 4: "Hand", 5: "Ear Lobe", 6: "Foot"])
        ],
        0x2A39: [.choice("Heart Rate Control Point", [1: "reset energy expended"])],
        0x2A49: [
            .flags(
                2,
                [
                    0: "body movement", 1: "cuff fit", 2: "irregular pulse", 3: "pulse rate range",
                    4: "measurement position", 5: "multiple bonds",
                ])
        ],
        0x2A51: [
            .flags(
                2,
                [
                    0: "low battery", 1: "sensor malfunction", 2: "sample size", 3: "strip insertion", 4: "strip type",
                    5: "result high-low", 6: "temperature high-low", 7: "read interrupt", 8: "device fault",
                    9: "time fault", 10: "multiple bonds",
                ])
        ],
        0x2A5E: [
            .flags(
                1,
                [
                    0: "time stamp", 1: "measurement status", 2: "sensor status", 3: "pulse amplitude index",
                    4: "clock not set",
                ]),
            .sfloat("SpO2").unit("%"), .sfloat("Pulse rate").unit("bpm"), .time("Time").when(0),
            oximeterStatus.when(1), oximeterSensor.when(2),
            .sfloat("Pulse amplitude index").unit("%").when(3),
        ],
        0x2A5F: [
            .flags(
                1,
                [0: "fast", 1: "slow", 2: "measurement status", 3: "sensor status", 4: "pulse amplitude index"]),
            .sfloat("SpO2").unit("%"), .sfloat("Pulse rate").unit("bpm"), .sfloat("Fast SpO2").unit("%").when(0),
            .sfloat("Fast pulse rate").unit("bpm").when(0), .sfloat("Slow SpO2").unit("%").when(1),
            .sfloat("Slow pulse rate").unit("bpm").when(1), oximeterStatus.when(2),
            oximeterSensor.when(3), .sfloat("Pulse amplitude index").unit("%").when(4),
        ],
        0x2A9C: bodyComposition,
        0x2A9D: [
            .flags(1, [0: "imperial", 1: "time stamp", 2: "user", 3: "BMI and height"]),
            .u16("Weight").times(5).times(ten: -3).unit("kg").unless(0),
            .u16("Weight").times(ten: -2).unit("lb").when(0),
            .time("Time").when(1), .u8("User").unknown(255).when(2), .u16("BMI").times(ten: -1).unit("kg/m²").when(3),
            .u16("Height").times(ten: -3).unit("m").when(3).unless(0),
            .u16("Height").times(ten: -1).unit("in").when(3).when(0),
        ],
    ]

    private static let temperature: [Field] = [
        .flags(1, [0: "Fahrenheit", 1: "time stamp", 2: "type"]), .float("Temperature").unit("°C").unless(0),
        .float("Temperature").unit("°F").when(0), .time("Time").when(1), .choice("Type", temperatureTypes).when(2),
    ]

    private static func bloodPressure(_ names: [String]) -> [Field] {
        [.flags(1, [0: "kPa", 1: "time stamp", 2: "pulse rate", 3: "user", 4: "status"])]
            + names.map { .sfloat($0).unit("mmHg").unless(0) } + names.map { .sfloat($0).unit("kPa").when(0) } + [
                .time("Time").when(1), .sfloat("Pulse rate").unit("bpm").when(2), .u8("User").unknown(255).when(3),
                .bits("Status", 2, [0: "body movement", 1: "cuff too loose", 2: "irregular pulse"]).when(4),
            ]
    }

    private static let bodyComposition: [Field] =
        [
            .flags(2, [0: "imperial", 12: "more packets"]), .u16("Body fat").times(ten: -1).unit("%").unknown(0xFFFF),
            .time("Time").when(1), .u8("User").unknown(255).when(2), .u16("Basal metabolism").unit("kJ").when(3),
            .u16("Muscle").times(ten: -1).unit("%").when(4),
        ] + mass("Muscle mass", 5) + mass("Fat free mass", 6) + mass("Soft lean mass", 7) + mass("Body water mass", 8)
        + [
            .u16("Impedance").times(ten: -1).unit("Ω").when(9)
        ] + mass("Weight", 10) + [
            .u16("Height").times(ten: -3).unit("m").when(11).unless(0),
            .u16("Height").times(ten: -1).unit("in").when(11).when(0),
        ]

    private static func mass(_ name: String, _ bit: Int) -> [Field] {
        [
            .u16(name).times(5).times(ten: -3).unit("kg").when(bit).unless(0),
            .u16(name).times(ten: -2).unit("lb").when(bit).when(0),
        ]
    }

    private static let temperatureTypes: [UInt64: String] = [
        1: "armpit", 2: "body", 3: "ear", 4: "finger", 5: "gastro-intestinal tract", 6: "mouth", 7: "rectum", 8: "toe",
        9: "tympanum",
    ]

    static let glucoseSamples: [UInt64: String] = [
        1: "capillary whole blood", 2: "capillary plasma", 3: "venous whole blood", 4: "venous plasma",
        5: "arterial whole blood", 6: "arterial plasma", 7: "undetermined whole blood", 8: "undetermined plasma",
        9: "interstitial fluid", 10: "control solution",
    ]

    static let glucoseLocations: [UInt64: String] = [
        1: "finger", 2: "alternate site", 3: "earlobe", 4: "control solution", 15: "location not available",
    ]
}
