import BLEAdapter
import BLETransport
import BLEWire
import SystemBus
