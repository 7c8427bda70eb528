extension AdvertisementStructure {
    /// The words of a language in the text of a structure. Assigned names stay as they are.
    package struct Words: Sendable {
        /// The names of the flags from bit 0 to bit 4 (Core Specification Supplement, Part A, 1.3).
        let flags: [String]
        let none: String
        let type: String
        /// Between two limits.
        let to: String
        let anyInterval: String
        let publicAddress: String
        let randomAddress: String
        let end: String
        let malformed: String

        package static let english = Words(
            flags: [
                "limited discoverable", "general discoverable", "no BR/EDR", "LE and BR/EDR in one controller",
                "LE and BR/EDR in one host",
            ],
            none: "none", type: "type", to: "to", anyInterval: "any", publicAddress: "public", randomAddress: "random",
            end: "end of the data", malformed: "malformed: the length exceeds the data")

        package static let chinese = Words(
            flags: ["有限可发现", "通用可发现", "不支持 BR/EDR", "同一控制器支持 LE 和 BR/EDR", "同一主机支持 LE 和 BR/EDR"],
            none: "无", type: "类型", to: "至", anyInterval: "任意", publicAddress: "公共", randomAddress: "随机",
            end: "数据结束", malformed: "格式错误：长度超出数据")
    }
}
