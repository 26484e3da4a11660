/// A stack that hands out its top as an array without copying or counting references.
///
/// Safe: elements below `count` are initialised, the others are not, and only this type sees
/// the memory.
@safe
struct MoveStack<Element>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        unsafe base = .allocate(capacity: capacity)
    }

    deinit {
        unsafe base.deinitialize(count: count)
        unsafe base.deallocate()
    }

    @inline(__always)
    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        unsafe (base + count).initialize(to: element)
        count += 1
    }

    @inline(__always)
    mutating func withTop(_ change: (inout Element) -> Void) {
        precondition(count > 0)
        change(&(unsafe base[count - 1]))
    }

    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count)
        return unsafe base[index]
    }

    /// Forgets everything from `start` upwards.
    @inline(__always)
    mutating func drop(to start: Int) {
        precondition(start >= 0 && start <= count)
        unsafe (base + start).deinitialize(count: count - start)
        count = start
    }

    /// Removes everything from `start` upwards and returns it, oldest first.
    @inline(__always)
    mutating func take(from start: Int) -> [Element] {
        precondition(start >= 0 && start <= count)
        let taken = count - start
        if taken == 0 { return [] }
        var result: [Element] = []
        result.reserveCapacity(taken)
        for index in start..<count { result.append(unsafe (base + index).move()) }
        count = start
        return result
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        unsafe larger.moveInitialize(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
        capacity *= 2
    }
}
