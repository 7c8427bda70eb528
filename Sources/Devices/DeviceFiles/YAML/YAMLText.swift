import BLEWire

/// Texts as YAML scalars.
package enum YAMLText {
    /// A double-quoted scalar (YAML 1.2, 7.3.1). Escapes all control and format characters.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        var previous: Unicode.Scalar = "\""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\U" + hexadecimal(scalar.value, digits: 8)
            // `YAMLDocument` would count it as an alias.
            case _ where scalar == "*" && YAMLDocument.precedesAlias(previous): result += "\\x2A"
            default:
                if scalar == "\"" || scalar == "\\" { result += "\\" }
                result.unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        return result + "\""
    }

    /// A plain scalar, in quotes if its plain form could be read in another way.
    package static func scalar(_ text: String) -> String {
        let isPlain =
            text.first.map { $0.isLetter || $0.isNumber } == true && text.last != " "
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " -_./+".contains($0)) }
            && !["null", "true", "false", "yes", "no", "on", "off"].contains(text.lowercased())
        return isPlain ? text : quoted(text)
    }
}
