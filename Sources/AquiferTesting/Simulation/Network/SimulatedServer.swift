import Aquifer
import Foundation

/// A server of the simulated network. Its jobs have a life of their own, which a restart ends.
final class SimulatedServer: @unchecked Sendable {
    typealias Reply = (SimulatedNetwork.Answer?) -> Void

    private let host: String
    private let faults: Faults
    private let whenRestarted: @Sendable () -> Void
    private let serve: SimulatedNetwork.Serve
    private var life: Life
    private var skew: TimeInterval = 0

    init(
        _ host: String, _ faults: Faults, _ whenRestarted: @escaping @Sendable () -> Void,
        _ serve: @escaping SimulatedNetwork.Serve
    ) {
        (self.host, self.faults, self.whenRestarted, self.serve) = (host, faults, whenRestarted, serve)
        life = Life(host)
        Scheduler.shared.begin(life)
    }

    /// Answers a request now. `reply` gets `nil` if the server is restarted meanwhile.
    func take(_ request: SimulatedNetwork.Request, at date: @escaping () -> Date, _ reply: @escaping Reply) {
        if faults.strikes(.serverRestart) {
            restart()
            return reply(nil)
        }
        if faults.strikes(.serverDate) {
            skew = faults.duration(.seconds(1) ... .seconds(400_000)).timeInterval * (faults.fraction() < 0.5 ? 1 : -1)
        }
        let failsAfter = faults.strikes(.serverError)
        if failsAfter, faults.fraction() < 0.5 { return reply(failure) }
        let once = Once(reply)
        let life = life
        life.whenItEnds { once.call(nil) }
        let (skew, failure) = (skew, failsAfter ? failure : nil)
        let work = Sent(date)
        Scheduler.shared.asLife(life) {
            Task.detached { [serve] in
                var answer = await serve(request)
                if let failure { answer = failure }
                if answer.headers["Date"] == nil { answer.headers["Date"] = HTTPDate.format(work.value() + skew) }
                once.call(answer)
            }
        }
    }

    private func restart() {
        Scheduler.shared.trace.note("is restarted", at: Scheduler.shared.now, by: life)
        let old = life
        life = Life(host)
        Scheduler.shared.begin(life)
        Scheduler.shared.end(old)
        skew = 0
        Scheduler.shared.asLife(life) { whenRestarted() }
    }

    private var failure: SimulatedNetwork.Answer {
        let status = [500, 502, 503, 504, 429][faults.int(in: 0...4)]
        let headers: HTTPHeaders = faults.fraction() < 0.5 ? ["Retry-After": "\(faults.int(in: 0...5))"] : [:]
        return .init(status: status, headers: headers, body: Data("trouble".utf8))
    }

    /// Calls once, whoever comes first.
    private final class Once: @unchecked Sendable {
        private var reply: Reply?
        init(_ reply: @escaping Reply) { self.reply = reply }
        func call(_ answer: SimulatedNetwork.Answer?) {
            let reply = reply
            self.reply = nil
            reply?(answer)
        }
    }

    /// A closure that a task takes along: only one thread runs.
    private struct Sent<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}
