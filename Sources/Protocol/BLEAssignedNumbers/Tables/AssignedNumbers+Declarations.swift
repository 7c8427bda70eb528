// swift-format-ignore-file
// Made by Scripts/generate-assigned-numbers; changes made here by hand are lost.
// Names and numbers from these packages, and the corrections in the script; their licences are in NOTICE:
// - bleak 3.1.0 (MIT, Copyright (c) 2020, Henrik Blidh)

extension AssignedNumbers {
    /// The names of declarations by their 16-bit UUIDs.
    static let declarations = NumberTable(
        #"""
        2800 Primary Service
        2801 Secondary Service
        2802 Include
        2803 Characteristic

        """#)
}
