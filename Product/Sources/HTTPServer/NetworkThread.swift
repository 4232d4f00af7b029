/// The thread of the network, which takes all requests and sends all answers.
///
/// A handler begins on it, because most answers are ready at once. A handler that reads or writes files leaves it first:
/// while a disk stands still, everybody else would wait.
public enum NetworkThread {
    /// Goes on with the task on another thread.
    public static func leave() async { await Task.yield() }
}
