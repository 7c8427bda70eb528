import BLEHostAdapter

/// Hosts with published values. What a source does not tell has the value of a device without a platform.
extension Platform {
    /// A current iPhone.
    ///
    /// | Value | Source |
    /// | --- | --- |
    /// | ATT_MTU of 185 octets, which the phone requests by itself | PacketLogger traces in https://github.com/leka/LekaOS/issues/639 |
    /// | an interval of 30 ms and a supervision timeout of 720 ms | the log of a peripheral in https://github.com/chipweinberger/flutter_blue_plus/issues/615 (iOS 16.7); the timeout also in https://github.com/apache/mynewt-nimble/issues/633 (iPhone 6s) |
    /// | rules for the parameters of accessories | Apple's Technical Q&A QA1931; see ``ParameterRules/apple`` |
    /// | data length extension, 2M PHY on iPhone 8 and later | WWDC 2019, session 901, https://developer.apple.com/videos/play/wwdc2019/901/ |
    /// | 7 links | https://github.com/don/cordova-plugin-ble-central/issues/364; Apple documents no number, and reports vary from 5 to 12 |
    /// | a private address for 15 minutes | Martin et al., "Handoff All Your Privacy", PoPETs 2019; the default of Vol 3, Part C, Appendix A |
    /// | background | see ``BackgroundRules/apple`` |
    public static var iPhone: Platform { Platform(.iPhone) }

    /// An iPhone with iOS 11.0 or 11.1: ``iPhone``, but `canSendWriteWithoutResponse` is false until the first write, and the disconnection method with a
    /// time stamp does not exist. An app that waits for the former before its first write never sends it.
    ///
    /// Sources: https://developer.apple.com/forums/thread/80376, https://github.com/dotintent/react-native-ble-plx/pull/366 and
    /// https://github.com/nordicsemi/IOS-DFU-Library/pull/163
    public static var iPhoneIOS11: Platform { Platform(.iPhoneIOS11) }

    /// A Pixel, with the values of the Android Open Source Project.
    ///
    /// | Value | Source |
    /// | --- | --- |
    /// | an ATT_MTU of 23 octets until an app calls `requestMtu`, then 517 since Android 14 | https://developer.android.com/about/versions/14/behavior-changes-all |
    /// | intervals of 30 to 50 ms, a supervision timeout of 5 s | `BTM_BLE_CONN_INT_MIN_DEF`, `_MAX_DEF` and `BTM_BLE_CONN_TIMEOUT_DEF` in `btm_ble_api_types.h` |
    /// | intervals that a peripheral requests, raised to 11.25 ms | `BTM_BLE_CONN_INT_MIN_LIMIT` in the same file |
    /// | 7 links | `GATT_MAX_PHY_CHANNEL` in `bt_target.h`, until Android 14 |
    /// | a private address for 7 to 15 minutes, here 15 | `le_address_manager.cc` |
    ///
    /// The files are in https://android.googlesource.com/platform/packages/modules/Bluetooth
    public static var pixel: Platform { Platform(.android(links: 7)) }

    /// A Galaxy S9: ``pixel`` with 10 links. No other difference has a published source.
    ///
    /// Source: `GATT_MAX_PHY_CHANNEL` in `bluetooth/bdroid_buildcfg.h` of a device tree for open-source builds,
    /// https://github.com/RenatohRibeiro/device_samsung_sdm845-common
    public static var galaxy: Platform { Platform(.android(links: 10)) }

    /// A Xiaomi Mi 11 Pro with Android 13: ``pixel`` with 10 links and an app that requests an ATT_MTU of 247 octets. This version takes the number of
    /// the app, see https://developer.android.com/about/versions/14/behavior-changes-all. That the app requests 247 is an assumption: the number is
    /// the largest one whose PDUs fit into a data packet of 251 octets.
    ///
    /// Source: `GATT_MAX_PHY_CHANNEL` in `bluetooth/include/bdroid_buildcfg.h` of a device tree for open-source builds,
    /// https://github.com/AOSP-KONA-MSMNILE-LAHAINA-KALAMA/android_device_xiaomi_star; others of this series do not set it.
    public static var xiaomi: Platform { Platform(.xiaomi) }

    /// A computer with Windows.
    ///
    /// | Value | Source |
    /// | --- | --- |
    /// | ATT_MTU of 517 octets, which Windows requests by itself | https://github.com/chan150/flutter_blue_plus_windows/issues/6 |
    /// | an interval of 60 ms and a supervision timeout of 9.6 s | a trace in https://github.com/hbldh/bleak/issues/357 |
    public static var windows: Platform { Platform(.windows) }

    /// A computer with BlueZ.
    ///
    /// | Value | Source |
    /// | --- | --- |
    /// | ATT_MTU of 517 octets, which bluetoothd requests by itself | `ExchangeMTU` in `src/main.conf` of BlueZ |
    /// | intervals of 30 to 50 ms, a supervision timeout of 420 ms | `le_conn_min_interval`, `le_conn_max_interval` and `le_supv_timeout` in the kernel's `net/bluetooth/hci_core.c` |
    /// | no private address | `Privacy` in `src/main.conf` |
    /// | a bonded peer with a Database Hash is not discovered again while its hash stays | `db_hash_read_cb` in `src/shared/gatt-client.c` |
    /// | `channels` - 1 enhanced bearers | `Channels` in `src/main.conf`: 1, and 3 in versions with the former default |
    ///
    /// - Parameter channels: The number of ATT channels, 1 to 6. With 1 there are no enhanced bearers.
    public static func blueZ(channels: Int = 1) -> Platform { Platform(.blueZ(channels: channels)) }

    /// The presets by the names that world files and `BLUETOOTH_RADIO_PLATFORM` use.
    public static let presets: [String: Platform] = HostPlatform.presets.mapValues { Platform($0) }
}
