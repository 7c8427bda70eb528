import DeviceFiles
import Phrases
import StudioRoom

extension MakerReport {
    /// The largest text in octets.
    static let textLimit = ProfileProgram.textLimit

    /// Checks a text.
    init(checking text: String) {
        yaml = text
        guard text.utf8.count <= Self.textLimit else {
            problems = [
                Problem(
                    text: ProfileProblems.phrase(
                        "expected at most \(Self.textLimit) octets, found \(text.utf8.count)."))
            ]
            return
        }
        do throws(YAMLError) {
            try show(try DeviceProfile(text: text, file: "profile"))
        } catch {
            report(error)
        }
    }

    /// Writes a tree as a text.
    init(writing tree: ProfileTree) {
        do throws(ProfileTreeError) {
            self.init(writing: try DeviceProfile(tree: tree))
        } catch {
            self.init()
            problems = error.list.map { Problem(path: $0.path, text: ProfileProblems.phrase($0.message)) }
            more = error.omitted
            // The octets count while other parts of the profile have errors.
            if case .mapping(let members) = tree, let advertising = members["advertising"] {
                advertisement = MakerAdvertisementReply(advertising).advertisement
            }
        }
    }

    /// Writes a profile as a text, and checks that the text has the same profile.
    init(writing profile: DeviceProfile, heading: [String] = []) {
        self.init()
        let text = profile.yaml(heading: heading)
        guard text.utf8.count <= Self.textLimit else {
            problems = [
                Problem(
                    path: [],
                    text: ProfileProblems.phrase(
                        "expected a profile of at most \(Self.textLimit) octets, found \(text.utf8.count)."))
            ]
            return
        }
        yaml = text
        do throws(YAMLError) {
            try show(try DeviceProfile(text: text, file: "profile"))
        } catch {
            report(error)
        }
    }

    private mutating func show(_ profile: DeviceProfile) throws(YAMLError) {
        self.profile = try profile.tree()
        services = profile.services.map { MakerService($0) }
        advertisement = AdvertisementLayout(profile.advertising)
    }

    private mutating func report(_ error: YAMLError) {
        problems = error.list.map {
            Problem(line: $0.position?.line, column: $0.position?.column, text: ProfileProblems.phrase($0.message))
        }
        more = error.omitted
    }
}
