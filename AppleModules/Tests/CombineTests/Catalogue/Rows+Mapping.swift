import Combine
import Foundation

/// The value, unless it is the one at which closures throw.
func unless(_ value: Int) throws -> Int {
    if value == -1 { throw TestError() }
    return value
}

extension Row {
    static let mapping: [Row] = [
        Row("map(_:)", gives: ["10", "20", "30"]) { Built($0.source.map { $0 * 10 }) },
        Row("map(key path)") { Built($0.source.map(\.description)) },
        Row("tryMap(_:)", ends: .withTheUpstream + .orThrows) { Built($0.source.tryMap(unless)) },
        Row("mapError(_:)") { Built($0.source.mapError { _ in TestError() }) },
        Row("replaceNil(with:)", gives: ["1", "0", "3"]) {
            Built($0.source.map { $0 == 2 ? nil : $0 }.replaceNil(with: 0))
        },
        Row("scan(_:_:)", gives: ["1", "3", "6"]) { Built($0.source.scan(0, +)) },
        Row("tryScan(_:_:)", gives: ["1", "3", "6"], ends: .withTheUpstream + .orThrows) {
            Built($0.source.tryScan(0) { try $0 + unless($1) })
        },
        Row("setFailureType(to:)", ends: .whenTheUpstreamFinishes) {
            Built($0.source.assertNoFailure().setFailureType(to: TestError.self))
        },
        Row("encode(encoder:)", gives: ["3 bytes", "3 bytes", "3 bytes"]) {
            Built($0.source.map { [$0] }.encode(encoder: JSONEncoder()))
        },
        Row("decode(type:decoder:)", ends: .withTheUpstream + .orThrows) {
            Built(
                $0.source.map { Data(($0 == -1 ? "x" : "\($0)").utf8) }
                    .decode(type: Int.self, decoder: JSONDecoder()))
        },
    ]

    static let filtering: [Row] = [
        Row("filter(_:)", gives: ["1", "3"], asks: .theSame(andReplaces: 2, 4)) {
            Built($0.source.filter { $0 % 2 == 1 })
        },
        Row(
            "tryFilter(_:)", gives: ["1", "3"], ends: .withTheUpstream + .orThrows,
            asks: .theSame(andReplaces: 2, 4)
        ) { Built($0.source.tryFilter { try unless($0) % 2 == 1 }) },
        Row("compactMap(_:)", gives: ["1", "3"], asks: .theSame(andReplaces: 2, 4)) {
            Built($0.source.compactMap { $0 % 2 == 1 ? $0 : nil })
        },
        Row(
            "tryCompactMap(_:)", gives: ["1", "3"], ends: .withTheUpstream + .orThrows,
            asks: .theSame(andReplaces: 2, 4)
        ) { Built($0.source.tryCompactMap { try unless($0) % 2 == 1 ? $0 : nil }) },
        Row("removeDuplicates()", feed: [1, 1, 2, 1], gives: ["1", "2", "1"], asks: .theSame + .replacesARepeated) {
            Built($0.source.removeDuplicates())
        },
        Row("removeDuplicates(by:)", feed: [1, 1, 2, 1], gives: ["1", "2", "1"], asks: .theSame + .replacesARepeated) {
            Built($0.source.removeDuplicates(by: ==))
        },
        Row(
            "tryRemoveDuplicates(by:)", feed: [1, 1, 2, 1], gives: ["1", "2", "1"],
            ends: .withTheUpstream + .throwsAtTheSecond, asks: .theSame + .replacesARepeated
        ) { Built($0.source.tryRemoveDuplicates { try unless($0) == unless($1) }) },
        Row("replaceEmpty(with:)", ends: .withTheUpstream + .replacesNothing) {
            Built($0.source.replaceEmpty(with: 0))
        },
        Row("replaceError(with:)", ends: .whenTheUpstreamFinishes + .replacesTheFailure) {
            Built($0.source.replaceError(with: 0))
        },
    ]

    static let reducing: [Row] = [
        Row("collect()", gives: ["[1, 2, 3]"], ends: .withItsValue, asks: .allAndWaits) {
            Built($0.source.collect())
        },
        Row("collect(_:)", feed: [1, 2, 3], gives: ["[1, 2]"], ends: .withTheRest, asks: .asMany(times: 2)) {
            Built($0.source.collect(2))
        },
        Row(
            "collect(_:options:), by time", feed: [1, 2, 3], gives: ["[1, 2, 3]"], time: 1, ends: .withTheUpstream,
            asks: .allAndKeepsArrays
        ) { Built($0.source.collect(.byTime($0.scheduler, .seconds(1)))) },
        Row("ignoreOutput()", gives: [], asks: .all) { Built($0.source.ignoreOutput()) },
        Row("reduce(_:_:)", gives: ["6"], ends: .withItsValue, asks: .allAndWaits) { Built($0.source.reduce(0, +)) },
        Row("tryReduce(_:_:)", gives: ["6"], ends: .withItsValue + .orThrows, asks: .allAndWaits) {
            Built($0.source.tryReduce(0) { try $0 + unless($1) })
        },
        Row("count()", gives: ["3"], ends: .withItsValue, asks: .allAndWaits) { Built($0.source.count()) },
        Row("max()", gives: ["3"], ends: .withItsValue, asks: .allAndWaits) { Built($0.source.max()) },
        Row("max(by:)", gives: ["1"], ends: .withItsValue, asks: .allAndWaits) { Built($0.source.max(by: >)) },
        Row("tryMax(by:)", gives: ["3"], ends: .withItsValue + .throwsAtTheSecond, asks: .allAndWaits) {
            Built($0.source.tryMax { try unless($0) < unless($1) })
        },
        Row("min()", gives: ["1"], ends: .withItsValue, asks: .allAndWaits) { Built($0.source.min()) },
        Row("min(by:)", gives: ["3"], ends: .withItsValue, asks: .allAndWaits) { Built($0.source.min(by: >)) },
        Row("tryMin(by:)", gives: ["1"], ends: .withItsValue + .throwsAtTheSecond, asks: .allAndWaits) {
            Built($0.source.tryMin { try unless($0) < unless($1) })
        },
        Row("allSatisfy(_:)", gives: ["false"], ends: .atOnce, asks: .allAndWaits) {
            Built($0.source.allSatisfy { $0 < 3 })
        },
        Row("tryAllSatisfy(_:)", gives: ["false"], ends: .atOnce + .orThrows, asks: .allAndWaits) {
            Built($0.source.tryAllSatisfy { try unless($0) < 3 })
        },
        Row("contains(_:)", gives: ["true"], ends: .atOnce, asks: .allAndWaits) { Built($0.source.contains(3)) },
        Row("contains(where:)", gives: ["true"], ends: .atOnce, asks: .allAndWaits) {
            Built($0.source.contains { $0 == 3 })
        },
        Row("tryContains(where:)", gives: ["true"], ends: .atOnce + .orThrows, asks: .allAndWaits) {
            Built($0.source.tryContains { try unless($0) == 3 })
        },
    ]
}
