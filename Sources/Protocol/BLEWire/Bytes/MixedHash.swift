/// The hash of a 64-bit key in a table with this seed, for `_rawHashValue(seed:)`: one multiplication to 128 bits.
///
/// `Hasher` takes about 200 instructions for such a key, and the path of each packet looks up several. The standard library seeds each
/// table with the address of its storage, which a peer does not know, so a peer cannot choose addresses that collide.
@inlinable
package func mixedHash(_ key: UInt64, seed: Int) -> Int {
    let factor = UInt64(bitPattern: Int64(seed)) ^ 0xE703_7ED1_A0B4_28DB
    let product = (key ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: factor)
    return Int(truncatingIfNeeded: product.high ^ product.low)
}
