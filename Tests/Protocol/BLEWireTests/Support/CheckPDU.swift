import BLEWire
import Testing

/// Whether octets beyond or short of a packet's own must be refused.
enum PDULength {
    /// One length alone: every truncation and every extension throws.
    case fixed
    /// The length says something; truncations may decode, but never trap.
    case variable

    /// The mutations of a test. Half of those of a fixed length are refused by their length alone, and the others have no structure to
    /// get wrong. `Fuzz/run parsers` tries millions of both.
    var mutations: Int { self == .fixed ? 2_000 : 10_000 }
}

/// Holds a PDU against rule 3 of the design, starting from octets that were written by hand from the specification:
///
/// - they decode, and encode again to `normalForm` (by default to themselves), in exactly `encodedCount` octets;
/// - an output that is too small is refused and leaves nothing behind;
/// - a truncation is refused as `truncated` or for a length, and an octet too many as `trailingBytes` or for a length;
/// - every truncation, and `mutations` seeded mutations (by default as many as the length needs; flipped bits, hostile octets, cut, longer, spliced), decode or
///   throw and never trap; whatever decodes encodes again, to the same octets or to a normal form that is stable.
///
/// Use it as `checkPDU(HCI.Reset.self, "", .fixed)` or with an array literal in place of the hexadecimal text.
func checkPDU<P: PDU & ~Escapable>(
    _ type: P.Type, _ octets: [UInt8], _ length: PDULength = .variable, normalForm: [UInt8]? = nil,
    mutations: Int? = nil, seed: UInt64 = 0x5EED, sourceLocation: SourceLocation = #_sourceLocation
) {
    // One fault shows in thousands of mutations: the first findings say enough.
    let found = findings(
        type, octets, length, normalForm: normalForm, mutations: mutations ?? length.mutations, seed: seed)
    for finding in found.prefix(3) {
        Issue.record(Comment(rawValue: finding), sourceLocation: sourceLocation)
    }
}

/// What ``checkPDU(_:_:_:normalForm:mutations:seed:sourceLocation:)`` finds wrong, one sentence each; empty for a correct PDU.
func findings<P: PDU & ~Escapable>(
    _ type: P.Type, _ octets: [UInt8], _ length: PDULength, normalForm: [UInt8]? = nil, mutations: Int,
    seed: UInt64 = 0x5EED
) -> [String] {
    var checker = PDUChecker()
    checker.roundTrip(type, octets, normalForm ?? octets)
    checker.refuseSmallOutput(type, octets)
    checker.truncations(type, octets, length)
    checker.mutations(type, octets, mutations, SeededRandom(seed: seed))
    return checker.findings
}

/// The same, from hexadecimal text such as `"02 01 06"`.
func checkPDU<P: PDU & ~Escapable>(
    _ type: P.Type, _ text: String, _ length: PDULength = .variable, normalForm: String? = nil,
    mutations: Int? = nil, seed: UInt64 = 0x5EED, sourceLocation: SourceLocation = #_sourceLocation
) {
    checkPDU(
        type, octets(text), length, normalForm: normalForm.map { octets($0) }, mutations: mutations, seed: seed,
        sourceLocation: sourceLocation)
}

/// Octets from hexadecimal text; spaces and line ends do not count.
func octets(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    var high: UInt8?
    for character in text where !character.isWhitespace {
        guard let digit = character.hexDigitValue else { preconditionFailure("not hexadecimal: \(text)") }
        if let first = high {
            result.append(first << 4 | UInt8(digit))
            high = nil
        } else {
            high = UInt8(digit)
        }
    }
    precondition(high == nil, "an odd number of digits: \(text)")
    return result
}

/// Hexadecimal text of octets, for messages.
func hex(_ octets: [UInt8]) -> String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
}

/// The octets that a PDU encodes to.
func encoded<P: PDU & ~Escapable>(_ pdu: P) throws -> [UInt8] {
    var result: [UInt8] = []
    try result.append(encoding: pdu)
    return result
}

private struct PDUChecker {
    private(set) var findings: [String] = []
    /// Reused, so that a debug build stays fast.
    private var once: [UInt8] = []
    private var twice: [UInt8] = []
    private var mutant: [UInt8] = []

    private mutating func fail(_ message: String) { findings.append(message) }

    mutating func roundTrip<P: PDU & ~Escapable>(_ type: P.Type, _ octets: [UInt8], _ normalForm: [UInt8]) {
        do {
            let pdu = try P(decoding: octets.span)
            let count = pdu.encodedCount
            once.removeAll(keepingCapacity: true)
            try once.append(encoding: pdu)
            if once != normalForm { fail("\(type): \(hex(octets)) encodes to \(hex(once)), not to \(hex(normalForm))") }
            if once.count != count { fail("\(type): encodedCount is \(count), but \(once.count) octets were written") }
        } catch {
            fail("\(type): \(hex(octets)): \(error)")
        }
    }

