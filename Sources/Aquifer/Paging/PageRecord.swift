import AquiferFoundation

/// A page as it is saved: its items, its place, and the name of the entry that follows.
///
/// An entry says only what stays true whatever is written beside it: these items follow that position, and end at this
/// one. So a kill between two writes, or another process, can shorten the list, and cannot make it wrong.
struct PageRecord<Item: Sendable>: Sendable {
    var items: [Item]
    /// The position that was asked for; `nil` for the first page.
    var start: String?
    /// The position of the page after this one; `nil` at the end of the list.
    var next: String?
    /// The name of the entry of the page after this one.
    var link: String
    /// True if the items come somewhere after `start`, and not directly after it.
    var followsGap = false
    /// The reason why this record must not replace the one before; not saved.
    var obstacle: StoreError?
    /// What the answer has done to the older pages, for each caller who shares it; not saved. `nil` in a saved record.
    var splice: Splice?

    /// A class, because a splice has a record.
    final class Splice: Sendable {
        let result: PageSplice<Item>

        init(_ result: PageSplice<Item>) { self.result = result }
    }
}

extension PageRecord {
    /// The record alone, and what it has done to the older pages.
    var spliced: (record: Self, splice: PageSplice<Item>?) {
        var record = self
        record.splice = nil
        return (record, splice?.result)
    }
}

extension EntryFamily {
    /// The pages whose keys begin with `prefix`, and whose items a codec writes.
    public init<Item>(_ prefix: String, pages items: CacheCodec<[Item]>) {
        self.init(prefix, codec: CacheCodec<PageRecord<Item>>.pages(items))
    }
}

extension CacheCodec {
    /// The first byte of a record. No value of the codecs here begins with it: JSON does not, and no format has this number.
    private static var mark: UInt8 { 0xF7 }

    /// Converts records of pages whose items another codec converts.
    static func pages<Item>(_ items: CacheCodec<[Item]>) -> CacheCodec where Value == PageRecord<Item> {
        var codec = CacheCodec(
            encode: { record in
                if let obstacle = record.obstacle { throw obstacle }
                let head = BinaryWriter.encode(PageHead(record))
                guard head.count <= UInt16.max else {
                    throw InvalidData.body("the position of the next page is too long to be saved")
                }
                return Data([mark, UInt8(truncatingIfNeeded: head.count >> 8), UInt8(truncatingIfNeeded: head.count)])
                    + head + (try items.encode(record.items))
            },
            decode: { bytes in
                let (head, rest) = try parts(of: bytes)
                let page: PageHead = try BinaryReader.decode(head)
                return PageRecord(
                    items: try items.decode(rest), start: page.start, next: page.next, link: page.link,
                    followsGap: page.followsGap)
            })
        codec.isCurrent = { bytes in
            do { return items.isCurrent(try parts(of: bytes).items) } catch { return false }
        }
        return codec
    }

    /// The head of a record, and the items behind it.
    private static func parts(of bytes: Data) throws -> (head: Data, items: Data) {
        guard bytes.first == mark else { throw InvalidData.body("it is no page") }
        let bytes = Data(bytes)
        guard bytes.count >= 3 else { throw InvalidData.body("the page ends early") }
        let end = 3 + (Int(bytes[1]) << 8 | Int(bytes[2]))
        guard bytes.count >= end else { throw InvalidData.body("the page ends early") }
        return (Data(bytes[3..<end]), Data(bytes[end...]))
    }
}

/// The fields of a record besides its items.
private struct PageHead: BinaryCodable {
    static var format: UInt8 { 1 }
    var start: String?
    var next: String?
    var link: String
    var followsGap: Bool

    init<Item>(_ record: PageRecord<Item>) {
        (start, next, link, followsGap) = (record.start, record.next, record.link, record.followsGap)
    }

    init(from reader: inout BinaryReader) throws(BinaryReader.Failure) {
        start = try reader.optionalString()
        next = try reader.optionalString()
        link = try reader.string()
        let gap = try reader.uint()
        guard gap < 2 else { throw BinaryReader.Failure("a mark that is neither 0 nor 1") }
        followsGap = gap == 1
    }

    func write(to writer: inout BinaryWriter) {
        writer.write(start)
        writer.write(next)
        writer.write(link)
        writer.write(UInt64(followsGap ? 1 : 0))
    }
}

/// What becomes of older pages when a newer one takes the place where they begin.
///
/// What the older pages know beyond the newer page's end follows it, after a gap if it is not certain that it follows directly. An
/// older item inside the newer page's interval that the newer page does not have was deleted, or the newer page's last item has
/// moved up over it: two answers cannot tell. So it does not disappear without a gap, unless both pages end at one position, or the server
/// never changes the order of two items (``NextPage/inFixedOrder()``).
struct PageSplice<Item: Sendable>: Sendable {
    /// The rest of the older pages, to be saved before the newer page; `nil` if there is none, or if it is saved already.
    private(set) var rest: PageEntry<Item>?
    /// The names of the entries that are no longer part of the list once the newer page is saved.
    private(set) var dropped: [String] = []

    /// True if no page was saved at the newer page's place.
    let isOverNothing: Bool

    /// Compares a newer page with the older ones.
    ///
    /// - Parameters:
    ///   - new: the newer page.
    ///   - old: the saved pages from the newer page's place to the end of the list, shown or not.
    ///   - isOrderFixed: true if two items never change their order on the server.
    init(
        _ new: PageRecord<Item>, over old: [PageEntry<Item>], joining: NextPage<Item>.Joining,
        isOrderFixed: Bool = false, identify: (Item) -> ItemID
    ) {
        isOverNothing = old.isEmpty
        guard !old.isEmpty else { return }
        guard let next = new.next else {
            // The newer page is the last one.
            dropped = old.dropFirst().compactMap(\.name)
            return
        }
        // A position stands for a place: what follows it still does.
        if joining == .ends, let end = old.firstIndex(where: { $0.record.next == next }) {
            dropped = old[...end].dropFirst().compactMap(\.name)
            return
        }
        let overlap = PageOverlap(
            new.items.map(identify), over: old.map { $0.record.items.map(identify) }, isOrderFixed: isOrderFixed)
        let reached = overlap.reached
        let page = reached?.page ?? 0
        var entry = old[page]
        if let reached {
            entry.record.items.removeSubrange(...reached.item)
            entry.record.followsGap = !reached.isDirect
            // The item at which both meet stays as the evidence.
            if joining == .overlap, reached.isDirect, let last = new.items.last {
                entry.record.items.insert(last, at: 0)
            }
            dropped = old[...page].dropFirst().compactMap(\.name)
        } else {
            entry.record.items = entry.record.items.filter { !overlap.ids.contains(identify($0)) }
            entry.record.followsGap = true
        }
        // Behind this page nothing is known: there is no other side of a gap.
        if entry.record.followsGap, entry.record.items.isEmpty, page == old.count - 1 { return }
        entry.name = new.link
        entry.facts = nil  // it is not what was read
        entry.record.start = next
        rest = entry
    }
}
