import Aquifer
import AquiferCurl
import AquiferSQLite
import AquiferWording
import Foundation

// News SERVER DATABASE [ID]: the headlines of a server, or one of its articles; without a connection, the saved ones.

struct Headline: Codable, Sendable {
    let id: Int
    let title: String
}

struct Article: Codable, Sendable {
    let title: String
    let text: String
}

struct News {
    let headlines: Resource<[Headline]>
    let articles: ResourceFamily<Int, Article>

    init(of server: URL, in store: any CacheStore) {
        let client = CurlHTTPClient()
        headlines = Resource(
            remote: RemoteLoader(
                HTTPRequest(.get, server.appending(path: "headlines")), client: client, map: JSONMapper().map),
            cache: Cache(key: "headlines:\(server)", in: store))
        articles = ResourceFamily(in: store) { id in
            // An article that was loaded a moment ago is not asked for again.
            Resource(
                remote: RemoteLoader(
                    HTTPRequest(.get, server.appending(path: "articles/\(id)")), client: client, map: JSONMapper().map),
                cache: Cache(key: "article:\(id):\(server)", in: store, policy: CachePolicy(askAfter: .minutes(5))))
        }
    }
}

func say<Value>(_ loaded: Loaded<Value>) {
    if let notice = loaded.source.notice(in: .english, now: Date()) { print(notice) }
}

let words = CommandLine.arguments
guard (3...4).contains(words.count), let server = URL(string: words[1]) else {
    print("usage: News SERVER DATABASE [ID]")
    exit(64)
}
do {
    let news = News(of: server, in: try SQLiteStore(file: URL(filePath: words[2])))
    if words.count == 4, let id = Int(words[3]) {
        let article = try await news.articles[id].load()
        say(article)
        print("\(article.value.title)\n\n\(article.value.text)")
    } else {
        let headlines = try await news.headlines.load()
        say(headlines)
        for headline in headlines.value { print("\(headline.id)  \(headline.title)") }
        // What is read next is there, even without a connection.
        await news.articles.prefetch(headlines.value.prefix(10).map(\.id))
    }
} catch let error as LoadError {
    print(error.message(in: .english))
    exit(69)
} catch {
    print(error)  // the database cannot be used
    exit(74)
}
