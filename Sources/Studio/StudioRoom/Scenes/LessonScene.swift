/// A scene of the lesson: a room, what can be chosen before it begins, and what can be done in it.
package struct LessonScene: Sendable {
    /// A setting of the room before it begins.
    package struct Choice: Codable, Hashable, Sendable {
        package var name: String
        /// The first one is selected.
        package var values: [WorldValue]
        /// Whether any other text is possible as well.
        package var isText = false
        /// The least and the greatest number, if any number between them is possible as well.
        package var limits: [Double]?
        /// Whether such a number has no fraction.
        package var isWhole = false

        init(_ name: String, _ values: [WorldValue], isText: Bool = false) {
            self.name = name
            self.values = values
            self.isText = isText
        }

        init(_ name: String, _ values: [WorldValue], limits: ClosedRange<Double>, isWhole: Bool = false) {
            self.name = name
            self.values = values
            self.limits = [limits.lowerBound, limits.upperBound]
            self.isWhole = isWhole
        }
    }

    /// Something to do while the room runs.
    package struct Action: Codable, Hashable, Sendable {
        package var id: String
        package var steps: [Step]

        init(_ id: String, _ steps: Step...) {
            self.id = id
            self.steps = steps
        }
    }

    /// A command to the room. Devices are named by their identifier, such as `d1`.
    package enum Step: Codable, Hashable, Sendable {
        case power(device: String, isOn: Bool)
        case move(device: String, x: Double, y: Double)
        case press(device: String, button: String)
        case wall(x1: Double, y1: Double, x2: Double, y2: Double, attenuation: Double)
        /// Lets virtual time pass at once.
        case pass(seconds: Double)
    }

    /// `q1` to `q14` for the practical questions, `try-` for the cells, `tour-` for the tours.
    package let id: String
    package let choices: [Choice]
    package let actions: [Action]
    /// The regions of programs that the page shows, such as `ScanningPhone.scan`.
    package let sources: [String]
    /// Throws `PhrasedError` for parameters that the scene does not have.
    package let make: @Sendable (_ parameters: WorldValue) throws -> WorldFile

    init(
        _ id: String, choices: [Choice] = [], actions: [Action] = [], sources: [String],
        make: @escaping @Sendable (_ parameters: WorldValue) throws -> WorldFile
    ) {
        self.id = id
        self.choices = choices
        self.actions = actions
        self.sources = sources
        self.make = { try make(Self.checked($0, choices)) }
    }

    package var roomScene: RoomScene { RoomScene(id, make: make) }
}

/// All scenes of the lesson, and the programs of their devices.
package enum Lesson {
    package static let scenes = tours + cells + questions
    package static let programs = scenePrograms

    package static func scene(_ id: String) -> LessonScene? { scenes.first { $0.id == id } }
}
