import AquiferFoundation
import AquiferHTTP

/// The way in which a server gives the pages of a list: how an answer tells the position of the next page, and how the
/// request for that position is made.
///
/// A position is a short text that is saved with the page: a cursor, the identity of an item, an offset, or an address.
/// An item may be inserted, deleted or moved anywhere. If the order of two items never changes, say so: ``inFixedOrder()``.
public struct NextPage<Item: Sendable>: Sendable {
    /// The evidence that a page follows another.
    enum Joining: Sendable {
        /// Pages are intervals with fixed ends: a page begins exactly where the one before it ends.
        case ends
        /// Positions move when items are inserted or deleted: a page must begin with the last item of the one before.
        case overlap
    }

    let joining: Joining
    let request: @Sendable (_ first: HTTPRequest, _ position: String) throws(InvalidData) -> HTTPRequest
    let position: @Sendable (HTTPResponseHead, Data, [Item], _ asked: String?) throws -> String?
    /// The position after a whole list that was saved without positions; `nil` if it cannot be told.
    let resume: @Sendable ([Item]) -> String?
    /// True if two items never change their order.
    private(set) var isOrderFixed = false

    /// Pages with cursors of any form.
    ///
    /// - Parameters:
    ///   - request: makes the request for a position from the request for the first page. It throws if the position is none.
    ///   - position: the position of the next page, from an answer and its items; `nil` at the end of the list.
    public init(
        request: @escaping @Sendable (_ first: HTTPRequest, _ position: String) throws(InvalidData) -> HTTPRequest,
        position: @escaping @Sendable (HTTPResponseHead, Data, [Item]) throws -> String?
    ) {
        self.init(joining: .ends, request: request) { head, body, items, _ in try position(head, body, items) }
    }

    private init(
        joining: Joining,
        request: @escaping @Sendable (_ first: HTTPRequest, _ position: String) throws(InvalidData) -> HTTPRequest,
        resume: @escaping @Sendable ([Item]) -> String? = { _ in nil },
        position: @escaping @Sendable (HTTPResponseHead, Data, [Item], _ asked: String?) throws -> String?
    ) {
        self.joining = joining
        self.request = request
        self.resume = resume
        self.position = position
    }

    /// Pages whose answer has a cursor, which the next request sends back in its query.
    ///
    /// A cursor must stand for a place between two items, whatever is inserted before it and whatever moves: such as the date of change of
    /// the last item, in a list by that date. The number of a page is no such place: use ``offset(_:)``, or ``after(_:_:)``.
    ///
    /// ```swift
    /// .cursor("cursor") { head, body in try JSONMapper<Envelope>().map(head, body).next }
    /// ```
    ///
    /// - Parameters:
    ///   - parameter: the name of the query's parameter.
    ///   - cursor: the cursor of an answer; `nil` at the end of the list.
    public static func cursor(
        _ parameter: String, in cursor: @escaping @Sendable (HTTPResponseHead, Data) throws -> String?
    ) -> NextPage {
        NextPage(joining: .ends, request: { $0.asking($1, in: parameter) }) { head, body, _, _ in
            try cursor(head, body)
        }
    }

    /// The same pages of a list in which two items never change their order, such as one by date of creation.
    ///
    /// An item that a newer page should have and does not was deleted then, and disappears. Otherwise that is uncertain, and the
    /// list has a gap behind the newer page until the next page is loaded. Do not say so of a list such as "last changed first": items
    /// would be lost when others move up.
    public func inFixedOrder() -> NextPage {
        var next = self
        next.isOrderFixed = true
        return next
    }

    /// Pages that begin after an item, whose identity the next request sends in its query. An empty page is the end.
    ///
    /// The order of two items must not change: an item that has moved stands for another place. For a list whose items move, the
    /// server must give a cursor that stands for a place.
    ///
    /// - Parameters:
    ///   - parameter: the name of the query's parameter.
    ///   - id: the identity of an item, as the server writes it.
    public static func after(_ parameter: String, _ id: @escaping @Sendable (Item) -> String) -> NextPage {
        NextPage(
            joining: .ends, request: { $0.asking($1, in: parameter) }, resume: { $0.last.map(id) },
            position: { _, _, items, _ in items.last.map(id) }
        ).inFixedOrder()
    }

    /// Pages that begin at the number of an item, counted from 0, which the next request sends in its query.
    ///
    /// Numbers move when an item is inserted or deleted. So each request asks for the last known item again, and only an
    /// answer that has it joins the list. A page that has nothing but that item is the end. A page must have at least two
    /// items.
    ///
    /// - Parameter parameter: the name of the query's parameter.
    public static func offset(_ parameter: String) -> NextPage {
        NextPage(
            joining: .overlap, request: { $0.asking($1, in: parameter) },
            resume: { $0.isEmpty ? nil : "\($0.count - 1)" },
            position: { _, _, items, asked in
                let start = asked.flatMap { Int($0) } ?? 0
                guard items.count > 1, case let (sum, false) = start.addingReportingOverflow(items.count - 1) else {
                    return nil
                }
                return "\(sum)"
            })
    }

    /// Pages whose answer has the address of the next page in its `Link` field: `<…>; rel="next"` (RFC 8288).
    ///
    /// The address must stand for a place between two items, as a cursor does, and not for the number of a page.
    ///
    /// The address must have the origin of the first page: the fields of the request, such as `Authorization`, go there.
    public static var link: NextPage {
        NextPage(
            joining: .ends,
            request: { first, position throws(InvalidData) in
                guard let url = URL(foreign: position), url.isWebAddress, url.hasSameOrigin(as: first.url) else {
                    throw .body("the next page is at another origin")
                }
                var request = first
                request.url = url
                return request
            },
            position: { head, _, _, _ in
                guard let target = LinkField.target(of: "next", in: head.headers) else { return nil }
                guard let url = URL(foreign: target, relativeTo: head.url)?.absoluteURL, url.isWebAddress else {
                    throw InvalidData.body("the next page's address is not a URL")
                }
                return url.absoluteString
            })
    }
}

extension HTTPRequest {
    /// The same request with a parameter in its query, in place of those of this name.
    fileprivate func asking(_ value: String, in parameter: String) -> HTTPRequest {
        let name = PercentEncoding.encode(parameter)
        let address = url.absoluteString.split(separator: "#", maxSplits: 1)[0]
        let parts = address.split(separator: "?", maxSplits: 1)
        let others = parts.dropFirst().flatMap { $0.split(separator: "&") }.filter {
            $0 != name && !$0.hasPrefix("\(name)=")
        }
        // Encoded here: a `+` in a cursor would be read as a space.
        let query = (others.map(String.init) + ["\(name)=\(PercentEncoding.encode(value))"]).joined(separator: "&")
        var request = self
        request.url = URL(string: "\(parts[0])?\(query)") ?? url
        return request
    }
}
