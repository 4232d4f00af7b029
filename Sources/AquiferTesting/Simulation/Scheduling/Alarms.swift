/// Something that is to happen at a moment of simulated time.
final class Alarm: @unchecked Sendable {
    /// In nanoseconds since the beginning.
    let due: Int64
    /// The order of making, which decides among those of one moment.
    let order: Int
    /// What it belongs to: it does not ring once that is dead.
    let life: Life
    /// `nil` once it has rung or was taken back.
    private(set) var action: (() -> Void)?

    init(due: Int64, order: Int, life: Life, action: @escaping () -> Void) {
        (self.due, self.order, self.life, self.action) = (due, order, life, action)
    }

    var isSet: Bool { action != nil && life.isAlive }

    func takeBack() { action = nil }

    func ring() {
        let action = action
        self.action = nil
        action?()
    }

    static func < (one: Alarm, other: Alarm) -> Bool {
        (one.due, one.order) < (other.due, other.order)
    }
}

/// The alarms that are set, as a heap: the next one is the first.
struct Alarms {
    private var heap: [Alarm] = []

    /// Those that are still set, in no order.
    var all: [Alarm] { heap.filter(\.isSet) }

    mutating func add(_ alarm: Alarm) {
        heap.append(alarm)
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// The moment of the next alarm; `nil` if none is set.
    mutating func next() -> Int64? {
        while let first = heap.first, !first.isSet { removeFirst() }
        return heap.first?.due
    }

    /// Takes the next alarm out, if its moment is not after `now`.
    mutating func take(until now: Int64) -> Alarm? {
        guard let due = next(), due <= now, let first = heap.first else { return nil }
        removeFirst()
        return first
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var place = 0
        while true {
            let (left, right) = (2 * place + 1, 2 * place + 2)
            var least = place
            if left < heap.count, heap[left] < heap[least] { least = left }
            if right < heap.count, heap[right] < heap[least] { least = right }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
