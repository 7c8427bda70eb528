/// Moves that the run has not seen yet: the last place of each device, in the order of the first moves.
///
/// A drag moves a device many times between two moments at which the run acts. Only the last place has an effect, so the log gets only that one.
struct WaitingMoves: Hashable, Sendable {
    struct Move: Hashable, Sendable {
        var device: String
        /// Metres.
        var x: Double
        var y: Double
    }

    private var moves: [Move] = []
    /// In the order of the first moves.
    var all: [Move] { moves }

    var isEmpty: Bool { moves.isEmpty }
    var count: Int { moves.count }

    /// Replaces the waiting move of the same device.
    mutating func add(_ move: Move) {
        if let index = moves.firstIndex(where: { $0.device == move.device }) {
            moves[index] = move
        } else {
            moves.append(move)
        }
    }

    subscript(device: String) -> Move? { moves.first { $0.device == device } }

    /// Removes and returns all moves.
    mutating func take() -> [Move] {
        defer { moves = [] }
        return moves
    }
}
