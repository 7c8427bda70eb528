import StudioRoom

/// What the page needs once: the lessons, their settings and actions, and the Swift source of their programs.
struct LessonCatalogue: Encodable, Sendable {
    struct Step: Encodable, Sendable {
        var number: Int
        var kind: LessonTour.Step.Kind
        var source: LessonSources.Part
    }

    struct Scene: Encodable, Sendable {
        var id: String
        var choices: [LessonScene.Choice]
        /// The names of the actions.
        var actions: [String]
        /// The regions of source, and the names of the programs that they belong to.
        var sources: [Source]
        /// The steps of a tour.
        var steps: [Step]?
        /// The device whose program has the steps.
        var device: String?
    }

    struct Source: Encodable, Sendable {
        var program: String
        var part: LessonSources.Part?
    }

    var scenes: [Scene]

    init() {
        scenes = Lesson.scenes.map { scene in
            let tour = LessonTour.tour(of: scene.id)
            return Scene(
                id: scene.id, choices: scene.choices, actions: scene.actions.map(\.id),
                sources: scene.sources.map { name in
                    Source(program: String(name.prefix { $0 != "." }), part: LessonSources.regions[name])
                },
                steps: tour?.steps.compactMap { step in
                    tour?.sources[step.number].map { Step(number: step.number, kind: step.kind, source: $0) }
                },
                device: tour?.device)
        }
    }
}
