@main struct OutboxHammer { static func main() {} }
