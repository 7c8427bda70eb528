/// An object that only code on one serial executor touches. The box may travel between threads; its content is for code on
/// that executor.
///
/// `@unchecked Sendable`: the compiler cannot see that all uses are on one queue. Each use is inside a call submitted
/// to the executor, or inside a step of the executor.
package struct ExecutorIsolated<Object: AnyObject>: @unchecked Sendable {
    package let object: Object
    package init(_ object: Object) { self.object = object }
}
