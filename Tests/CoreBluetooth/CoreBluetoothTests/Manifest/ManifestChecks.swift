import CoreBluetooth

/// Collects what the generated checks found, in the order of the table.
final class ManifestChecks {
    struct Outcome {
        let columns: [String]
        let owner: String
        let holds: Bool
    }

    private(set) var outcomes: [Outcome] = []

    /// Runs the check of one row. That it compiles says most of it.
    func row(_ section: String, _ kind: String, _ signature: String, of owner: String, _ check: () -> Bool) {
        outcomes.append(Outcome(columns: [section, kind, signature], owner: owner, holds: check()))
    }
}

/// A class of Apple's is called by its name alone.
func isNamed(_ type: AnyClass, _ name: String) -> Bool {
    String(describing: type) == name
}

/// What every enumeration of Apple's is: open, so a value that nothing names survives.
func isOpenEnumeration<Value: RawRepresentable & Hashable & Sendable & BitwiseCopyable>(_ type: Value.Type) -> Bool
where Value.RawValue == Int {
    [0x7777, -1].allSatisfy { type.init(rawValue: $0)?.rawValue == $0 }
}

func isOptionSet<Value: OptionSet & Sendable & BitwiseCopyable>(_ type: Value.Type) -> Bool
where Value.RawValue == UInt, Value.Element == Value {
    type.init(rawValue: 1 << 40).rawValue == 1 << 40 && type.init([]).isEmpty
}

func isErrorStructure<Value: CustomNSError & Hashable & Sendable>(_ type: Value.Type) -> Bool {
    type.errorDomain == "\(type)Domain"
}

func isStringStructure<Value: RawRepresentable & Hashable & Sendable>(_ type: Value.Type) -> Bool
where Value.RawValue == String {
    type.init(rawValue: "anything")?.rawValue == "anything"
}

func isReadOnly<Root, Value>(_ path: KeyPath<Root, Value>) -> Bool {
    !(path is WritableKeyPath<Root, Value>)
}

func isPath<Root, Value>(_ path: ReferenceWritableKeyPath<Root, Value>) -> Bool { true }

/// The compiler has done the work.
func isPresent<Value>(_ value: Value) -> Bool { true }
