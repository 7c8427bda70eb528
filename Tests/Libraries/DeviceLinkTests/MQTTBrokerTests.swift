import CoreBluetooth
import DeviceLink
import Testing

/// The public settings of a broker.
struct MQTTBrokerTests {
    @Test func noDescriptionShowsThePassword() throws {
        var broker = try MQTTBroker("mqtts://broker.example")
        broker.setUser("lamp", password: "swordfish")
        var text = "\(broker) \(String(reflecting: broker))"
        dump(broker, to: &text)
        #expect(!text.contains("swordfish"))
    }

    @Test func eachConnectionHasANameOfItsOwn() throws {
        let names = Set((0..<100).compactMap { _ in (try? MQTTBroker("mqtt://127.0.0.1"))?.clientIdentifier })
        #expect(names.count == 100)
        // MQTT 3.1.1, 3.1.3.1.
        for name in names {
            #expect((1...23).contains(name.utf8.count) && name.allSatisfy { $0.isLetter || $0.isNumber })
        }
    }

    @Test func anAddressHasNoUser() {
        #expect((try? MQTTBroker("mqtt://me:secret@broker")) == nil)
        #expect((try? MQTTBroker("broker")) == nil)
    }

    @Test func settingsThatContradictEachOtherEndWithASentence() throws {
        func complaint(_ broker: MQTTBroker) -> String? {
            do throws(MQTTBrokerError) {
                _ = try MQTTTopicBus(broker, queue: DispatchQueue(label: "bus"))
                return nil
            } catch {
                return error.description
            }
        }
        var files = try MQTTBroker("mqtt://127.0.0.1")
        files.setCertificates(authorities: "/etc/lamp/ca.pem")
        #expect(complaint(files)?.contains("an address with mqtts") == true)
        var absent = try MQTTBroker("mqtts://127.0.0.1")
        absent.setCertificates(authorities: "/absent/ca.pem")
        #expect(complaint(absent)?.contains("/absent/ca.pem cannot be read") == true)
    }
}
