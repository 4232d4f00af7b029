// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Signatures of SwiftUI, as far as Examples/SwiftUI uses them, and names that are taken there. See Scripts/check-apple.

@_exported import Foundation
@_exported import Observation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// A view that has no body of its own.
@MainActor @preconcurrency public protocol Primitive: View where Body == Never {}
extension Primitive {
    public var body: Never { fatalError() }
}

public struct EmptyView: Primitive { public nonisolated init() {} }
public struct TupleView<Content>: Primitive { nonisolated init() {} }
public struct ConditionalView<First: View, Second: View>: Primitive { nonisolated init() {} }
extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalView<First, Second> {
        ConditionalView()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalView<First, Second> {
        ConditionalView()
    }
}

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @MainActor @preconcurrency var body: Body { get }
}
extension Never: Scene {}
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension App {
    @MainActor @preconcurrency public static func main() {}
}
public struct WindowGroup<Content: View>: Scene {
    public nonisolated init(@ViewBuilder content: @MainActor () -> Content) {}
    public var body: Never { fatalError() }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public init(initialValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { _ = newValue }
    }
    public var projectedValue: Binding<Value> { fatalError() }
}
@propertyWrapper public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { _ = newValue }
    }
}

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ text: String) {}
        public mutating func appendInterpolation(_ date: Date, style: Text.DateStyle) {}
    }
    public init(stringLiteral: String) {}
    public init(stringInterpolation: StringInterpolation) {}
}

public struct Text: Primitive, Equatable {
    public struct DateStyle: Sendable { public static var relative: DateStyle { DateStyle() } }
    public nonisolated init(_ key: LocalizedStringKey) {}
    public nonisolated init(verbatim text: String) {}
    @_disfavoredOverload public nonisolated init<Words: StringProtocol>(_ words: Words) {}
}

public struct Image: Primitive {
    public nonisolated init(systemName: String) {}
    public func resizable() -> Image { self }
}
public struct ProgressView: Primitive { public nonisolated init() {} }
public struct Button<Label: View>: Primitive {
    public nonisolated init(_ title: LocalizedStringKey, action: @escaping @MainActor () -> Void) where Label == Text {}
}
public struct List<Content: View>: Primitive { public nonisolated init(@ViewBuilder content: () -> Content) {} }
public struct ForEach<Items: RandomAccessCollection, ID: Hashable, Content: View>: Primitive
where Items.Element: Identifiable, Items.Element.ID == ID {
    public nonisolated init(_ items: Items, @ViewBuilder content: @escaping (Items.Element) -> Content) {}
}
public struct VStack<Content: View>: Primitive {
    public nonisolated init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}
public struct NavigationStack<Content: View>: Primitive { public nonisolated init(@ViewBuilder root: () -> Content) {} }

public struct HorizontalAlignment: Sendable {
    public static var center: HorizontalAlignment { HorizontalAlignment() }
    public static var leading: HorizontalAlignment { HorizontalAlignment() }
}
public struct Alignment: Sendable { public static var center: Alignment { Alignment() } }
public struct Font: Sendable { public static var caption: Font { Font() } }

extension View {
    public nonisolated func refreshable(action: @escaping @Sendable () async -> Void) -> some View { EmptyView() }
    public nonisolated func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View { EmptyView() }
    public nonisolated func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { EmptyView() }
    public nonisolated func overlay<Content: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> Content
    ) -> some View { EmptyView() }
    public nonisolated func navigationTitle(_ title: LocalizedStringKey) -> some View { EmptyView() }
    public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View { EmptyView() }
    public nonisolated func onDisappear(perform action: (() -> Void)? = nil) -> some View { EmptyView() }
    public nonisolated func font(_ font: Font?) -> some View { EmptyView() }
    public nonisolated func frame(maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil) -> some View { EmptyView() }
    public nonisolated func scaledToFit() -> some View { EmptyView() }
}

// Names that are taken: a public type of ours with one of them would be ambiguous in an app.
public struct Transaction: Sendable {
    public init() {}
    public var disablesAnimations = false
}
public func withTransaction<Value>(_ transaction: Transaction, _ body: () throws -> Value) rethrows -> Value {
    try body()
}
public struct Animation: Sendable {}
public struct Color: Sendable {}
public struct Group<Content> {}
public struct Label<Title, Icon> {}
public struct Link<Content> {}
public struct Menu<Content> {}
public struct Path: Sendable {}
public struct Section<Content> {}
public struct Table<Content> {}
public struct Toggle<Content> {}

// Apple's Foundation has it, and Linux's has not.
extension URL {
    public static var cachesDirectory: URL { temporaryDirectory }
}
