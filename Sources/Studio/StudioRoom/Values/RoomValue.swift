/// A value of JSON in the commands of the room.
package typealias RoomValue = WorldValue
