extension AssignedNumbers {
    /// A kind of number whose names select a UUID.
    package enum NameTable: Sendable { case services, characteristics, descriptors }

    /// The 16-bit UUID with this name. Upper and lower case are equal.
    package static func number(named name: String, in table: NameTable) -> UInt16? {
        let wanted = name.lowercased()
        return entries(of: table).first { $0.name.lowercased() == wanted }?.number
    }

    /// All names of a table, in the order of their numbers.
    package static func names(in table: NameTable) -> [String] { entries(of: table).map(\.name) }

    /// Whether the name of a company contains a text in lower case.
    package static func hasCompany(containing text: String) -> Bool {
        !text.isEmpty && companies.entries.contains { $0.name.lowercased().contains(text) }
    }

    /// The numbers of a table with their names, in the order of the numbers.
    package static func entries(of table: NameTable) -> [(number: UInt16, name: String)] {
        switch table {
        case .services: services.entries
        case .characteristics: characteristics.entries
        case .descriptors: descriptors.entries
        }
    }
}
