import Phrases
import DeviceFiles

extension PhrasedError {
    /// The failure for a text that is not a profile, with the first of its errors.
    package init(profile problems: YAMLError) {
        let first = problems.list.first
        let problem = first.map { ProfileProblems.phrase($0.message) } ?? Phrase("it has errors.", "有错误。")
        let text =
            if let line = first?.position?.line {
                Phrase(
                    "The profile is not valid: line \(line): \(problem)", "配置文件无效：第 \(line) 行：\(problem)")
            } else {
                Phrase("The profile is not valid: \(problem)", "配置文件无效：\(problem)")
            }
        self.init("profile-invalid", text, next: Phrase("Correct it in the maker.", "请在“制作”视图中改正。"))
    }
}
