import Aquifer
import Testing

@testable import AquiferRedis

@Suite("The address of a Redis server")
struct RedisAddressTests {
    @Test(
        "names a host or a socket, and a database",
        arguments: [
            ("redis://cache", RedisAddress.Place.host("cache", port: 6379), 0, "redis://cache:6379/0"),
            ("redis://u:p@cache:7000/3", .host("cache", port: 7000), 3, "redis://cache:7000/3"),
            ("redis://[::1]:7000", .host("::1", port: 7000), 0, "redis://[::1]:7000/0"),
            ("unix:///run/redis.sock?db=2", .socket("/run/redis.sock"), 2, "unix:///run/redis.sock?db=2"),
        ])
    func good(text: String, place: RedisAddress.Place, database: Int, words: String) throws {
        let address = try RedisAddress(text)
        #expect((address.place, address.database) == (place, database))
        #expect(address.words == words)
    }

    @Test(
        "is refused with what is wrong, and without its password",
        arguments: [
            ("rediss://u:secret@cache", "TLS"), ("http://cache", "http"), ("redis://", "host"),
            ("cache:6379", "not redis"),
            ("redis://cache:0", "port"), ("redis://cache:70000", "port"), ("redis://cache/x", "\"x\""),
            ("redis://cache/-1", "\"-1\""), ("unix://", "path"),
        ])
    func bad(text: String, word: String) {
        let error = #expect(throws: StoreError.self) { try RedisAddress(text) }
        #expect(error?.description.contains(word) == true, "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false)
    }
}
