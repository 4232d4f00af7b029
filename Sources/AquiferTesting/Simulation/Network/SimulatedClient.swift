import Aquifer
import Foundation

/// The client of one process over the simulated network.
struct SimulatedClient: HTTPClient {
    let network: SimulatedNetwork
    let process: SimulatedProcess

    var asksBeforeSending: Bool { true }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        try request.checkHead()
        guard request.url.isWebAddress else { throw TransportError(.unsupportedURL) }
        var request = request
        var redirects = 0
        // One deadline, for all redirects and the body.
        let deadline = request.limits.total.map { SimulatedClock().now.advanced(by: $0) }
        while true {
            let (head, source) = try await exchange(request, until: deadline)
            guard let next = try request.redirected(by: head) else { return HTTPResponse(head: head, source: source) }
            redirects += 1
            guard redirects <= request.limits.redirects else { throw TransportError(.tooManyRedirects) }
            request = next
        }
    }

    private typealias Outcome = Result<SimulatedNetwork.Answer, TransportError>

    /// Sends a request once, and waits for the head of the answer.
    private func exchange(
        _ request: HTTPRequest, until deadline: SimulatedClock.Instant?
    ) async throws(TransportError) -> (HTTPResponseHead, SimulatedBody) {
        let scheduler = Scheduler.shared
        network.faults.beforeCall()
        let life = scheduler.current
        guard life.isAlive, !scheduler.isOver else { throw TransportError(.cannotConnect, "the process is dead") }
        guard !Task.isCancelled else { throw .cancelled }
        let body = try request.body?.data() ?? Data()
        let passage = Passage(request, network)
        let wait = SimulatedWait<Outcome>("\(request.method) \(request.url.absoluteString)")
        let limits = request.limits
        let left = deadline.map { SimulatedClock().now.duration(to: $0) } ?? .seconds(Int32.max)
        func fail(after delay: Duration, _ kind: TransportError.Kind) {
            let alarm = scheduler.ring(after: delay) { wait.finish(.failure(TransportError(kind))) }
            wait.afterwards { alarm.takeBack() }
        }
        if passage.isNameSlow { network.faults.count(.nameFails) }
        if passage.resolving > min(limits.connect, left) {
            fail(after: min(limits.connect, left), .timedOut)
        } else if passage.cannotResolve || !network.isUp {
            fail(after: passage.resolving, .cannotResolve)
        } else {
            fail(after: min(passage.resolving + limits.idle, left), .timedOut)
            // Without a question it leaves now, so that nothing changes in the worlds that have none.
            if request.maySend == nil {
                depart(request, body, passage, life, wait)
            } else {
                scheduler.ring(after: passage.resolving, as: life) {
                    do throws(TransportError) { try request.expectMaySend() } catch {
                        return wait.finish(.failure(error))
                    }
                    var connected = passage
                    connected.resolving = .zero
                    depart(request, body, connected, life, wait)
                }
            }
        }
        guard let outcome = await wait.value() else { throw .cancelled }
        var answer = try outcome.get()
        answer.headers["Content-Length"] = "\(answer.body.count)"
        let arrives = passage.cut.map { Int(Double(answer.body.count) * $0) } ?? answer.body.count
        if arrives < answer.body.count { network.faults.count(.bodyCut) }
        return (
            HTTPResponseHead(status: answer.status, headers: answer.headers, url: request.url),
            SimulatedBody(request.method == .head ? Data() : answer.body, arrives: arrives, deadline, network)
        )
    }

    /// Lets a request travel.
    private func depart(
        _ request: HTTPRequest, _ body: Data, _ passage: Passage, _ life: Life, _ wait: SimulatedWait<Outcome>
    ) {
        let scheduler = Scheduler.shared
        let (world, network, faults) = (scheduler.world, self.network, self.network.faults)
        func arrive(_ outcome: Outcome, after delay: Duration) {
            scheduler.ring(after: delay, as: life) { if network.isUp { wait.finish(outcome) } }
        }
        func lose(_ loss: Passage.Loss, after delay: Duration) {
            switch loss {
            case .silence: break
            case .refused: arrive(.failure(TransportError(.cannotConnect)), after: delay)
            case .broken: arrive(.failure(TransportError(.interrupted)), after: delay)
            }
        }
        let there = passage.resolving + passage.there
        if passage.isSlow { faults.count(.slowNetwork) }
        if passage.lossThere != .refused, let onSent = request.onSent, let length = request.body?.length {
            scheduler.ring(after: passage.resolving, as: life) { onSent(length) }
        }
        if let loss = passage.lossThere {
            faults.count(.requestLost)
            return lose(loss, after: there)
        }
        switch passage.interception {
        case .redirect: faults.count(.redirect)
        case .portal, .insecure: faults.count(.portal)
        case nil: break
        }
        var redirect: SimulatedNetwork.Answer?
        switch passage.interception {
        case .insecure: return arrive(.failure(TransportError(.insecure)), after: there)
        case .portal(let answer): return arrive(.success(answer), after: there)
        case .redirect(let answer, false): return arrive(.success(answer), after: there)
        case .redirect(let answer, true): redirect = answer
        case nil: break
        }
        guard network.server(request.url) != nil else { return arrive(.success(.stranger), after: there) }
        let received = SimulatedNetwork.Request(
            method: request.method, url: request.url, headers: request.headers, body: body)
        let date = { [unowned world = process.world] in world.date }
        scheduler.ring(after: there, as: world) { [redirect] in
            guard network.isUp else { return }
            network.server(request.url)?.take(received, at: date) { answer in
                if let loss = passage.lossBack {
                    faults.count(.answerLost)
                    return lose(loss, after: passage.back)
                }
                guard let answer else { return lose(.broken, after: passage.back) }
                arrive(.success(redirect ?? answer), after: passage.back)
            }
        }
        if let again = passage.again {
            scheduler.ring(after: there + again, as: world) {
                guard network.isUp else { return }
                faults.count(.duplicated)
                network.server(request.url)?.take(received, at: date) { _ in }
            }
        }
    }
}