    mutating func refuseSmallOutput<P: PDU & ~Escapable>(_ type: P.Type, _ octets: [UInt8]) {
        guard let pdu = try? P(decoding: octets.span) else { return }
        for capacity in 0..<pdu.encodedCount {
            var refused = false
            _ = [UInt8](capacity: capacity) { output in
                do throws(EncodeError) { try pdu.encode(into: &output) } catch { refused = error == .noSpace }
            }
            if !refused { fail("\(type): an output of \(capacity) octets was not refused with noSpace") }
        }
    }

    mutating func truncations<P: PDU & ~Escapable>(_ type: P.Type, _ octets: [UInt8], _ length: PDULength) {
        for count in 0..<octets.count {
            let cut = octets.span.extracting(first: count)
            let decoded = stable(type, cut)
            if decoded, length == .fixed { fail("\(type): decodes from only \(count) of \(octets.count) octets") }
            if let error = refusal(type, cut), error != .truncated, error != .invalidLength {
                fail("\(type): \(count) of \(octets.count) octets: \(error)")
            }
        }
        let longer = octets + [0]
        if stable(type, longer.span), length == .fixed { fail("\(type): one octet too many was not refused") }
        if let error = refusal(type, longer.span), error != .trailingBytes, error != .invalidLength {
            fail("\(type): one octet too many: \(error)")
        }
    }

    private func refusal<P: PDU & ~Escapable>(_ type: P.Type, _ bytes: Span<UInt8>) -> DecodeError? {
        do throws(DecodeError) {
            _ = try P(decoding: bytes)
            return nil
        } catch {
            return error
        }
    }

    mutating func mutations<P: PDU & ~Escapable>(
        _ type: P.Type, _ octets: [UInt8], _ number: Int, _ random: SeededRandom
    ) {
        var random = random
        for _ in 0..<number {
            mutate(octets, &random)
            let subject = mutant
            _ = stable(type, subject.span)
        }
    }

    /// Replaces `mutant` with a changed copy of `octets`. One draw of 64 bits steers a whole change.
    private mutating func mutate(_ octets: [UInt8], _ random: inout SeededRandom) {
        let hostile: [UInt8] = [0x00, 0xFF, 0x7F, 0x80, 0x01, 0xFE]
        mutant.removeAll(keepingCapacity: true)
        mutant.append(contentsOf: octets)
        for _ in 0...Int(random.next() & 3) {
            let draw = random.next()
            let position = mutant.isEmpty ? 0 : Int((draw >> 8) % UInt64(mutant.count))
            let octet = UInt8(truncatingIfNeeded: draw >> 40)
            switch draw & 7 {
            case 0, 1: if !mutant.isEmpty { mutant[position] ^= 1 << UInt8(octet & 7) }
            case 2: if !mutant.isEmpty { mutant[position] = octet }
            case 3: if !mutant.isEmpty { mutant[position] = hostile[Int(octet) % hostile.count] }
            case 4: mutant.removeSubrange(position...)
            case 5: mutant.append(octet)
            case 6: mutant.insert(octet, at: position)
            default: if !mutant.isEmpty { mutant.remove(at: position) }
            }
        }
    }

    /// Decodes; what decodes must encode, and what it encodes to must decode and encode to itself.
    private mutating func stable<P: PDU & ~Escapable>(_ type: P.Type, _ bytes: Span<UInt8>) -> Bool {
        guard let pdu = try? P(decoding: bytes) else { return false }
        once.removeAll(keepingCapacity: true)
        twice.removeAll(keepingCapacity: true)
        do throws(EncodeError) {
            let count = pdu.encodedCount
            try once.append(encoding: pdu)
            if once.count != count {
                fail("\(type): encodedCount is \(count), not \(once.count): \(hex([UInt8](bytes)))")
            }
        } catch {
            fail("\(type): \(hex([UInt8](bytes))) decodes, but does not encode: \(error)")
            return true
        }
        if once.span.elementsEqual(bytes) { return true }
        let normalForm = once
        do {
            let again = try P(decoding: normalForm.span)
            try twice.append(encoding: again)
            if twice != normalForm {
                fail(
                    "\(type): the normal form \(hex(normalForm)) encodes to \(hex(twice)), from \(hex([UInt8](bytes)))")
            }
        } catch {
            fail("\(type): the normal form \(hex(normalForm)) of \(hex([UInt8](bytes))) does not decode: \(error)")
        }
        return true
    }
}
