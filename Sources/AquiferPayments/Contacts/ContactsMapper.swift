import Aquifer
import AquiferFoundation

/// Decodes contacts from `[{"id":Int,"name":String,"img":URL,"username":String}]`, with status 200.
///
/// One bad contact rejects the list: a repeated id, an address that is not `http` or `https`, a user name without `@`.
public enum ContactsMapper {
    private struct Item: Decodable {
        let id: Int
        let name: String
        let img: String
        let username: String
    }

    /// The contacts of an answer, in its order.
    ///
    /// - Throws: `InvalidData` or `DecodingError` when the answer violates the contract.
    public static func map(_ head: HTTPResponseHead, _ body: Data) throws -> [Contact] {
        guard head.status == 200 else { throw InvalidData.status(head.status) }
        var seen: Set<Int> = []
        return try JSONDecoder().decode([Item].self, from: body).enumerated().map { index, item in
            guard seen.insert(item.id).inserted else {
                throw InvalidData.body("[\(index)].id stands in the list twice")
            }
            guard let image = URL(foreign: item.img), image.isWebAddress else {
                throw InvalidData.body("[\(index)].img is not an http(s) address")
            }
            guard item.username.hasPrefix("@"), item.username.count > 1 else {
                throw InvalidData.body("[\(index)].username is not a user name")
            }
            return Contact(id: item.id, name: item.name, imageURL: image, username: item.username)
        }
    }
}
