/// Values of adopted characteristics: the UUID, the octets in the order of the air, and the expected text.
///
/// The octets are laid out by hand from the table of the characteristic in chapter 3 of the GATT Specification Supplement, which
/// lists the characteristics by name, and in the specifications that the schemas cite.
enum SchemaVectors {
    struct Vector: Sendable {
        let characteristic: UInt16
        let octets: String
        let summary: String
    }

    static let all: [Vector] = table.split(separator: "\n").map { line in
        let parts = line.split(separator: "|").map { $0.trimmed }
        return Vector(characteristic: UInt16(parts[0], radix: 16) ?? 0, octets: parts[1], summary: parts[2])
    }

    private static let table = """
        2A00 | 42 61 6E 64 | Band
        2A01 | C1 03 | Keyboard 961
        2A02 | 01 | enabled
        2A03 | 01 02 03 04 05 06 | 01 02 03 04 05 06
        2A04 | 18 00 28 00 00 00 F4 01 | 30 ms, Interval maximum 50 ms, Latency 0, Supervision timeout 5000 ms
        2A05 | 01 00 FF FF | 1, Last handle 65535
        2A06 | 02 | high alert
        2A07 | F4 | -12 dBm
        2A08 | E4 07 02 1D 0C 1E 0F | 2020-02-29 12:30:15
        2A09 | 06 | Saturday
        2A0A | E4 07 02 1D 0C 1E 0F 06 | 2020-02-29 12:30:15, Day Saturday
        2A0C | E4 07 02 1D 0C 1E 0F 06 40 | 2020-02-29 12:30:15, Day Saturday, Fractions 0.25 s
        2A0D | 04 | +1 h
        2A0E | EC | -300 min
        2A0F | 04 04 | 60 min, Daylight saving +1 h
        2A0F | 80 FF | unknown, Daylight saving unknown
        2A11 | E4 07 07 01 00 00 00 04 | 2020-07-01 00:00:00, Daylight saving +1 h
        2A12 | 10 | 2 s
        2A12 | FE | more than 31.625 s
        2A13 | 02 | GPS
        2A14 | 01 08 02 05 | network time protocol, Accuracy 1 s, Days since update 2, Hours since update 5
        2A16 | 01 | get reference update
        2A17 | 01 04 | update pending, Result timeout
        2A18 | 03 01 00 E4 07 01 02 03 04 05 0A 00 7B B0 11 | 1, Base time 2020-01-02 03:04:05, Time offset 10 min, Concentration 123 mg/dL, Sample capillary whole blood, finger
        2A18 | 06 02 00 E4 07 01 02 03 04 05 38 D0 2A | 2, Base time 2020-01-02 03:04:05, Concentration 56 mmol/L, Sample control solution, alternate site
        2A18 | 08 03 00 E4 07 01 02 03 04 05 03 00 | 3, Base time 2020-01-02 03:04:05, Sensor status battery low + sensor malfunction
        2A19 | 64 | 100 %
        2A1C | 06 6C 01 00 FF E4 07 02 1D 0C 1E 0F 06 | 36.4 °C, Time 2020-02-29 12:30:15, Type mouth
        2A1C | 01 D3 03 00 FF | 97.9 °F
        2A1C | 00 FF FF 7F 00 | unknown
        2A1D | 09 | tympanum
        2A1E | 00 71 0E 00 FE | 36.97 °C
        2A21 | 3C 00 | 60 s
        2A23 | 01 02 03 FE FF 04 05 06 | 01 02 03 fe ff 04 05 06
        2A24 | 4D 31 | M1
        2A25 | 30 31 | 01
        2A26 | 31 2E 30 | 1.0
        2A27 | 41 | A
        2A28 | 32 | 2
        2A29 | 41 63 6D 65 00 00 | Acme
        2A2A | FE 01 | fe 01
        2A2B | E4 07 02 1D 0C 1E 0F 06 80 05 | 2020-02-29 12:30:15, Day Saturday, Fractions 0.5 s, Reason manual + time zone
        2A2C | A0 0F | 40 °
        2A31 | 00 | server requires refresh
        2A34 | 03 07 00 02 20 D0 03 | 7, Carbohydrate lunch, Amount 32 g, Meal fasting
        2A34 | 5C 07 00 F5 84 03 32 01 0A A0 3E F0 | 7, Tester 5, health unknown, Exercise 900 s, Intensity 50 %, Medication rapid acting insulin, Dose 10 mg, HbA1c 6.2 %
        2A34 | B0 07 00 00 04 05 D0 | 7, Extended flags none, Medication long acting insulin, Dose 5 ml
        2A35 | 04 78 00 50 00 5D 00 48 00 | 120 mmHg, Diastolic 80 mmHg, Mean arterial pressure 93 mmHg, Pulse rate 72 bpm
        2A35 | 01 A0 F0 6A F0 7C F0 | 16 kPa, Diastolic 10.6 kPa, Mean arterial pressure 12.4 kPa
        2A35 | 1A 78 00 50 00 FF 07 E4 07 01 02 03 04 05 FF 05 00 | 120 mmHg, Diastolic 80 mmHg, Mean arterial pressure unknown, Time 2020-01-02 03:04:05, User unknown, Status body movement + irregular pulse
        2A36 | 00 96 00 FF 07 FF 07 | 150 mmHg, Not used unknown, Not used unknown
        2A37 | 00 48 | 72 bpm
        2A37 | 16 48 53 03 00 04 | 72 bpm, RR interval 0.8311 s, RR interval 1 s
        2A37 | 09 2C 01 0A 00 | 300 bpm, Energy expended 10 kJ
        2A38 | 02 | Wrist
        2A38 | 09 | 9
        2A39 | 01 | reset energy expended
        2A3F | 05 | ringer + display
        2A40 | 02 | mute once
        2A41 | 01 | normal
        2A42 | 22 02 | email + SMS or MMS + instant message
        2A43 | 03 | call
        2A44 | 04 FF | notify new alerts now, Category all
        2A45 | 01 FF | email, Unread more than 254
        2A46 | 05 02 48 69 | SMS or MMS, New 2, Text Hi
        2A47 | 0B | simple alert + email + call
        2A48 | 0B 02 | simple alert + email + call, More categories 02
        2A49 | 05 00 | body movement + irregular pulse
        2A4A | 11 01 00 03 | 1.11, Country 0, HID flags remote wake + normally connectable
        2A4C | 00 | suspend
        2A4E | 01 | report protocol
        2A4F | A0 00 50 00 | 100 ms, Scan window 50 ms
        2A50 | 02 5E 04 0A 00 01 01 | USB Implementers Forum, Vendor 1118, Product 10, Version 257
        2A51 | 41 00 | low battery + temperature high-low
        2A52 | 01 01 | report stored records, Operator all records
        2A52 | 06 00 01 01 | response, Operator null, Operand 01 01
        2A53 | 03 00 02 B4 5A 00 E8 03 00 00 | 2 m/s, Cadence 180 steps/min, Stride length 0.9 m, Total distance 100 m
        2A54 | 07 00 | stride length + total distance + walking or running
        2A55 | 03 05 | update sensor location, Parameter 05
        2A5B | 03 10 27 00 00 00 04 0A 00 00 02 | 10000, Last wheel event 1 s, Crank revolutions 10, Last crank event 0.5 s
        2A5C | 03 00 | wheel revolutions + crank revolutions
        2A5D | 0C | rear wheel
        2A5E | 01 62 00 3C 00 E4 07 01 02 03 04 05 | 98 %, Pulse rate 60 bpm, Time 2020-01-02 03:04:05
        2A5F | 00 62 00 3C 00 | 98 %, Pulse rate 60 bpm
        2A5F | 11 62 00 3C 00 61 00 3D 00 0F F0 | 98 %, Pulse rate 60 bpm, Fast SpO2 97 %, Fast pulse rate 61 bpm, Pulse amplitude index 1.5 %
        2A60 | 81 00 20 01 | measurement ongoing + fully qualified
        2A63 | 21 00 FA 00 64 2C 01 00 08 | 250 W, Pedal balance 50 %, Crank revolutions 300, Last crank event 2 s
        2A63 | 00 01 FA 00 BC 3A 12 | 250 W, Extreme angles maximum 2748, minimum 291
        2A64 | 07 0A 00 00 04 5A 00 64 00 9C FF | 10, Last crank event 1 s, First angle 90 °, Force 100 N, Force -100 N
        2A65 | 0C 00 00 00 | wheel revolutions + crank revolutions
        2A67 | 04 00 40 87 5F 1F 00 63 FA 07 | 52.635424 °, Longitude 13.3849856 °
        2A68 | 01 00 28 23 10 27 E8 03 00 | 90 °, Heading 100 °, Remaining distance 100 m
        2A69 | 25 00 08 64 00 05 | 8, Time to first fix 10 s, HDOP 1
        2A6A | 05 00 10 00 | speed + location + position status
        2A6C | F0 D8 FF | -100 m
        2A6D | CD 75 0F 00 | 101319.7 Pa
        2A6E | E6 F8 | -18.18 °C
        2A6E | 00 80 | unknown
        2A6F | 94 11 | 45 %
        2A70 | FA 00 | 2.5 m/s
        2A71 | 28 23 | 90 °
        2A72 | 64 00 | 1 m/s
        2A73 | 9F 8C | 359.99 °
        2A74 | 0F | 1.5
        2A75 | 40 E2 01 | 123456 1/m³
        2A76 | 07 | 7
        2A77 | 10 27 | 1000 W/m²
        2A78 | 0C 00 | 12 mm
        2A79 | F6 | -10 °C
        2A7A | 28 | 40 °C
        2A7B | 0A | 10 °C
        2A7E | 64 | 100 bpm
        2A7F | 78 | 120 bpm
        2A80 | 21 | 33 years
        2A81 | 96 | 150 bpm
        2A82 | B4 | 180 bpm
        2A83 | A0 | 160 bpm
        2A84 | 8C | 140 bpm
        2A85 | C6 07 0C 1F | 1990-12-31
        2A86 | E8 07 02 1D | 2024-02-29
        2A87 | 61 40 62 | a@b
        2A88 | 64 | 100 bpm
        2A89 | 82 | 130 bpm
        2A8A | 41 64 61 | Ada
        2A8B | 64 78 8C A0 | 100 bpm, Light to moderate 120 bpm, Moderate to hard 140 bpm, Hard to maximum 160 bpm
        2A8C | 01 | female
        2A8D | BE | 190 bpm
        2A8E | B4 00 | 1.8 m
        2A8F | 64 00 | 1 m
        2A90 | 4C | L
        2A91 | B9 | 185 bpm
        2A92 | 3C | 60 bpm
        2A93 | 03 | rowing
        2A94 | 78 A0 | 120 bpm, Moderate to hard 160 bpm
        2A95 | 82 | 130 bpm
        2A96 | 2D | 45 ml/kg/min
        2A97 | 50 00 | 0.8 m
        2A98 | 40 38 | 72 kg
        2A99 | 05 00 00 00 | 5
        2A9A | FF | unknown user
        2A9B | 01 22 01 00 | time stamp, weight, in 0.05 kg or 0.1 lb, in 0.005 m or 0.5 in
        2A9C | 00 00 FA 00 | 25 %
        2A9C | 12 04 C8 00 E4 07 01 02 03 04 05 8A 01 40 38 | 20 %, Time 2020-01-02 03:04:05, Muscle 39.4 %, Weight 72 kg
        2A9D | 00 10 27 | 50 kg
        2A9D | 09 10 27 DC 00 BC 02 | 100 lb, BMI 22 kg/m², Height 70 in
        2A9E | BF 00 00 00 | time stamp, multiple users, BMI, in 0.005 kg or 0.01 lb, in 0.01 m or 1 in
        2AA0 | 0A 00 F6 FF | 1 µT, Flux density Y -1 µT
        2AA1 | 0A 00 F6 FF 00 00 | 1 µT, Flux density Y -1 µT, Flux density Z 0 µT
        2AA2 | 65 6E | en
        2AA3 | 09 | steady
        2AA6 | 01 | supported
        2AA7 | 08 81 78 00 0A 00 02 05 F0 | 8, Glucose 120 mg/dL, Time offset 10 min, Status battery low, Trend 0.5 mg/dL/min
        2AA8 | 01 10 00 19 FF FF | calibration + CRC, Sample interstitial fluid, finger, CRC ff ff
        2AA9 | 0A 00 01 00 00 | 10 min, Status bit 0
        2AAA | E4 07 01 02 03 04 05 04 00 | 2020-01-02 03:04:05, Time zone 60 min, Daylight saving standard time
        2AAB | A8 00 | 168 h
        2AB5 | 52 31 | R1
        2AB6 | 61 3A | a:
        2ABE | 61 2E 62 | a.b
        2ABF | C3 2A | Object ID 2AC3
        2AC1 | E4 07 01 02 03 04 05 | 2020-01-02 03:04:05
        2AC2 | E4 07 01 02 03 04 05 | 2020-01-02 03:04:05
        2AC3 | 00 01 00 00 00 00 | 256
        2AC9 | 00 | only resolvable private addresses
        2ACC | 02 40 00 00 09 00 00 00 | cadence + power, Targets speed + power
        2ACD | 0C 00 E8 03 D0 07 00 0A 00 14 00 | 10 km/h, Distance 2000 m, Inclination 1 %, Ramp angle 2 °
        2ACE | 08 01 00 E8 03 3C 00 3A 00 96 00 | 10 km/h, Steps 60 1/min, Average steps 58 1/min, Power 150 W
        2ACF | 02 00 05 00 64 00 1E 00 | 5, Steps 100, Step rate 30 1/min
        2AD0 | 80 00 05 00 23 | 5, Metabolic equivalent 3.5 MET
        2AD1 | 2C 00 30 64 00 F4 01 00 78 00 96 00 | 24 1/min, Strokes 100, Distance 500 m, Pace 120 s/500 m, Power 150 W
        2AD2 | 44 02 C4 09 B4 00 C8 00 78 | 25 km/h, Cadence 90 1/min, Power 200 W, Heart rate 120 bpm
        2AD2 | 01 09 64 00 FF FF 05 3C 00 | 100 kcal, Energy per hour not available, Energy per minute 5 kcal, Elapsed 60 s
        2AD3 | 01 0D 61 | manual mode, Text a
        2AD4 | 64 00 D0 07 0A 00 | 1 km/h, Maximum 20 km/h, Increment 0.1 km/h
        2AD5 | CE FF 96 00 05 00 | -5 %, Maximum 15 %, Increment 0.5 %
        2AD6 | 01 14 01 | 10, Maximum 200, Increment 10
        2AD7 | 3C B4 01 | 60 bpm, Maximum 180 bpm, Increment 1 bpm
        2AD8 | 00 00 20 03 05 00 | 0 W, Maximum 800 W, Increment 5 W
        2AE0 | 96 00 40 | 1.5 A, Duration 1 s
        2AE1 | 40 01 40 | 5 V, Duration 1 s
        2AE2 | 01 | true
        2AE3 | F4 01 | 0.005
        2AE3 | FF 7F | not valid
        2AE4 | 00 80 FF FF | 0.5, y 1
        2AE5 | B8 0B FE 7F | 3000 K, Distance from Planckian unknown
        2AE6 | 0A | 0.001
        2AE7 | 50 | 80
        2AE8 | 00 00 C0 3F | 1.5
        2AE9 | 8C 0A | 2700 K
        2AEA | 0A 00 | 10
        2AEB | FF FF FF | unknown
        2AEC | 14 01 | 276
        2AED | 01 00 00 | 1970-01-02
        2AED | 0C 49 00 | 2021-03-14
        2AED | 00 00 00 | unknown
        2AEE | 0F 00 | 0.15 A
        2AEF | 00 00 64 00 | 0 A, Maximum 1 A
        2AF0 | 00 00 32 00 64 00 | 0 A, Typical 0.5 A, Maximum 1 A
        2AF1 | 32 00 01 00 00 00 64 00 FF | 0.5 A, Standard deviation 0.01 A, Minimum 0 A, Maximum 1 A, Duration unknown
        2AF2 | 0A 00 00 | 10 kWh
        2AF3 | 0A 00 00 50 64 | 10 kWh, Start 8 h, End 10 h
        2AF4 | 05 00 0A 00 00 40 | 5, Average duration 10 s, Since the last event 0 s, Duration 1 s
        2AF5 | 61 62 63 64 65 66 67 68 61 62 63 64 65 66 67 68 | abcdefghabcdefgh
        2AF6 | 61 62 00 | ab
        2AF7 | 61 | a
        2AF8 | 61 62 63 64 65 66 67 68 | abcdefgh
        2AF9 | FF FF | 65535
        2AFA | 01 00 00 00 00 00 | 1
        2AFB | 10 27 00 | 100 lx
        2AFC | 84 03 | 90 lm/W
        2AFD | 02 00 00 | 2000 lm h
        2AFE | 03 00 00 | 3000 lx h
        2AFF | 20 03 | 800 lm
        2B00 | 00 00 20 03 | 0 lm, Maximum 800 lm
        2B01 | 64 00 | 100 cd
        2B02 | 0A 00 | 10 g/s
        2B03 | 00 80 | 32768
        2B04 | 65 | 50.5 %
        2B05 | E8 03 00 | 100 W
        2B05 | FE FF FF | not valid
        2B06 | 00 00 00 E8 03 00 D0 07 00 | 0 W, Typical 100 W, Maximum 200 W
        2B07 | 64 00 00 64 00 | 50 %, Minimum 0 A, Maximum 1 A
        2B08 | 64 01 00 02 00 | 50 %, Minimum 1, Maximum 2
        2B09 | C8 40 00 80 00 | 100 %, Minimum 1 V, Maximum 2 V
        2B0A | 64 64 00 00 C8 00 00 | 50 %, Minimum 1 lx, Maximum 2 lx
        2B0B | 64 50 64 | 50 %, Start 8 h, End 10 h
        2B0C | 64 00 00 D0 07 | 50 %, Minimum 0 °C, Maximum 20 °C
        2B0D | 2B | 21.5 °C
        2B0E | 2B 50 64 | 21.5 °C, Start 8 h, End 10 h
        2B0F | 2B 01 00 2C 40 | 21.5 °C, Standard deviation 0.5 °C, Minimum 0 °C, Maximum 22 °C, Duration 1 s
        2B10 | 00 00 D0 07 | 0 °C, Maximum 20 °C
        2B11 | 66 08 0A 00 00 00 D0 07 41 | 21.5 °C, Standard deviation 0.1 °C, Minimum 0 °C, Maximum 20 °C, Duration 1.1 s
        2B12 | EF | 23.9 h
        2B13 | 00 | 0 s
        2B13 | 3F | 0.9091 s
        2B14 | 18 00 00 | 24 h
        2B15 | DC 05 00 | 1.5 s
        2B16 | 3C 00 | 60 s
        2B17 | FF | unknown
        2B18 | 40 01 | 5 V
        2B19 | 40 00 80 00 C0 00 | 1 V, Typical 2 V, Maximum 3 V
        2B1A | 40 00 01 00 40 00 80 00 FE | 1 V, Standard deviation 0.0156 V, Minimum 1 V, Maximum 2 V, Duration the device's lifetime
        2B1B | E8 03 | 1 l/s
        2B1C | FF FF | 1
        2B29 | 05 | robust caching + multiple handle value notifications
        2B2A | 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F | 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f
        2B34 | 22 78 00 50 00 5D 00 0A 00 00 00 0B 00 00 00 | 120 mmHg, Diastolic 80 mmHg, Mean arterial pressure 93 mmHg, Time 10 s, User time 11 s
        2B35 | 0D 0F F0 48 00 01 | 1.5 kPa, Pulse rate 72 bpm, User 1
        2B3A | 01 | enhanced ATT
        2B46 | AD 27 2F 27 | percentage, Unit Celsius temperature (degree Celsius)
        2B47 | 50 46 | 1.8 m
        2B48 | 42 | B
        2B49 | EE 02 | 0.75 m
        2B4A | 02 | ambidextrous
        2B4C | 64 78 8C | 100 bpm, Moderate to hard 120 bpm, Hard to maximum 140 bpm
        2B4E | 12 10 27 00 88 13 00 | 10000, Distance 5000 m
        2B4F | 08 07 | 1800 s
        2B50 | D0 07 | 2000 kcal
        2B89 | E8 03 00 00 | 1 kVAh
        2B8A | 0A 00 00 | 1 VA
        2B8C | 90 01 | 400 ppm
        2B8C | FE FF | 65534 ppm or more
        2B8D | CE | -0.5
        2BA8 | FE FF FF FF | not valid
        2BBA | 07 | 7
        2BCF | 0C A0 | 12000 µg/m³
        2BD0 | 0A A0 | 10000 µg/m³
        2BD1 | 6C 07 | 1900 ppb
        2BD1 | 00 08 | outside the resolution
        2BD2 | 14 80 | 200 µg/m³
        2BD3 | 14 80 | 200 µg/m³
        2BD4 | 05 80 | 50 µg/m³
        2BD5 | 0C A0 | 12000 µg/m³
        2BD6 | 0C A0 | 12000 µg/m³
        2BD7 | 0C A0 | 12000 µg/m³
        2BD8 | 0C A0 | 12000 µg/m³
        2BD9 | 0C A0 | 12000 µg/m³
        2BDE | 61 | a
        2BDF | D0 07 | 1000 °C
        2BDF | 01 80 | not valid
        2BE0 | 00 64 00 | 400 V
        2BE1 | 03 | type III
        2BE2 | 20 03 00 | 800 lm
        2BE3 | 05 | LED
        2BE4 | 3C | 60 dB
        2BE4 | FE | 254 dB or more
        2BE5 | 64 8C 0A B8 0B | 50 %, Minimum 2700 K, Maximum 3000 K
        2BE6 | FF FF FF FF | unknown
        2BE7 | 2C 01 | 300 ppb
        2BE8 | 32 00 | 50 Hz
        2BE8 | 00 00 | DC
        2BE9 | 03 | critical power + immediate service required
        2BEA | 07 5F 64 00 19 | 95 %, Charge cycles 100, Temperature 25 °C
        2BEA | 04 80 | below -127 °C
        2BEB | 03 F4 01 EC 3C | 500, Minimum temperature -20 °C, Maximum temperature 60 °C
        2BEC | 61 00 03 01 00 00 05 0F F0 | replaceable + rechargeable, Manufactured 1970-01-02, Chemistry lithium ion, Nominal voltage 1.5 V
        2BED | 02 A3 00 5A | battery present, wired power, charging, level good, Battery level 90 %
        2BED | 04 41 51 01 | battery present, no wired power, discharging, level low, battery fault, other fault, Status service required, no fault
        2BEE | 02 3C 00 00 FF FF FF | 60 min, Until recharged unknown
        2BEF | 0C 49 00 | 2021-03-14
        2BF0 | 12 0F F0 FB FF | 1.5 V, Charge rate -0.5 W
        2BF2 | 22 40 E2 01 00 00 00 01 04 | time of day, UTC, in 1 s, Time value 123456, Source network time protocol, Offset 60 min
        2BF5 | 01 01 | 01 01
        2BFF | 05 41 42 00 47 53 00 | AB, Issuer GS
        """
}

extension Substring {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
