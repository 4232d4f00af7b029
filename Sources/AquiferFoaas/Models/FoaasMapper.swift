import Aquifer
import AquiferFoundation

/// Makes models of the remote's answers (`docs/reference/foaas.md`): JSON, with status 200.
public enum FoaasMapper {
    /// The operations of an answer. One that cannot be read is left out and counted; the others are kept.
    ///
    /// - Throws: `InvalidData` when the answer is no list, or when nothing in it can be read.
    public static func operations(_ head: HTTPResponseHead, _ body: Data) throws -> FoaasOperations {
        guard let list = try json(head, body) as? [Any] else { throw InvalidData.body("the document is not a list") }
        var seen: Set<String> = []
        let operations = list.compactMap { ($0 as? [String: AnyObject]).flatMap(FoaasOperation.init(json:)) }
        guard list.isEmpty || !operations.isEmpty else {
            throw InvalidData.body("none of the \(list.count) operations can be read")
        }
        return FoaasOperations(
            operations.filter { seen.insert($0.url).inserted }, skipped: list.count - operations.count)
    }

    /// The phrase of an answer.
    ///
    /// - Throws: `InvalidData` when it is not one. Status 622, which comes with a phrase, is the remote's 404.
    public static func phrase(_ head: HTTPResponseHead, _ body: Data) throws -> Foaas {
        guard let object = try json(head, body) as? [String: AnyObject], let phrase = Foaas(json: object) else {
            throw InvalidData.body("the document has no message and subtitle")
        }
        return phrase
    }

    private static func json(_ head: HTTPResponseHead, _ body: Data) throws -> Any {
        guard head.status == 200 else { throw InvalidData.status(head.status) }
        do {
            return try FoaasJSON.objects(body)
        } catch {
            // The remote answers HTML to a request that does not ask for JSON. The error names that type.
            let type = head.headers["Content-Type"]
            if let type, !type.lowercased().contains("json") { throw InvalidData.mediaType(type) }
            throw InvalidData.body("the document cannot be read")
        }
    }
}
