import Aquifer
import AquiferTesting
import Foundation

/// The remote of the payments' contract. What it has booked is on its disk, and survives a restart.
final class Bank: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    struct Booking: Sendable {
        let number: Int
        let cents: Int
        let user: Int
        let isApproved: Bool
        let date: Date
    }

    private let world: Simulation
    /// By key.
    private(set) var bookings: [String: Booking] = [:]
    /// The keys of all orders that have come.
    private(set) var asked: Set<String> = []

    init(_ world: Simulation) { self.world = world }

    /// A planted bug: the keys are lost, the money is not.
    private var forgets: Bool { world.switches.contains("forgetful") }
    private(set) var forgotten: [Booking] = []

    func restart() {
        guard forgets else { return }
        forgotten += bookings.sorted { $0.key < $1.key }.map(\.value)
        bookings = [:]
    }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        for _ in 0..<2 {
            try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .milliseconds(200)))
        }
        if request.method == .get {
            let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
            let key = parts?.queryItems?.first { $0.name == "idempotency_key" }?.value ?? ""
            return bookings[key].map(shown) ?? Self.json(404, #"{"error":"no transaction has this key"}"#)
        }
        guard request.method == .post, let key = request.headers["Idempotency-Key"] else { return .init(status: 405) }
        asked.insert(key)
        let order = try? JSONDecoder().decode(Order.self, from: request.body)
        // It refuses some amounts, whenever they come.
        guard let order, order.cents % 7 != 0 else { return Self.json(400, #"{"error":"not an amount"}"#) }
        if let booked = bookings[key] { return shown(booked) }
        let booking = Booking(
            number: bookings.count + 1, cents: order.cents, user: order.user, isApproved: order.cents % 5 != 0,
            date: world.date)
        bookings[key] = booking
        world.note("books \(order.cents) cents under \(key.prefix(8))")
        return shown(booking)
    }

    private struct Order: Decodable {
        let value: Double
        let user: Int
        var cents: Int { Int((value * 100).rounded()) }

        enum CodingKeys: String, CodingKey {
            case value
            case user = "destination_user_id"
        }
    }

    private func shown(_ booking: Booking) -> SimulatedNetwork.Answer {
        let (units, rest) = (booking.cents / 100, booking.cents % 100)
        let value = "\(units).\(rest < 10 ? "0" : "")\(rest)"
        return Self.json(
            200,
            """
            {"transaction":{"id":\(booking.number),"timestamp":\(Int(booking.date.timeIntervalSince1970)),\
            "value":\(value),"destination_user":{"id":\(booking.user),"name":"M","img":"http://x.invalid/m",\
            "username":"@m"},"success":\(booking.isApproved),"status":"\(booking.isApproved ? "Aprovada" : "Recusada")"}}
            """)
    }

    private static func json(_ status: Int, _ text: String) -> SimulatedNetwork.Answer {
        .init(status: status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
    }
}
