import Combine
import Testing
@Test func imports() { #expect(Just(1).eraseToAnyPublisher() is AnyPublisher<Int, Never>) }
