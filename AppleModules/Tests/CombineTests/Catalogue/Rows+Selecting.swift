import Combine

extension Row {
    static let selecting: [Row] = [
        Row("first()", feed: [1], gives: ["1"], ends: .atOnce, asks: .allAndWaits) { Built($0.source.first()) },
        Row("first(where:)", gives: ["3"], ends: .atOnce, asks: .allAndWaits) {
            Built($0.source.first { $0 > 2 })
        },
        Row("tryFirst(where:)", gives: ["3"], ends: .atOnce + .orThrows, asks: .allAndWaits) {
            Built($0.source.tryFirst { try unless($0) > 2 })
        },
        Row("last()", gives: ["3"], ends: .withItsValue, asks: .allAndWaits) { Built($0.source.last()) },
        Row("last(where:)", gives: ["2"], ends: .withItsValue, asks: .allAndWaits) {
            Built($0.source.last { $0 < 3 })
        },
        Row("tryLast(where:)", gives: ["2"], ends: .withItsValue + .orThrows, asks: .allAndWaits) {
            Built($0.source.tryLast { try unless($0) < 3 })
        },
        Row("output(at:)", gives: ["3"], ends: .atOnce, asks: .theSame(andReplaces: 1, 2)) {
            Built($0.source.output(at: 2))
        },
        Row("output(in:)", gives: ["2", "3"], ends: .atOnce, asks: .theSame(andReplaces: 1)) {
            Built($0.source.output(in: 1...2))
        },
        Row("prefix(_:)", gives: ["1", "2", "3"], ends: .atOnce) { Built($0.source.prefix(3)) },
        Row("prefix(while:)", gives: ["1", "2"], ends: .atOnce) { Built($0.source.prefix { $0 < 3 }) },
        Row("tryPrefix(while:)", gives: ["1", "2"], ends: .atOnce + .orThrows) {
            Built($0.source.tryPrefix { try unless($0) < 3 })
        },
        Row("prefix(untilOutputFrom:)", ends: .withTheUpstream + .atTheSignal, cancels: .both) {
            Built($0.source.prefix(untilOutputFrom: $0.other))
        },
        Row("dropFirst(_:)", gives: ["2", "3"], asks: .oneMoreAtTheStart) { Built($0.source.dropFirst()) },
        Row("drop(while:)", gives: ["3"], asks: .theSame(andReplaces: 1, 2)) {
            Built($0.source.drop { $0 < 3 })
        },
        Row(
            "tryDrop(while:)", gives: ["3"], ends: .withTheUpstream + .orThrows,
            asks: .theSame(andReplaces: 1, 2)
        ) { Built($0.source.tryDrop { try unless($0) < 3 }) },
        Row(
            "drop(untilOutputFrom:)", gives: [], ends: .withTheUpstream + .withTheSignalThatNeverCame,
            asks: .theSame(andReplaces: 1, 2), cancels: .both
        ) { Built($0.source.drop(untilOutputFrom: $0.other)) },
    ]

    static let joining: [Row] = [
        Row("append(_:)", ends: .withTheAppended, asks: .theSame) { Built($0.source.append(8, 9)) },
        Row("append(publisher)", ends: .withTheSecond, asks: .theSameOfTheSecond) { Built($0.source.append($0.other)) },
        Row("prepend(_:)", gives: ["8", "9", "1", "2", "3"], asks: .whatIsLeft, cancels: .afterThePrepended) {
            Built($0.source.prepend(8, 9))
        },
        Row("prepend(publisher)", ends: .withTheFirst, asks: .theSameOfTheFirst, cancels: .thePrepended) {
            Built($0.source.prepend($0.other))
        },
        Row("combineLatest(_:)", gives: [], ends: .withTheLast, asks: .allOfBoth, cancels: .both) {
            Built($0.source.combineLatest($0.other))
        },
        Row("merge(with:)", ends: .withTheLast, asks: .oneOfEach, cancels: .both) {
            Built($0.source.merge(with: $0.other.eraseToAnyPublisher()))
        },
        Row("zip(_:)", gives: [], ends: .withTheFirstThatIsUsedUp, asks: .theSameOfBoth, cancels: .both) {
            Built($0.source.zip($0.other))
        },
    ]

    static let chaining: [Row] = [
        Row("flatMap(maxPublishers:_:)", ends: .withTheLastInner, asks: .oneOfEachInner, cancels: .innersToo) { bench in
            Built(bench.source.flatMap { $0 == 9 ? bench.other.eraseToAnyPublisher() : just($0) })
        },
        Row("switchToLatest()", ends: .withTheLastInner, asks: .allOfTheOuter, cancels: .innersToo) { bench in
            Built(bench.source.map { $0 == 9 ? bench.other.eraseToAnyPublisher() : just($0) }.switchToLatest())
        },
    ]
}

/// A publisher of one value that could fail.
func just(_ value: Int) -> AnyPublisher<Int, TestError> {
    Just(value).setFailureType(to: TestError.self).eraseToAnyPublisher()
}
