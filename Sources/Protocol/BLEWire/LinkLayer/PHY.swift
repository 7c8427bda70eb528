extension LL {
    /// The four modulation and coding schemes (Vol 6, Part B, 2.1 and 2.2).
    package enum PHY: UInt8, Hashable, Sendable, CaseIterable {
        case oneM = 1
        case twoM = 2
        /// Coded with eight symbols for each bit.
        case codedS8 = 3
        /// Coded with two symbols for each bit.
        case codedS2 = 4

        /// The name for people.
        package var name: String {
            switch self {
            case .oneM: "1M"
            case .twoM: "2M"
            case .codedS8, .codedS2: "Coded"
            }
        }

        /// The duration of a packet on the air: preamble, access address, `pduLength` octets of PDU (including its
        /// header of two octets) and the CRC.
        package func airTime(pduLength: Int) -> TimeSpan {
            switch self {
            case .oneM: .microseconds((1 + 4 + pduLength + 3) * 8)
            case .twoM: .microseconds((2 + 4 + pduLength + 3) * 4)
            // Preamble 80, access address 256, coding indicator 16 and first terminator 24 are always at S=8.
            case .codedS8: .microseconds(80 + 256 + 16 + 24 + (pduLength + 3) * 64 + 24)
            case .codedS2: .microseconds(80 + 256 + 16 + 24 + (pduLength + 3) * 16 + 6)
            }
        }

        /// The longest PDU, including its header, with a duration of at most `time`; 0 or less if there is none.
        package func pduLength(within time: TimeSpan) -> Int {
            let microseconds = Int(time.nanoseconds / 1000)
            return switch self {
            case .oneM: microseconds / 8 - 8
            case .twoM: microseconds / 4 - 9
            case .codedS8: (microseconds - 400) / 64 - 3
            case .codedS2: (microseconds - 382) / 16 - 3
            }
        }

        /// Whether this is the Coded PHY, with either coding.
        package var isCoded: Bool { self == .codedS8 || self == .codedS2 }

        /// Whether a receiver set to this PHY can decode `other`. Each coded packet indicates its coding.
        package func hears(_ other: PHY) -> Bool { self == other || isCoded && other.isCoded }

        /// The time from a packet's start until a receiver has its access address.
        package var synchronisationTime: TimeSpan {
            switch self {
            case .oneM: .microseconds(40)
            case .twoM: .microseconds(24)
            case .codedS8, .codedS2: .microseconds(336)
            }
        }
    }
}
