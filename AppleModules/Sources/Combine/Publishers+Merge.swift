extension Publishers {
    /// Carries the values of two publishers, as they come.
    public struct Merge<A: Publisher, B: Publisher>: Publisher
    where A.Output == B.Output, A.Failure == B.Failure {
        /// What the publishers publish.
        public typealias Output = A.Output
        /// The type of the failure.
        public typealias Failure = A.Failure

        /// Publisher 1.
        public let a: A
        /// Publisher 2.
        public let b: B

        /// Merges publishers.
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Listens to all of them for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let merge = MergeSubscription(subscriber, count: 2)
            subscriber.receive(subscription: merge)
            merge.attach(a, at: 0)
            merge.attach(b, at: 1)
        }

        /// Merges one more.
        public func merge<P: Publisher>(with other: P) -> Merge3<A, B, P>
        where P.Output == Output, P.Failure == Failure {
            Merge3(a, b, other)
        }
    }

    /// Carries the values of three publishers, as they come.
    public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure {
        /// What the publishers publish.
        public typealias Output = A.Output
        /// The type of the failure.
        public typealias Failure = A.Failure

        /// Publisher 1.
        public let a: A
        /// Publisher 2.
        public let b: B
        /// Publisher 3.
        public let c: C

        /// Merges publishers.
        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        /// Listens to all of them for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let merge = MergeSubscription(subscriber, count: 3)
            subscriber.receive(subscription: merge)
            merge.attach(a, at: 0)
            merge.attach(b, at: 1)
            merge.attach(c, at: 2)
        }

        /// Merges one more.
        public func merge<P: Publisher>(with other: P) -> Merge4<A, B, C, P>
        where P.Output == Output, P.Failure == Failure {
            Merge4(a, b, c, other)
        }
    }

    /// Carries the values of four publishers, as they come.
    public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where
        A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
        A.Output == D.Output, A.Failure == D.Failure
    {
        /// What the publishers publish.
        public typealias Output = A.Output
        /// The type of the failure.
        public typealias Failure = A.Failure

        /// Publisher 1.
        public let a: A
        /// Publisher 2.
        public let b: B
        /// Publisher 3.
        public let c: C
        /// Publisher 4.
        public let d: D

        /// Merges publishers.
        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        /// Listens to all of them for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let merge = MergeSubscription(subscriber, count: 4)
            subscriber.receive(subscription: merge)
            merge.attach(a, at: 0)
            merge.attach(b, at: 1)
            merge.attach(c, at: 2)
            merge.attach(d, at: 3)
        }

        /// Merges one more.
        public func merge<P: Publisher>(with other: P) -> Merge5<A, B, C, D, P>
        where P.Output == Output, P.Failure == Failure {
            Merge5(a, b, c, d, other)
        }
    }
}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}

extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

extension Publishers.Merge4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publisher {
    /// Carries the values of this publisher and another, as they come.
    public func merge<P: Publisher>(with other: P) -> Publishers.Merge<Self, P>
    where P.Output == Output, P.Failure == Failure {
        Publishers.Merge(self, other)
    }

    /// Carries the values of this publisher and two others, as they come.
    public func merge<B: Publisher, C: Publisher>(
        with b: B, _ c: C
    ) -> Publishers.Merge3<Self, B, C>
    where B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure {
        Publishers.Merge3(self, b, c)
    }

    /// Carries the values of this publisher and three others, as they come.
    public func merge<B: Publisher, C: Publisher, D: Publisher>(
        with b: B, _ c: C, _ d: D
    ) -> Publishers.Merge4<Self, B, C, D>
    where
        B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
        D.Failure == Failure
    {
        Publishers.Merge4(self, b, c, d)
    }
}
