/// An object that is used only on one serial executor. The box may move between threads. Its content is for code on
/// that executor.
///
/// `@unchecked Sendable`: the compiler cannot verify that all uses are on one executor. Each use is inside a call
/// submitted to the executor, or inside a step of the executor.
package struct ExecutorIsolated<Object: AnyObject>: @unchecked Sendable {
    package let object: Object
    package init(_ object: Object) { self.object = object }
}
