import Aquifer
import Foundation

/// What happens to one request on its way: drawn before it leaves. A fault is counted where it takes effect.
struct Passage {
    enum Loss {
        /// Nothing comes back.
        case silence
        /// The connection is refused, before anything was sent.
        case refused
        /// The connection breaks.
        case broken
    }

    enum Interception {
        /// - Parameter isAnswered: true if the server has acted, and its answer is replaced.
        case redirect(SimulatedNetwork.Answer, isAnswered: Bool)
        case portal(SimulatedNetwork.Answer)
        case insecure
    }

    /// The faults on the way to the server that strike if the request gets that far.
    var isSlow = false
    var isNameSlow = false
    var resolving: Duration
    var cannotResolve = false
    var there: Duration
    var back: Duration
    var lossThere: Loss?
    var lossBack: Loss?
    var interception: Interception?
    /// The part of the body that arrives; `nil` for all.
    var cut: Double?
    /// When the request arrives a second time, after the first.
    var again: Duration?

    init(_ request: HTTPRequest, _ network: SimulatedNetwork) {
        let (random, faults) = (network.random, network.faults)
        func losses(_ all: [Loss]) -> Loss? { all[faults.int(in: 0...all.count - 1)] }
        resolving = random.duration(in: .microseconds(50) ... .milliseconds(50))
        there = random.duration(in: .microseconds(200) ... .milliseconds(200))
        back = random.duration(in: .microseconds(200) ... .milliseconds(200))
        if faults.draws(.nameFails) {
            isNameSlow = true
            cannotResolve = faults.fraction() < 0.5
            resolving = faults.duration(.milliseconds(10) ... .seconds(40))
        }
        if faults.draws(.slowNetwork) {
            isSlow = true
            if faults.fraction() < 0.5 { there += faults.duration(.milliseconds(100) ... .seconds(60)) }
            if faults.fraction() < 0.5 { back += faults.duration(.milliseconds(100) ... .seconds(60)) }
        }
        if faults.draws(.requestLost) { lossThere = losses([.silence, .refused, .broken]) }
        if faults.draws(.answerLost) { lossBack = losses([.silence, .broken]) }
        if faults.draws(.bodyCut) { cut = faults.fraction() }
        let isRepeatable = request.headers["Idempotency-Key"] != nil || request.method.isSafe
        if isRepeatable, faults.draws(.duplicated) {
            again = faults.duration(.milliseconds(1) ... .seconds(60))
        }
        if faults.draws(.redirect) {
            let status = [301, 302, 303, 307, 308][faults.int(in: 0...4)]
            let target = "\(request.url.scheme ?? "http")://elsewhere.invalid/moved"
            interception = .redirect(
                .init(status: status, headers: ["Location": target]), isAnswered: faults.fraction() < 0.5)
        }
        if faults.draws(.portal) {
            let isSecure = request.url.scheme?.lowercased() == "https"
            interception = isSecure ? .insecure : .portal(Self.portal(faults))
        }
    }

    /// The answer of a hotel in place of the server.
    private static func portal(_ faults: Faults) -> SimulatedNetwork.Answer {
        if faults.fraction() < 0.5 {
            return .init(status: 302, headers: ["Location": "http://portal.invalid/login"])
        }
        return .stranger
    }
}

extension SimulatedNetwork.Answer {
    /// The page of somebody else.
    static let stranger = SimulatedNetwork.Answer(
        status: 200, headers: ["Content-Type": "text/html"], body: Data("<html>Welcome. Please sign in.</html>".utf8))
}
