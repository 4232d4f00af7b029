import Aquifer
import Foundation

extension SimulatedFiles {
    // MARK: Facts

    func factsOfOpen(_ descriptor: Int32, _ info: inout stat) -> Int32 {
        guard let (_, file) = file(descriptor, "facts") else { return -1 }
        fill(&info, file.node)
        return 0
    }

    func facts(_ path: String, _ info: inout stat) -> Int32 {
        guard let disk = enter("facts") else { return -1 }
        guard let node = disk.node(path) else { return refuse(ENOENT) }
        fill(&info, node)
        return 0
    }

    func factsOfLink(_ path: String, _ info: inout stat) -> Int32 { facts(path, &info) }

    private func fill(_ info: inout stat, _ node: DiskNode) {
        info = stat()
        info.st_dev = 1
        info.st_ino = ino_t(node.number)
        info.st_mode = mode_t(node.mode) | (node.isFolder ? S_IFDIR : S_IFREG)
        info.st_size = off_t(node.bytes.count)
        info.st_nlink = nlink_t(node.isFolder ? 2 : node.links)
        info.st_uid = geteuid()
    }

    func canReach(_ path: String, _ mode: Int32) -> Int32 {
        guard let disk = enter("reach") else { return -1 }
        return disk.node(path) == nil ? refuse(ENOENT) : 0
    }

    func names(in folder: String) -> [String]? {
        guard let disk = enter("names") else { return nil }
        guard let node = disk.node(folder) else { return fail(ENOENT) }
        guard node.isFolder else { return fail(ENOTDIR) }
        return node.names.keys.sorted()
    }

    // MARK: Names

    func move(_ path: String, _ target: String) -> Int32 {
        guard let disk = enter("move", changes: true, makesRoom: true) else { return -1 }
        guard let (from, name) = disk.place(path), let node = from.names[name], let (to, new) = disk.place(target)
        else { return refuse(ENOENT) }
        if to.names[new]?.isFolder == true { return refuse(EISDIR) }
        if from === to {
            if name != new { from.setNames([name: nil, new: node]) }
        } else {
            to.setNames([new: node])
            from.setNames([name: nil])
        }
        disk.tell(name, in: from)
        disk.tell(new, in: to)
        return 0
    }

    func removeName(_ path: String) -> Int32 {
        guard let disk = enter("remove", changes: true, makesRoom: true) else { return -1 }
        guard let (folder, name) = disk.place(path), let node = folder.names[name] else { return refuse(ENOENT) }
        if node.isFolder { return refuse(EISDIR) }
        folder.setNames([name: nil])
        disk.tell(name, in: folder)
        return 0
    }

    func addName(_ path: String, _ name: String) -> Int32 {
        guard let disk = enter("link", changes: true) else { return -1 }
        guard let node = disk.node(path), let (folder, new) = disk.place(name) else { return refuse(ENOENT) }
        if folder.names[new] != nil { return refuse(EEXIST) }
        folder.setNames([new: node])
        return 0
    }

    func addFolder(_ path: String, _ mode: mode_t) -> Int32 {
        guard let disk = enter("make a folder", changes: disk?.node(path) == nil) else { return -1 }
        if disk.node(path) != nil { return refuse(EEXIST) }
        guard let (folder, name) = disk.place(path) else { return refuse(ENOENT) }
        folder.setNames([name: disk.make(isFolder: true, mode: UInt32(mode))])
        return 0
    }

    func allow(_ path: String, _ mode: mode_t) -> Int32 {
        guard let disk = enter("allow") else { return -1 }
        guard let node = disk.node(path) else { return refuse(ENOENT) }
        node.mode = UInt32(mode)
        return 0
    }
}
